// Writes manual pages in roff, with the macros of man(7).
#include <filesystem>
#include <fmt/format.h>

#include "base/suggestion.hpp"
#include "commands/commands.hpp"
#include "manual/manual.hpp"
#include "record/run/files.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

// Text that roff prints as it is.
std::string escaped(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// The name of a page: cairn, cairn-run.
std::string page_name(const CLI::App& program, const CLI::App& command) {
  return &program == &command ? program.get_name() : program.get_name() + "-" + command.get_name();
}

// "[-o,--out DIR]", "SCENE", "[ID]..."
std::string synopsis_of(const CLI::Option& option) {
  const bool many = option.get_items_expected_max() > 1;
  std::string text;
  if (option.nonpositional()) {
    text = "\\fB" + escaped(names_of(option)) + "\\fR";
    if (takes_value(option)) text += " \\fI" + escaped(value_name(option)) + "\\fR";
  } else {
    text = "\\fI" + escaped(option.get_name()) + "\\fR";
  }
  if (!option.get_required()) text = "[" + text + "]";
  return many ? text + "..." : text;
}

std::string synopsis(const CLI::App& program, const std::string& words, const CLI::App& command) {
  std::string text = fmt::format("\\fB{}\\fR", escaped(words));
  if (&program == &command) return text + " \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
  for (const CLI::Option* each : named_options(command)) text += " " + synopsis_of(*each);
  for (const CLI::Option* each : placed_options(command)) text += " " + synopsis_of(*each);
  return text + "\n";
}

std::string options_text(const CLI::App& command) {
  std::string text;
  const auto add = [&text](const CLI::Option& option) {
    const bool placed = !option.nonpositional();
    text += fmt::format(".TP\n\\f{}{}\\fR", placed ? "I" : "B", escaped(names_of(option)));
    if (!placed && takes_value(option)) text += " \\fI" + escaped(value_name(option)) + "\\fR";
    text += "\n" + escaped(option.get_description()) + "\n";
  };
  for (const CLI::Option* each : placed_options(command)) add(*each);
  for (const CLI::Option* each : named_options(command)) add(*each);
  return text;
}

// The footer of the help: examples as they are.
std::string footer_text(const CLI::App& command) {
  std::string footer = command.get_footer();
  for (const char* heading : {"Examples:\n", "Example:\n"})
    if (footer.rfind(heading, 0) == 0) footer.erase(0, std::string_view(heading).size());
  if (footer.empty()) return "";
  return fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", escaped(footer));
}

constexpr const char* files_text = R"(.SH FILES
.TP
\fIPREFIX\fR/share/cairn/scenes
Scenes that are found by their names, as in \fBcairn run cannonball66\fR, where no file of that name exists.
)";

}  // namespace

std::string manual_page(const CLI::App& program, const CLI::App& command) {
  const bool whole = &program == &command;
  const std::string name = page_name(program, command);
  const std::string words =
      whole ? program.get_name() : program.get_name() + " " + command.get_name();
  std::string text =
      fmt::format(".TH {} 1 \"\" \"cairn {}\" \"Cairn\"\n", upper(name), CAIRN_VERSION);
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(command.get_description()));
  text += ".SH SYNOPSIS\n" + synopsis(program, words, command);
  const std::vector<const CLI::App*> below = commands_of(command);
  if (!below.empty()) {
    text += ".SH COMMANDS\n";
    for (const CLI::App* each : below)
      text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(each->get_name()),
                          escaped(each->get_description()));
  }
  text += ".SH OPTIONS\n" + options_text(command);
  if (!whole)
    for (const CLI::App* each : below)
      text += fmt::format(".SS {}\n{}.PP\n{}\n{}", escaped(words + " " + each->get_name()),
                          synopsis(program, words + " " + each->get_name(), *each),
                          escaped(each->get_description()), options_text(*each));
  text += footer_text(command);
  if (whole) text += files_text;
  text += ".SH SEE ALSO\n";
  std::string others;
  for (const CLI::App* each : commands_of(program))
    if (each != &command)
      others += fmt::format("{}\\fB{}\\fR(1)", others.empty() ? "" : ",\n",
                            escaped(page_name(program, *each)));
  if (!whole) others = fmt::format("\\fB{}\\fR(1),\n{}", program.get_name(), others);
  return text + others + "\n";
}

int manual(const CLI::App& program, const ManualOptions& options) {
  const std::vector<const CLI::App*> commands = commands_of(program);
  if (!options.out.empty()) {
    std::error_code fault;
    std::filesystem::create_directories(options.out, fault);
    std::vector<const CLI::App*> pages = {&program};
    pages.insert(pages.end(), commands.begin(), commands.end());
    for (const CLI::App* each : pages) {
      const std::string file = options.out + "/" + page_name(program, *each) + ".1";
      const Result<void> written = record::write_file(file, manual_page(program, *each));
      if (!written) return report(written.error());
    }
    return exit_ok;
  }
  if (options.command.empty()) {
    print(manual_page(program, program));
    return exit_ok;
  }
  std::vector<std::string> names;
  for (const CLI::App* each : commands) {
    if (each->get_name() == options.command) {
      print(manual_page(program, *each));
      return exit_ok;
    }
    names.push_back(each->get_name());
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  Error error;
  error.kind = ErrorKind::usage;
  error.code = ErrorCode::unknown_choice;
  error.what = "unknown command";
  error.got = options.command;
  error.fix = base::did_you_mean(options.command, known, "see cairn --help");
  return report({error});
}

}  // namespace cairn::app
