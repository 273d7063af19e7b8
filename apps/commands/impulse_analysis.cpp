#include "commands/impulse_analysis.hpp"

#include <cmath>
#include <fmt/format.h>

#include "base/index.hpp"
#include "problem/reduced_view.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

template <class T>
void take(Result<T> result, std::optional<T>& to, Errors& errors) {
  if (result)
    to = std::move(*result);
  else
    errors = std::move(result.error());
}

// The functions of cairn/solution_set.hpp, on either kind of problem.
struct Answered {
  const Attempt& a;
  auto rank(const Problem& p) const { return active_rank(p, a.v, a.lambda); }
  auto rank(const ReducedProblem& p) const { return active_rank(p, a.lambda); }
  auto least(const Problem& p) const { return cairn::least_norm(p, a.v, a.lambda); }
  auto least(const ReducedProblem& p) const { return cairn::least_norm(p, a.lambda); }
  auto intervals(const Problem& p) const { return impulse_intervals(p, a.v, a.lambda); }
  auto intervals(const ReducedProblem& p) const { return impulse_intervals(p, a.lambda); }
  auto jamming(const Problem& p) const { return find_jamming(p, a.v, a.lambda); }
  auto jamming(const ReducedProblem& p) const { return find_jamming(p, a.lambda); }
};

const std::vector<int>& first_rows(const problem::AnyProblem& problem) {
  return std::visit([](const auto& p) -> const std::vector<int>& { return p.first_row; }, problem);
}

std::string listed(const problem::AnyProblem& problem, const std::vector<int>& constraints) {
  std::string text;
  for (const int i : constraints)
    text += (text.empty() ? "" : ", ") + printable(constraint_name(problem, base::at(i)));
  return text;
}

std::string rank_line(const ActiveRank& rank) {
  return fmt::format("rank         {} of {} active rows: {}\n", rank.rank, rank.rows,
                     rank.degree() == 0
                         ? std::string("the impulses are unique")
                         : fmt::format("statically indeterminate, degree {}", rank.degree()));
}

std::string least_norm_line(const ImpulseAnalysis& analysis) {
  const LeastNorm& least = *analysis.least_norm;
  return fmt::format("least norm   {:.6g} (of the solver's {:.6g}), worst residual {:.2e}{}\n",
                     least.norm, least.norm_before, least.certificate.worst,
                     analysis.taken  ? ""
                     : least.reached ? ", NOT TAKEN: the tolerance is missed"
                                     : ", NOT TAKEN: not reached for all bodies");
}

constexpr const char* row_names[] = {"n", "t1", "t2"};

std::string interval_table(const problem::AnyProblem& problem, const ImpulseAnalysis& analysis) {
  const ImpulseIntervals& found = *analysis.intervals;
  const auto* full = std::get_if<Problem>(&problem);
  const double unit = full ? full->units.impulse() : 1;
  std::size_t width = 10;
  for (std::size_t i = 0; i < found.rank.activity.size(); ++i)
    width = std::max(width, printable(constraint_name(problem, i)).size());
  std::string text = fmt::format(
      "intervals    {}\n  {:<{}} {:<8} {:<3} {:>13} {:>13} {:>13}{}\n",
      found.unique ? "of no width: the impulses are unique" : "of the impulses over all solutions",
      "constraint", width, "activity", "row", "min", "here", "max", full ? "  [N s]" : "");
  const std::vector<int>& first = first_rows(problem);
  for (std::size_t i = 0; i < found.rank.activity.size(); ++i) {
    if (found.rank.activity[i] == Activity::open) continue;
    for (int k = first[i]; k < first[i + 1]; ++k) {
      const Interval& row = found.rows[base::at(k)];
      text += fmt::format(
          "  {:<{}} {:<8} {:<3} {:>13.6g} {:>13.6g} {:>13.6g}{}\n",
          k == first[i] ? printable(constraint_name(problem, i)) : "", width,
          k == first[i] ? name(found.rank.activity[i]) : "", row_names[k - first[i]], unit * row.lo,
          unit * analysis.lambda[k], unit * row.hi,
          row.gap > 1e-9 * (row.hi - row.lo) ? fmt::format("  ends known to {:.1e}", unit * row.gap)
                                             : "");
    }
  }
  return text;
}

