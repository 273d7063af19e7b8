// cairn_families: generates scenes that nobody prepared, runs them and judges the motion with
// oracles of its own.
//
//   cairn_families FAMILY [--seed S] [--cases N | --case K] [--scheme X] [--step H] [--duration T]
//                  [--set KEY=VALUE ...] [--seconds S] [--json FILE] [--keep DIR] [--filter NAME]
//                  [--fine N]
//
// FAMILY: shots, bridges, ratios, flights, piles, bouncers, rebounds, rigid-ipc, forgeries or all.
// A case depends on nothing but the seed and its number. Scenes that break a promise are kept in
// DIR, for `cairn run`. The exit code is 0 if all promises of families/limits.hpp hold, 1 if not, 2
// for a wrong command. `shots --fine N` checks the judge of sides against itself on runs with N
// short steps for each step.
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "families/forgeries.hpp"
#include "families/rigid_ipc.hpp"
#include "families/table.hpp"

namespace cairn::families {
namespace {

struct Command {
  std::string family, json;
  Settings settings;
};

Command command_of(int argc, char** argv) {
  if (argc < 2) throw std::runtime_error("cairn_families FAMILY [--seed S] [--cases N] ...");
  Command command{argv[1], "", {}};
  Settings& s = command.settings;
  for (int i = 2; i < argc; i += 2) {
    const std::string key = argv[i];
    if (i + 1 == argc) throw std::runtime_error(key + " needs a value");
    const std::string value = argv[i + 1];
    if (key == "--seed")
      s.seed = std::stoull(value);
    else if (key == "--cases")
      s.cases = std::stoll(value);
    else if (key == "--case")
      s.first = std::stoll(value), s.cases = 1;
    else if (key == "--scheme")
      s.scheme = value;
    else if (key == "--step")
      s.h = std::stod(value);
    else if (key == "--duration")
      s.duration = std::stod(value);
    else if (key == "--fine")
      s.fine = std::stoi(value);
    else if (key == "--seconds")
      s.seconds = std::stod(value);
    else if (key == "--set")
      s.assignments.push_back(value);
    else if (key == "--keep")
      s.keep = value;
    else if (key == "--filter")
      s.filter = value;
    else if (key == "--json")
      command.json = value;
    else
      throw std::runtime_error("unknown option " + key);
  }
  return command;
}

// Scenes with faults, and those that are refused where that is allowed.
void keep_scene(const Trial& trial, const Outcome& out, const Settings& settings) {
  if (settings.keep.empty() || (out.faults.empty() && out.all_accepted())) return;
  std::filesystem::create_directories(settings.keep);
  std::ofstream(std::filesystem::path(settings.keep) / (trial.name + ".json"))
      << trial.scene.dump(1) << "\n";
  std::string line = trial.name + ":";
  for (const std::string& fault : out.faults) line += " " + fault + ";";
  const std::string why = out.unreadable.empty() ? out.refusal : out.unreadable;
  const char* list = out.faults.empty() ? "refused.txt" : "faults.txt";
  std::ofstream(std::filesystem::path(settings.keep) / list, std::ios::app)
      << line << " " << trial.scheme << ", " << trial.h << " s, " << trial.shape << ", "
      << trial.target << "; " << why << "\n";
}

// True if every promise holds.
bool conclude(const std::string& name, const std::vector<std::string>& broken) {
  for (const std::string& line : broken) fmt::print("{}: {}\n", name, line);
  fmt::print("{}: {}\n\n", name, broken.empty() ? "all promises hold" : "promises are broken");
  std::fflush(stdout);
  return broken.empty();
}

bool run_family(const Family& family, const Settings& settings, Json& document) {
  Table table(family);
  const std::int64_t cases = settings.cases > 0 ? settings.cases : family.cases;
  for (std::int64_t k = settings.first; k < settings.first + cases; ++k) {
    const Trial trial = family.make(family, settings, k);
    if ((trial.shape + ' ' + trial.target).find(settings.filter) == std::string::npos) continue;
    const Outcome out = run(trial, settings);
    table.add(trial, out);
    keep_scene(trial, out, settings);
  }
  table.print();
  document.push_back(table.json());
  return conclude(family.name, table.broken());
}

// Whether the judge of sides accuses motions that short steps show to be right.
bool check_family(const Family& family, const Settings& settings) {
  int crossed = 0, seen = 0, accused = 0;
  const std::int64_t cases = settings.cases > 0 ? settings.cases : family.cases;
  for (std::int64_t k = settings.first; k < settings.first + cases; ++k) {
    const Trial trial = family.make(family, settings, k);
    const SideCheck found = check_sides(trial, settings);
    crossed += found.fine ? 1 : 0;
    seen += found.fine && found.coarse ? 1 : 0;
    accused += found.coarse && !found.fine ? 1 : 0;
    if (found.coarse && !found.fine) fmt::print("accused: {} {}\n", trial.name, trial.target);
  }
  fmt::print(
      "{} cases with {} short steps a step: {} cross, {} of them are seen at the ends of the "
      "long steps, {} others are accused\n",
      cases, settings.fine, crossed, seen, accused);
  return accused == 0;
}

bool run_fixtures(const Settings& settings, Json& document) {
  const Fixtures fixtures = run_rigid_ipc(settings, keep_scene);
  document.push_back(fixtures.json);
  return conclude("rigid-ipc", fixtures.broken);
}

bool forge(const Settings& settings, Json& document) {
  const ForgeryResult result = run_forgeries(settings);
  document.push_back(result.json);
  return conclude("forgeries", result.broken);
}

int run_command(const Command& command) {
  Json document = Json::array();
  bool found = false, holds = true;
  for (const Family& family : all_families())
    if (command.family == family.name || command.family == "all") {
      found = true;
      holds = (command.settings.fine > 0 ? check_family(family, command.settings)
                                         : run_family(family, command.settings, document)) &&
              holds;
    }
  if (command.family == "rigid-ipc" || command.family == "all") {
    found = true;
    holds = run_fixtures(command.settings, document) && holds;
  }
  if (command.family == "forgeries" || command.family == "all") {
    found = true;
    holds = forge(command.settings, document) && holds;
  }
  if (!found) throw std::runtime_error("unknown family " + command.family);
  if (!command.json.empty()) std::ofstream(command.json) << document.dump(1) << "\n";
  return holds ? 0 : 1;
}

}  // namespace

}  // namespace cairn::families

int main(int argc, char** argv) {
  try {
    return cairn::families::run_command(cairn::families::command_of(argc, argv));
  } catch (const std::exception& fault) {
    std::cerr << "cairn_families: " << fault.what() << "\n";
    return 2;
  }
}
