// Tables of families.
#include "families/table.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "families/limits.hpp"

namespace cairn::families {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 1;
}

std::string percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? fmt::format("{:.2f}", 100 * share(part, whole)) : "-";
}

std::string head(const Family& family) {
  std::string text = fmt::format(
      "| {:<34} | cases | through | above | unclear | accepted % | "
      "moderate % | steps accepted % | divided % | parts | most | "
      "ms/step | longest ms | work | ns/unit | most | deepest |",
      family.name);
  std::string line = "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|";
  for (const std::string& column : family.columns) {
    text += fmt::format(" {} |", column);
    line += "---|";
  }
  return text + "\n" + line;
}

std::string row(const Family& family, const std::string& name, const Tally& t) {
  std::string text = fmt::format(
      "| {:<34} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1f} | {} | {:.3f} | {:.1f} | {:.3f} | "
      "{:.0f} | {:.0f} | {:.3f} |",
      name, t.cases, t.passed, t.above, t.unclear, percent(t.accepted_cases, t.cases),
      percent(t.accepted_moderate, t.moderate), percent(t.accepted, t.steps),
      percent(t.divided, t.taken), share(t.parts, t.divided), t.most_parts,
      t.taken > 0 ? 1e3 * t.cpu / static_cast<double>(t.taken) : 0.0, 1e3 * t.longest, t.most_work,
      t.work > 0 ? 1e9 * t.cpu / t.work : 0.0, 1e9 * t.slowest_unit, t.deepest_accepted);
  for (const std::string& column : family.columns) {
    const auto at = t.figures.find(column);
    text += at == t.figures.end() ? " - |" : fmt::format(" {:.2e} |", at->second);
  }
  return text;
}

Json to_json(const Tally& t) {
  Json made = {{"cases", t.cases},
               {"accepted_cases", t.accepted_cases},
               {"moderate", t.moderate},
               {"accepted_moderate", t.accepted_moderate},
               {"passed", t.passed},
               {"unclear", t.unclear},
               {"accepted_above_limit", t.above},
               {"cases_with_faults", t.faults},
               {"steps", t.steps},
               {"taken_steps", t.taken},
               {"accepted_steps", t.accepted},
               {"divided_steps", t.divided},
               {"parts", t.parts},
               {"most_parts", t.most_parts},
               {"cpu", t.cpu},
               {"longest", t.longest},
               {"work", t.work},
               {"most_work", t.most_work},
               {"slowest_unit", t.slowest_unit},
               {"deepest_accepted", t.deepest_accepted}};
  for (const auto& [name, value] : t.figures) made["figures"][name] = value;
  for (const auto& [name, times] : t.kinds) made["faults"][name] = times;
  return made;
}

}  // namespace

void Tally::add(const Trial& trial, const Outcome& out) {
  ++cases;
  accepted_cases += out.all_accepted() ? 1 : 0;
  moderate += trial.moderate ? 1 : 0;
  accepted_moderate += trial.moderate && out.all_accepted() ? 1 : 0;
  passed += out.passed ? 1 : 0;
  unclear += out.unclear && !out.passed ? 1 : 0;
  above += out.deepest_accepted > overlap_limit * oracle_error ? 1 : 0;
  faults += out.faults.empty() ? 0 : 1;
  steps += out.steps;
  taken += out.taken;
  accepted += out.accepted;
  divided += out.divided;
  parts += out.parts;
  most_parts = std::max(most_parts, out.most_parts);
  cpu += out.cpu;
  longest = std::max(longest, out.longest);
  work += out.work;
  most_work = std::max(most_work, out.most_work);
  slowest_unit = std::max(slowest_unit, out.slowest_unit);
  deepest_accepted = std::max(deepest_accepted, out.deepest_accepted);
  for (const auto& [name, value] : out.figures) {
    double& largest = figures[name];
    if (!(value <= largest)) largest = value;
  }
  for (const std::string& fault : out.faults) ++kinds[fault];
}

void Table::add(const Trial& trial, const Outcome& out) {
  rows_[fmt::format("{:<11} {:.4g} s {}", trial.scheme, trial.h, trial.shape)].add(trial, out);
  if (!trial.target.empty()) targets_[trial.target].add(trial, out);
  all_.add(trial, out);
}

void Table::print() const {
  fmt::print("{}\n", head(family_));
  for (const auto& [name, tally] : rows_) fmt::print("{}\n", row(family_, name, tally));
  for (const auto& [name, tally] : targets_) fmt::print("{}\n", row(family_, name, tally));
  fmt::print("{}\n", row(family_, "all", all_));
  for (const auto& [name, times] : all_.kinds)
    fmt::print("{} of {}: {}\n", times, all_.cases, name);
}

Json Table::json() const {
  Json made = {{"family", family_.name}, {"all", to_json(all_)}};
  for (const auto& [name, tally] : rows_) made["rows"][name] = to_json(tally);
  for (const auto& [name, tally] : targets_) made["targets"][name] = to_json(tally);
  return made;
}

std::vector<std::string> Table::broken() const {
  std::vector<std::string> list;
  const bool shots = family_.name == "shots";
  // Shares of accepted shots and of steps of piles are judged as a whole, all else case by case.
  const bool by_share = shots || family_.accepted_share < 1;
  for (const auto& [name, times] : all_.kinds)
    if (!(by_share && name == "not accepted"))
      list.push_back(fmt::format("{} of {} cases: {}", times, all_.cases, name));
  const auto expect = [&](const char* what, double got, double least) {
    if (got < least)
      list.push_back(fmt::format("{}: {:.2f} %, promised {:.0f} %", what, 100 * got, 100 * least));
  };
  if (shots) {
    expect("moderate shots accepted", share(all_.accepted_moderate, all_.moderate),
           accepted_moderate);
    expect("shots accepted", share(all_.accepted_cases, all_.cases), accepted_shots);
  } else {
    expect("steps accepted", share(all_.accepted, all_.steps), family_.accepted_share);
  }
  return list;
}

}  // namespace cairn::families
