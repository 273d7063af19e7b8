// What all commands check in the same way.
#include "arguments/arguments.hpp"

namespace cairn::app {

std::string needs_equals_sign(const std::string& text) {
  const std::size_t at = text.find('=');
  return at == std::string::npos || at == 0 ? "expected KEY=VALUE, got " + text : "";
}

// An empty name is most often a shell variable that is not set: not the wish to write no files.
std::string needs_a_name(const std::string& text) {
  return text.empty() ? "expected the name of a folder, got an empty one" : "";
}

CLI::Option* add_assignments(CLI::App& command, std::vector<std::string>& assignments) {
  return command
      .add_option("--set", assignments,
                  "change a value of the scene before it is read; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->check(needs_equals_sign, "", "");
}

CLI::Option* add_allowed(CLI::App& command, std::vector<std::string>& folders) {
  return command
      .add_option("--allow-path", folders,
                  "let the scene name mesh files in this folder too; may be given several times")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->check(needs_a_name, "", "");
}

void add_json(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "print the result as JSON and nothing else");
}

CLI::App* add_command(CLI::App& app, const char* name, const char* text, const char* examples) {
  CLI::App* command = app.add_subcommand(name, text);
  command->footer(examples);
  return command;
}

CLI::App* add_file_command(CLI::App& app, FileOptions& options, const char* name, const char* text,
                           const char* argument, const char* argument_text, const char* examples) {
  CLI::App* command = add_command(app, name, text, examples);
  command->add_option(argument, options.file, argument_text)->required();
  add_json(*command, options.json);
  return command;
}

}  // namespace cairn::app
