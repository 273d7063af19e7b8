// The scripts that make a shell ask `cairn complete` for words. They know no command and no option.
#include "base/suggestion.hpp"
#include "commands/commands.hpp"
#include "manual/manual.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

// bash splits words at '=' (COMP_WORDBREAKS) and replaces what follows the last one.
constexpr const char* bash_script =
    R"sh(# Completion of cairn for bash; made by `cairn completion bash`.
_cairn() {
  local line=${COMP_LINE:0:COMP_POINT} word text cut='' found
  local -a words
  read -ra words <<<"$line"
  case $line in *[[:space:]]) words+=('') ;; esac
  local typed=${words[${#words[@]}-1]}
  case $typed in *=*) cut=${typed%=*}= ;; esac
  COMPREPLY=()
  while IFS=$'\t' read -r word text; do
    case $word in
      @files) compopt -o filenames 2>/dev/null
              mapfile -t found < <(compgen -f -- "${typed#"$cut"}"); COMPREPLY+=("${found[@]}") ;;
      @dirs)  compopt -o filenames 2>/dev/null
              mapfile -t found < <(compgen -d -- "${typed#"$cut"}"); COMPREPLY+=("${found[@]}") ;;
      *=)     compopt -o nospace 2>/dev/null; COMPREPLY+=("${word#"$cut"}") ;;
      *)      COMPREPLY+=("${word#"$cut"}") ;;
    esac
  done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _cairn cairn
)sh";

constexpr const char* zsh_script = R"sh(#compdef cairn
# Completion of cairn for zsh; made by `cairn completion zsh`.
_cairn() {
  local line word text
  local -a described open
  for line in "${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    word=${line%%$'\t'*}
    text=${line#*$'\t'}
    case $word in
      @files) _files ;;
      @dirs) _files -/ ;;
      *=) open+=("${word//:/\\:}:$text") ;;
      ?*) described+=("${word//:/\\:}:$text") ;;
    esac
  done
  (( ${#open} )) && _describe -V cairn open -S ''
  (( ${#described} )) && _describe -V cairn described
}
if [ "$funcstack[1]" = _cairn ]; then _cairn "$@"; else compdef _cairn cairn; fi
)sh";

constexpr const char* fish_script =
    R"sh(# Completion of cairn for fish; made by `cairn completion fish`.
function __cairn
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] "$typed" 2>/dev/null)
        switch $line
            case '@files*'
                __fish_complete_path "$typed"
            case '@dirs*'
                __fish_complete_directories "$typed"
            case '*'
                echo $line
        end
    end
end
complete -c cairn -f -a '(__cairn)'
)sh";

}  // namespace

int completion(const std::string& shell) {
  if (shell == "bash" || shell == "zsh" || shell == "fish") {
    print(shell == "bash" ? bash_script : shell == "zsh" ? zsh_script : fish_script);
    return exit_ok;
  }
  Error error;
  error.kind = ErrorKind::usage;
  error.code = ErrorCode::unknown_choice;
  error.what = "unknown shell";
  error.got = shell;
  error.allowed = "bash, zsh, fish";
  error.fix = "name one of them";
  return report({error});
}

}  // namespace cairn::app
