// Adds steps up.
#include "record/run/totals.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "scheme/common/report.hpp"

namespace cairn::record {
namespace {

// Not a number counts as worse than anything.
double badness(double certificate) {
  return std::isnan(certificate) ? std::numeric_limits<double>::infinity() : certificate;
}

// The attempts of the island that took the most work.
std::string attempts_text(const Solution& solution) {
  std::map<int, double> work;
  for (const SolveAttempt& a : solution.attempts) work[a.island] += a.work;
  const auto hardest = std::max_element(
      work.begin(), work.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string text;
  for (const SolveAttempt& a : solution.attempts)
    if (a.island == hardest->first)
      text += fmt::format("{}{} {:.1e} ({})", text.empty() ? "" : ", ", a.method, a.after,
                          a.iterations);
  if (solution.out_of_budget) text += "; work budget spent";
  return text;
}

void add_worst(const Model& model, const StepReport& report, RunTotals& totals) {
  std::vector<WorstStep>& worst = totals.worst;
  const bool full = worst.size() == RunTotals::max_worst;
  if (full && badness(report.certificate) <= badness(worst.back().certificate)) return;
  WorstStep entry;
  entry.step = report.step;
  entry.t = report.t;
  entry.certificate = report.certificate;
  entry.status = report.status;
  entry.row = "none";
  const auto solves = report.solved();
  if (!solves.empty()) {
    const SolveRecord& record = solves[static_cast<std::size_t>(report.worst_solve)];
    entry.row =
        constraint_name(model, record.problem, record.solution.certificate.worst_constraint);
    entry.method = record.solution.method;
    entry.iterations = record.solution.iterations;
    entry.attempts = attempts_text(record.solution);
  }
  if (full) worst.pop_back();
  const auto place = std::upper_bound(
      worst.begin(), worst.end(), entry,
      [](const auto& a, const auto& b) { return badness(a.certificate) > badness(b.certificate); });
  worst.insert(place, std::move(entry));
}

// A step that was not certified may be one in which friction holds any stress: say so, once for
// each set of bodies, and look for it in the first of them alone.
void add_jamming(const Model& model, const StepReport& report, RunTotals& totals) {
  // Replayed frames of level `states` have no problems.
  if (report.status != StepStatus::uncertified || report.solves.empty() ||
      report.solves.front().problem.bodies.empty() ||
      totals.jamming_searches == RunTotals::max_jamming_searches)
    return;
  ++totals.jamming_searches;
  for (std::string& text :
       jammed_bodies(model, report.solved()[static_cast<std::size_t>(report.worst_solve)]))
    if (std::find(totals.jammed.begin(), totals.jammed.end(), text) == totals.jammed.end())
      totals.jammed.push_back(std::move(text));
}

void add_ledger(const Ledger& step, bool first, RunTotals& totals) {
  Ledger& sum = totals.ledger;
  if (first) {
    sum.kinetic_start = step.kinetic_start;
    sum.potential_start = step.potential_start;
  }
  sum.kinetic_end = step.kinetic_end;
  sum.potential_end = step.potential_end;
  scheme::add_flows(step, sum);
  totals.energy_final = step.kinetic_end + step.potential_end;
  totals.max_rise = std::max(totals.max_rise, step.rise());
  totals.imbalance_max = std::max(totals.imbalance_max, std::abs(step.imbalance()));
}

double taken(const ImpactReport& r) {
  return r.lost_restitution + r.lost_friction - r.put_in;
}

void add_impacts(const StepReport& report, ImpactTotals& totals) {
  totals.sequential += report.sequential_impacts;
  totals.unfinished += report.unfinished_sequences;
  double rise = 0;
  for (std::size_t i = 0; i < report.impacts.size(); ++i) {
    const ImpactReport& r = report.impacts[i];
    const auto first =
        std::find_if(report.impacts.begin(), report.impacts.end(),
                     [&](const ImpactReport& other) { return other.group == r.group; });
    if (first == report.impacts.begin() + static_cast<std::ptrdiff_t>(i)) {
      ++totals.groups;
      totals.guard += r.guard;
      rise = r.kinetic_after - r.kinetic_before - r.other;
      totals.max_rise = std::max(totals.max_rise, rise);
    }
    ++totals.contacts;
    ++totals.by_law[static_cast<std::size_t>(r.law)];
    totals.lost_restitution += r.lost_restitution;
    totals.lost_friction += r.lost_friction;
    totals.put_in += r.put_in;
    totals.fastest = std::max(totals.fastest, -r.approach);
    const auto place =
        std::upper_bound(totals.largest.begin(), totals.largest.end(), r,
                         [](const auto& a, const auto& b) { return taken(a) > taken(b); });
    const bool full = totals.largest.size() == ImpactTotals::max_largest;
    if (full && place == totals.largest.end()) continue;
    totals.largest.insert(place, r);
    if (full) totals.largest.pop_back();
  }
}

void add_verdict_part(const VerdictPart& part, std::int64_t step, VerdictPartTotals& totals) {
  const bool worse = !(badness(part.worst) <= badness(totals.worst));
  if (!part.ok && (totals.failed_steps == 0 || worse)) totals.sentence = part.sentence;
  if (!part.ok) ++totals.failed_steps;
  if (!worse) return;
  totals.worst = part.worst;
  totals.step = step;
}

void add_verdict(const StepReport& r, VerdictTotals& totals) {
  const Verdict& v = r.verdict;
  add_verdict_part(v.solve, r.step, totals.solve);
  add_verdict_part(v.motion, r.step, totals.motion);
  add_verdict_part(v.energy, r.step, totals.energy);
  if (!v.accepted()) ++totals.failed_steps;
  totals.overlap_max = std::max(totals.overlap_max, v.overlap);
  totals.swept_overlap_max = std::max(totals.swept_overlap_max, v.swept_overlap);
  totals.joint_max = std::max(totals.joint_max, v.joint);
  totals.momentum_max = std::max(totals.momentum_max, v.momentum);
  totals.momentum_others_max = std::max(totals.momentum_others_max, v.momentum_others);
  totals.energy_error_max = std::max(totals.energy_error_max, v.energy_error);
  totals.integrator_max = std::max(totals.integrator_max, std::abs(v.integrator));
  if (v.parts > 1) ++totals.divided_steps;
  totals.parts += v.parts;
  totals.attempts += v.attempts;
  totals.parts_max = std::max(totals.parts_max, v.parts);
}

constexpr double drawn_certificate = 1e3;  // a residual of one is already no solution at all [-]

void add_curves(const StepReport& r, RunTotals& totals) {
  const Ledger& l = r.ledger;
  totals.kinetic.add(r.t, l.kinetic_end);
  totals.potential.add(r.t, l.potential_end);
  totals.total.add(r.t, l.kinetic_end + l.potential_end);
  totals.penetration.add(r.t, r.penetration);
  totals.joint_error.add(r.t, r.joint_error);
  totals.candidates.add(r.t, static_cast<double>(r.candidate_count()));
  totals.active.add(r.t, r.active_contacts);
  // Not a number is drawn at the top of the plot; it must not stretch the axis.
  totals.certificate.add(r.t,
                         r.certificate <= drawn_certificate ? r.certificate : drawn_certificate);
  totals.cpu.add(r.t, 1e3 * r.seconds.total);
  totals.coulomb_residual.add(r.t, r.coulomb_residual);
  totals.guard.add(r.t, 1 - r.guard_factor);
  totals.impact_loss.add(r.t, totals.impacts.lost_restitution);
  totals.impact_friction.add(r.t, totals.impacts.lost_friction);
}

}  // namespace

const char* name(RunStatus status) {
  switch (status) {
    case RunStatus::ok:
      return "ok";
    case RunStatus::uncertified:
      return "uncertified";
    case RunStatus::not_accepted:
      return "not_accepted";
    case RunStatus::stopped:
      return "stopped";
  }
  return "";
}

double RunTotals::cpu_ms_mean() const {
  return cpu_ms.count() == 0 ? 0 : 1e3 * cpu_seconds / static_cast<double>(cpu_ms.count());
}

double RunTotals::cpu_ms_median() const {
  return cpu_ms.median();
}

void FigureTotals::add(const StepFigures& step) {
  const auto number = [](auto x) {
    return x == x ? x : std::numeric_limits<decltype(x)>::infinity();
  };
  describe(
      [&](const FigureText&, const auto& x, auto& at_last, auto& most, auto& fewest, auto& all) {
        at_last = x;
        most = any ? std::max(most, number(x)) : number(x);
        fewest = any ? std::min(fewest, x) : x;
        all = any ? all + x : x;
      },
      step, last, largest, least, sum);
  any = true;
}

void add_forces(const ShownForces& forces, RunTotals& totals) {
  ForceTotals& t = totals.shown;
  const int solver = forces.count(ForceKind::not_minimised),
            all = solver + forces.count(ForceKind::least_norm);
  if (forces.known) ++t.steps;
  if (all > 0) ++t.not_unique_steps;
  if (solver > 0) ++t.not_minimised_steps;
  t.not_unique_max = std::max(t.not_unique_max, all);
  t.not_unique_final = all;
}

void add_step(const Model& model, const StepReport& r, RunTotals& totals) {
  if (r.status == StepStatus::stopped) {
    totals.stopped = true;
    totals.reason = r.reason;
    totals.message = r.message;
    if (!r.solves.empty()) add_worst(model, r, totals);
    return;
  }
  const bool first = totals.steps == 0;
  ++totals.steps;
  // A report without a verdict of its own has that of its status.
  const bool unjudged = r.status == StepStatus::uncertified && r.verdict.accepted();
  if (!r.verdict.solve.ok || unjudged) ++totals.uncertified_steps;
  add_verdict(r, totals.verdict);
  add_worst(model, r, totals);
  if (!r.verdict.solve.ok && !totals.worst.empty())
    totals.verdict.solve.sentence = fmt::format(
        "residual {:.2g} at '{}'", totals.worst.front().certificate, totals.worst.front().row);
  add_jamming(model, r, totals);
  add_ledger(r.ledger, first, totals);
  add_impacts(r, totals.impacts);
  add_curves(r, totals);
  if (r.coulomb_residual > totals.figures.largest.coulomb_residual)
    totals.coulomb_residual_step = r.step;
  totals.figures.add(r);
  totals.candidates_final = r.candidate_count();
  totals.candidates_max = std::max(totals.candidates_max, r.candidate_count());
  for (const SolveRecord& record : r.solved()) {
    totals.iterations += record.solution.iterations;
    totals.fallbacks += record.solution.fallbacks;
  }
  totals.solves += r.solves.size();
  totals.found_max = std::max(totals.found_max,
                              r.candidate_count() + static_cast<std::size_t>(r.filtered_contacts));
  for (const StepEvent& event : r.events) ++totals.events[static_cast<std::size_t>(event.kind)];
  totals.cpu_ms.add(1e3 * r.seconds.total);
  totals.cpu_seconds += r.seconds.total;
  totals.detect_seconds += r.seconds.detect;
  totals.solve_seconds += r.seconds.solve;
}

}  // namespace cairn::record
