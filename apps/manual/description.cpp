// What the description of a command line holds.
#include "manual/manual.hpp"

namespace cairn::app {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

std::vector<const CLI::Option*> named_options(const CLI::App& app) {
  return app.get_options([](const CLI::Option* each) { return each->nonpositional(); });
}

std::vector<const CLI::Option*> placed_options(const CLI::App& app) {
  return app.get_options([](const CLI::Option* each) { return !each->nonpositional(); });
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

std::string names_of(const CLI::Option& option) {
  if (!option.nonpositional()) return option.get_name();
  std::string text;
  for (const std::string& name : option.get_snames()) text += (text.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) text += (text.empty() ? "--" : ", --") + name;
  return text;
}

// CLI11 adds the range of a number behind a colon.
std::string value_name(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));
}

}  // namespace cairn::app
