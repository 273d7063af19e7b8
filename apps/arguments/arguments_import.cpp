// Words after `cairn import`, and what run, info and view take of files of other programs.
#include "arguments/arguments.hpp"

namespace cairn::app {
namespace {

constexpr const char* import_examples = R"(Examples:
  cairn import robot.urdf -o robot.json
  cairn import arm.urdf --base fixed --package my_arm=../my_arm -o arm.json
  cairn import humanoid.xml --keyframe squat --floor 0 -o humanoid.json
  cairn run robot.urdf --floor -0.6                 imports and runs at once

What is not taken over is listed with its line. docs/import.md has the table of what is.)";

std::string needs_a_base(const std::string& text) {
  return text == "file" || text == "free" || text == "fixed"
             ? ""
             : "expected file, free or fixed, got " + text;
}

}  // namespace

void add_import_options(CLI::App& command, ImportOptions& options) {
  command
      .add_option_function<std::string>(
          "--base",
          [&options](const std::string& word) {
            options.base = word == "free"    ? ImportBase::free
                           : word == "fixed" ? ImportBase::fixed
                                             : ImportBase::as_file;
          },
          "root of a robot: free, fixed, or as the file says (default)")
      ->type_name("file|free|fixed")
      ->check(needs_a_base, "", "")
      ->group("Models of robots (URDF, MJCF, SDFormat)");
  const auto add = [&](CLI::Option* option, const char* type) {
    if (*type) option->type_name(type);
    option->group("Models of robots (URDF, MJCF, SDFormat)");
  };
  add(command
          .add_option_function<std::vector<std::string>>(
              "--package",
              [&options](const std::vector<std::string>& words) {
                for (const std::string& word : words) {
                  const std::size_t at = word.find('=');
                  options.packages.emplace_back(word.substr(0, at), word.substr(at + 1));
                }
              },
              "folder of a package: where package://NAME/... is looked for first")
          ->allow_extra_args(false)
          ->check(needs_equals_sign, "", ""),
      "NAME=DIR");
  add(command
          .add_option("--friction", options.friction,
                      "of surfaces to which a URDF or SDFormat file gives none (default 0.8)")
          ->check(CLI::Range(0.0, 1e9).name("")),
      "MU");
  add(command
          .add_option_function<double>(
              "--floor", [&options](double z) { options.floor = z; },
              "add a floor at this height [m]")
          ->check(CLI::Range(-1e9, 1e9).name("")),
      "Z");
  add(command.add_flag("--balance-inertia", options.balance_inertia,
                       "replace impossible moments of inertia by their mean"),
      "");
  add(command.add_option("--bound-mass", options.bound_mass, "least mass of bodies that move [kg]")
          ->check(CLI::Range(0.0, 1e30).name("")),
      "M");
  add(command
          .add_option("--bound-inertia", options.bound_inertia,
                      "least principal moment of inertia of bodies that move [kg m^2]")
          ->check(CLI::Range(0.0, 1e60).name("")),
      "I");
  add(command.add_option("--keyframe", options.keyframe,
                         "of an MJCF file: name or number of the keyframe to start from"),
      "NAME");
}

void add_import(CLI::App& app, ImportCommand& options) {
  CLI::App* command = add_command(app, "import", "Turn a URDF, MJCF or SDFormat file into a scene",
                                  import_examples);
  command->add_option("FILE", options.file, "URDF, MJCF or SDFormat file")->required();
  command->add_option("-o,--out", options.out, "the scene; default: printed")
      ->type_name("SCENE.json")
      ->check(needs_a_name, "", "");
  add_json(*command, options.json);
  add_import_options(*command, options.import);
}

}  // namespace cairn::app