std::string numbers(const double* x, int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += fmt::format(" {:>13.6g}", x[k]);
  return text;
}

std::string body_name(int body) {
  return body < 0 ? "the world" : fmt::format("body {}", body);
}

std::string resultant_table(const Problem& problem, const ImpulseIntervals& found) {
  std::string text = "resultants   of all constraints on each body, the same in every solution\n";
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    text += fmt::format(
        "  {:<22}{}\n", body_name(static_cast<int>(i)),
        numbers(found.resultant.data() + problem.bodies[i].first, problem.bodies[i].size));
  for (const PairResultant& pair : found.pairs) {
    const int felt = pair.body[1] >= 0 ? pair.body[1] : pair.body[0];
    const int other = felt == pair.body[1] ? pair.body[0] : pair.body[1];
    text += fmt::format("  {:<22}{}{}\n", body_name(other) + " on " + body_name(felt),
                        numbers(pair.impulse.data(), problem.bodies[base::at(felt)].size),
                        pair.unique ? "" : "  not unique");
  }
  return text;
}

std::string jamming_lines(const problem::AnyProblem& problem, const Jamming& jamming) {
  if (jamming.pointed())
    return std::isinf(jamming.margin)
               ? std::string("jamming      none: nothing touches\n")
               : fmt::format("jamming      none: the friction cone is pointed, margin {:.3g}\n",
                             jamming.margin);
  std::string text = "jamming      THE FRICTION CONE IS NOT POINTED\n";
  for (const SelfStress& stress : jamming.stresses) {
    std::string bodies;
    for (const int body : stress.bodies) bodies += (bodies.empty() ? "" : ", ") + body_name(body);
    text += fmt::format("  can be wedged{}{} by {}\n", bodies.empty() ? "" : ": ", bodies,
                        listed(problem, stress.constraints));
  }
  if (jamming.redundant_rows > 0)
    text += fmt::format("  {} rows of equalities say what others say already\n",
                        jamming.redundant_rows);
  return text;
}

// ---- JSON -----------------------------------------------------------------------------------

Json interval_json(const problem::AnyProblem& problem, const ImpulseIntervals& found) {
  Json list = Json::array();
  const std::vector<int>& first = first_rows(problem);
  for (std::size_t i = 0; i < found.rank.activity.size(); ++i) {
    std::vector<double> lo, hi, gap;
    bool unique = true;
    for (int k = first[i]; k < first[i + 1]; ++k) {
      lo.push_back(found.rows[base::at(k)].lo);
      hi.push_back(found.rows[base::at(k)].hi);
      gap.push_back(found.rows[base::at(k)].gap);
      unique = unique && found.rows[base::at(k)].unique;
    }
    list.push_back({{"name", constraint_name(problem, i)},
                    {"activity", name(found.rank.activity[i])},
                    {"min", lo},
                    {"max", hi},
                    {"gap", gap},
                    {"unique", unique}});
  }
  return list;
}

Json resultant_json(const Problem& problem, const ImpulseIntervals& found) {
  Json bodies = Json::array(), pairs = Json::array();
  const auto list = [](const double* x, int n) { return std::vector<double>(x, x + n); };
  for (const ProblemBody& body : problem.bodies)
    bodies.push_back(list(found.resultant.data() + body.first, body.size));
  for (const PairResultant& pair : found.pairs)
    pairs.push_back(
        {{"bodies", pair.body},
         {"constraints", pair.constraints},
         {"impulse",
          list(pair.impulse.data(),
               problem.bodies[base::at(pair.body[1] >= 0 ? pair.body[1] : pair.body[0])].size)},
         {"unique", pair.unique}});
  return {{"bodies", bodies}, {"pairs", pairs}};
}

