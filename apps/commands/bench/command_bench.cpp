// cairn bench solvers: every solver on the same problems, a table of times.
#include <fmt/format.h>

#include "base/suggestion.hpp"
#include "bench/race.hpp"
#include "commands/commands.hpp"
#include "terminal/cpu_clock.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

std::string time_text(const bench::RaceTime& time) {
  return time.run && time.solved ? fmt::format("{:.3g}", time.ms) : "-";
}

// How many times longer `other` takes at the tightest level that both reach.
std::string ratio_text(const bench::RaceTimes& times, const bench::RaceTimes* other) {
  if (!other) return "-";
  for (std::size_t i = bench::race_levels.size(); i-- > 0;)
    if (times[i].solved && (*other)[i].solved)
      return fmt::format("{:.2g} @{:.0e}", (*other)[i].ms / times[i].ms, bench::race_levels[i]);
  return "-";
}

struct CaseResult {
  bench::RaceCase contest;
  std::vector<std::pair<std::string, bench::RaceTimes>> times;

  const bench::RaceTimes* of(const std::string& solver) const {
    for (const auto& [name, result] : times)
      if (name == solver) return &result;
    return nullptr;
  }
};

std::string bench_text(const CaseResult& result) {
  const Problem& p = result.contest.problem;
  std::string text =
      fmt::format("{}: {} bodies, {} constraints, {} start\n", result.contest.name, p.bodies.size(),
                  p.constraints.size(), result.contest.warm.size() > 0 ? "warm" : "cold");
  text += fmt::format("  {:<8}", "ms to");
  for (const double level : bench::race_levels) text += fmt::format(" {:>10.0e}", level);
  text += fmt::format(" {:>14} {:>14}\n", "bb / this", "gs / this");
  for (const auto& [name, times] : result.times) {
    text += fmt::format("  {:<8}", name);
    for (const bench::RaceTime& time : times) text += fmt::format(" {:>10}", time_text(time));
    text += fmt::format(" {:>14} {:>14}\n", ratio_text(times, result.of("bb")),
                        ratio_text(times, result.of("gs")));
  }
  return text;
}

Json bench_json(const CaseResult& result) {
  const Problem& p = result.contest.problem;
  Json json = {{"case", result.contest.name},
               {"bodies", p.bodies.size()},
               {"constraints", p.constraints.size()},
               {"rows", p.rows()},
               {"start", result.contest.warm.size() > 0 ? "warm" : "cold"}};
  for (const auto& [name, times] : result.times) {
    Json& list = json["solvers"][name] = Json::array();
    for (std::size_t i = 0; i < times.size(); ++i)
      if (times[i].run)
        list.push_back({{"tolerance", bench::race_levels[i]},
                        {"certified", times[i].solved},
                        {"ms", times[i].ms},
                        {"residual", times[i].residual},
                        {"iterations", times[i].iterations}});
  }
  return json;
}

// The promised times beside those of auto and of the fastest solver.
std::string target_text(const bench::RaceTarget& target, const CaseResult& result) {
  std::size_t level = 0;
  while (bench::race_levels[level] != target.level) ++level;
  const bench::RaceTimes* automatic = result.of("auto");
  const std::pair<std::string, bench::RaceTimes>* best = nullptr;
  for (const auto& each : result.times)
    if (each.second[level].solved && (!best || each.second[level].ms < best->second[level].ms))
      best = &each;
  return fmt::format("  {:<18} {:>6.0e}  target {:>5} ms   auto {:>8}   best {:>8} {}\n",
                     target.name, target.level, target.ms,
                     automatic ? time_text((*automatic)[level]) : "-",
                     best ? time_text(best->second[level]) : "-", best ? best->first : "");
}

template <class Name>
Errors unknown(const char* what, const std::string& got, const std::vector<Name>& known) {
  std::vector<std::string_view> names(known.begin(), known.end());
  std::string list;
  for (const std::string_view each : names) list += (list.empty() ? "" : ", ") + std::string(each);
  Error error;
  error.kind = ErrorKind::usage;
  error.code = ErrorCode::unknown_choice;
  error.what = what;
  error.got = got;
  error.allowed = list;
  error.fix = base::did_you_mean(got, names);
  return {error};
}

}  // namespace

int bench_solvers(const BenchOptions& options) {
  const std::vector<std::string> cases = bench::race_case_names();
  std::vector<std::string> solvers;
  for (const bench::RaceSolver& each : bench::race_solvers()) solvers.push_back(each.name);
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const std::string& name : options.cases)
    if (!has(cases, name)) return report(unknown("unknown case", name, cases));
  for (const std::string& name : options.solvers)
    if (!has(solvers, name)) return report(unknown("unknown solver", name, solvers));

  Json json = Json::array();
  std::string targets;
  for (const std::string& name : cases) {
    if (!has(options.cases, name)) continue;
    CaseResult result{bench::race_case(name), {}};
    for (const bench::RaceSolver& solver : bench::race_solvers()) {
      if (!has(options.solvers, solver.name)) continue;
      if (result.contest.dense && solver.factors) continue;
      result.times.emplace_back(solver.name, bench::race(result.contest, solver, thread_seconds));
    }
    if (options.json)
      json.push_back(bench_json(result));
    else
      print(bench_text(result));
    for (const bench::RaceTarget& target : bench::race_targets())
      if (target.name == name) targets += target_text(target, result);
  }
  if (options.json)
    print(text(json));
  else if (!targets.empty())
    print("targets\n" + targets);
  return exit_ok;
}

}  // namespace cairn::app
