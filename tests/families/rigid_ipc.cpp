// Runs the fixtures of Rigid IPC that can be converted, and prints a table.
#include "families/rigid_ipc.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>

#include "families/fixtures/fixture_facts.hpp"
#include "families/limits.hpp"
#include "families/oracle/energy.hpp"
#include "families/oracle/sides.hpp"

namespace cairn::families {
namespace {

namespace fs = std::filesystem;
constexpr int most_steps = 2000;

std::vector<std::string> names_below(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : fs::recursive_directory_iterator(folder, absent))
    if (entry.path().extension() == ".json") {
      const fs::path relative = fs::relative(entry.path(), folder);
      names.push_back((relative.parent_path() / relative.stem()).generic_string());
    }
  std::sort(names.begin(), names.end());
  return names;
}

void record(const Moment& m, Track& track) {
  const auto add = [&](const State& state) {
    track.t.push_back(state.t);
    track.poses.push_back(state.poses);
    track.v.push_back(state.v);
  };
  if (m.first) add(m.before);
  add(m.after);
}

struct Watched {
  Track track;
  EnergyWatch energy;
  std::vector<PlateSides> sides;
  std::vector<Fact> facts;
};

Trial trial_of(const Fixture& fixture, const Settings& settings, std::shared_ptr<Watched> watched) {
  Trial trial;
  trial.name = fixture.name;
  std::replace(trial.name.begin(), trial.name.end(), '/', '_');
  trial.name = "rigid-ipc_" + trial.name;
  trial.scheme = settings.scheme.empty() ? "euler" : settings.scheme;
  trial.shape = fixture.name;
  trial.h = settings.h > 0 ? settings.h : fixture.h;
  const double duration = settings.duration > 0 ? settings.duration : fixture.duration;
  trial.steps = std::min(most_steps, static_cast<int>(std::ceil(duration / trial.h - 1e-9)));
  trial.scene = fixture.scene;
  trial.must_accept = false;  // the share of all steps is judged
  trial.exact_paths = trial.scheme == "euler" || trial.scheme == "relaxed";
  set_simulation(trial.scene, trial.scheme, trial.h, trial.steps);
  for (const FlatBody& flat : fixture.flats)
    for (const std::string& name : fixture.moving)
      if (name != flat.name) watched->sides.push_back({flat.name, name, flat.half_x, flat.half_y});
  const bool passive = fixture.passive;
  trial.judge = [watched, passive](const Moment& m, Outcome& out) {
    record(m, watched->track);
    if (passive) watched->energy(m, out);
    for (const PlateSides& sides : watched->sides) note(sides.judge(m), out);
  };
  trial.finish = [](Outcome& out) {
    if (out.figure("gain") > gain_limit) out.fault("gains energy");
  };
  return trial;
}

std::string percent(int part, int whole) {
  return fmt::format("{:.1f}", whole > 0 ? 100.0 * part / whole : 100.0);
}

// Runs it and prints its row.
Outcome run_fixture(const Fixture& fixture, const Settings& settings, KeepScene keep, Json& rows) {
  auto watched = std::make_shared<Watched>();
  Trial trial = trial_of(fixture, settings, watched);
  const World* world = nullptr;
  std::optional<World> copy;
  trial.start = [&](World& w) { copy = w; };
  Outcome out = run(trial, settings);
  world = copy ? &*copy : nullptr;
  std::string facts;
  for (const FactOf& fact : facts_of(fixture)) {
    if (!world || watched->track.t.size() < 2) break;
    const Fact said = fact(*world, watched->track);
    facts += said.text + "; ";
    if (!said.holds) out.fault("not so: " + said.text);
  }
  keep(trial, out, settings);
  for (const std::string& fault : out.faults) facts += "**" + fault + "**; ";
  if (!out.refusal.empty()) facts += out.refusal + "; ";
  if (!out.unreadable.empty()) facts += out.unreadable + "; ";
  fmt::print("| {} | {} | {} | {} | {} | {} | {:.3f} | {:.3f} | {:.2f} | {} |\n", fixture.name,
             fixture.scene["bodies"].size(), out.steps, percent(out.accepted, out.steps),
             percent(out.divided, out.taken), out.most_parts, out.deepest_accepted, out.deepest,
             out.taken > 0 ? 1e3 * out.cpu / out.taken : 0.0, facts);
  std::fflush(stdout);
  rows.push_back({{"name", fixture.name},
                  {"steps", out.steps},
                  {"accepted", out.accepted},
                  {"deepest_accepted", out.deepest_accepted},
                  {"deepest", out.deepest},
                  {"cpu", out.cpu},
                  {"faults", out.faults},
                  {"remarks", facts}});
  return out;
}

}  // namespace

Fixtures run_rigid_ipc(const Settings& settings, KeepScene keep) {
  Fixtures result;
  result.json = {{"family", "rigid-ipc"}, {"rows", Json::array()}, {"skipped", Json::object()}};
  const fs::path folder =
      fs::path(CAIRN_SOURCE_DIR).parent_path() / "shared" / "data" / "rigid-ipc";
  if (!fs::exists(folder / "fixtures")) {
    fmt::print("rigid-ipc: the folder ../shared/data/rigid-ipc is absent, nothing is run\n");
    return result;
  }
  fmt::print(
      "| fixture | bodies | steps | accepted % | divided % | most parts | deepest accepted | "
      "deepest | ms/step | facts |\n|---|---|---|---|---|---|---|---|---|---|\n");
  std::int64_t steps = 0, accepted = 0;
  for (const std::string& name : names_below(folder / "fixtures")) {
    if (name.find(settings.filter) == std::string::npos) continue;
    const Fixture fixture = convert(folder.string(), name);
    if (!fixture.skipped.empty()) {
      fmt::print("| {} | | | | | | | | | skipped: {} |\n", name, fixture.skipped);
      result.json["skipped"][name] = fixture.skipped;
      continue;
    }
    const Outcome out = run_fixture(fixture, settings, keep, result.json["rows"]);
    steps += out.steps;
    accepted += out.accepted;
    for (const std::string& fault : out.faults) result.broken.push_back(name + ": " + fault);
  }
  const double share = steps > 0 ? static_cast<double>(accepted) / static_cast<double>(steps) : 1;
  if (share < accepted_fixtures)
    result.broken.push_back(fmt::format("steps accepted: {:.2f} %, promised {:.0f} %", 100 * share,
                                        100 * accepted_fixtures));
  return result;
}

}  // namespace cairn::families