Json jamming_json(const problem::AnyProblem& problem, const Jamming& jamming) {
  Json stresses = Json::array();
  for (const SelfStress& stress : jamming.stresses) {
    std::vector<std::string> names;
    for (const int i : stress.constraints) names.push_back(constraint_name(problem, base::at(i)));
    stresses.push_back(
        {{"constraints", names},
         {"bodies", stress.bodies},
         {"lambda", std::vector<double>(stress.lambda.begin(), stress.lambda.end())}});
  }
  return {{"pointed", jamming.pointed()},
          {"margin", jamming.margin},
          {"redundant_rows", jamming.redundant_rows},
          {"stresses", stresses}};
}

}  // namespace

std::string constraint_name(const problem::AnyProblem& problem, std::size_t constraint) {
  if (const auto* full = std::get_if<Problem>(&problem)) return full->names[constraint];
  return cairn::problem::constraint_name(std::get<ReducedProblem>(problem),
                                         static_cast<int>(constraint));
}

bool asks_for_analysis(const SolveOptions& options) {
  return options.rank || options.least_norm || options.intervals || options.jamming;
}

ImpulseAnalysis analyse(const problem::AnyProblem& problem, const SolveOptions& options,
                        Attempt& answer) {
  ImpulseAnalysis result;
  const Answered ask{answer};
  if (options.jamming && answer.certificate.finite)
    take(std::visit([&](const auto& p) { return ask.jamming(p); }, problem), result.jamming,
         result.errors);
  // Velocities that do not hold say nothing about what may push; numbers that overflow, nothing.
  result.skipped = !answer.certified() && (options.rank || options.least_norm ||
                                           options.intervals || !answer.certificate.finite);
  if (result.skipped) return result;
  if (options.rank)
    take(std::visit([&](const auto& p) { return ask.rank(p); }, problem), result.rank,
         result.errors);
  if (options.intervals)
    take(std::visit([&](const auto& p) { return ask.intervals(p); }, problem), result.intervals,
         result.errors);
  if (options.least_norm)
    take(std::visit([&](const auto& p) { return ask.least(p); }, problem), result.least_norm,
         result.errors);
  if (result.least_norm && result.least_norm->reached &&
      result.least_norm->certificate.within(tolerance(answer.solver))) {
    result.taken = true;
    answer.lambda = result.least_norm->lambda;
    answer.certificate = result.least_norm->certificate;
    const int worst = answer.certificate.worst_constraint;
    if (worst >= 0) answer.worst_row = constraint_name(problem, base::at(worst));
  }
  result.lambda = answer.lambda;
  return result;
}

std::string as_text(const problem::AnyProblem& problem, const ImpulseAnalysis& analysis) {
  std::string text;
  if (analysis.skipped) text += "impulses     not analysed: the solution is not certified\n";
  if (analysis.rank) text += rank_line(*analysis.rank);
  if (analysis.least_norm) text += least_norm_line(analysis);
  if (analysis.intervals) {
    if (!analysis.rank) text += rank_line(analysis.intervals->rank);
    text += interval_table(problem, analysis);
    if (const auto* full = std::get_if<Problem>(&problem))
      text += resultant_table(*full, *analysis.intervals);
  }
  if (analysis.jamming) text += jamming_lines(problem, *analysis.jamming);
  return text;
}

void add_analysis(const problem::AnyProblem& problem, const ImpulseAnalysis& analysis, Json& json) {
  const ActiveRank* rank = analysis.rank        ? &*analysis.rank
                           : analysis.intervals ? &analysis.intervals->rank
                                                : nullptr;
  if (rank) json["rank"] = {{"rows", rank->rows}, {"rank", rank->rank}, {"degree", rank->degree()}};
  if (analysis.least_norm)
    json["least_norm"] = {{"norm", analysis.least_norm->norm},
                          {"norm_before", analysis.least_norm->norm_before},
                          {"worst", analysis.least_norm->certificate.worst},
                          {"taken", analysis.taken}};
  if (analysis.intervals) {
    json["unique"] = analysis.intervals->unique;
    json["intervals"] = interval_json(problem, *analysis.intervals);
    if (const auto* full = std::get_if<Problem>(&problem))
      json["resultants"] = resultant_json(*full, *analysis.intervals);
  }
  if (analysis.jamming) json["jamming"] = jamming_json(problem, *analysis.jamming);
}

}  // namespace cairn::app
