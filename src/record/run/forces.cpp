#include "record/run/forces.hpp"

#include "base/index.hpp"
#include "cairn/solution_set.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::record {
namespace {

const Body& model_body(const Model& model, const Problem& problem, int body) {
  return model.bodies[base::at(problem.bodies[base::at(body)].model_body)];
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Who a pair's resultant acts on comes last.
std::string pair_name(const Model& model, const Problem& problem, const PairResultant& pair) {
  const int felt = pair.body[1] >= 0 ? pair.body[1] : pair.body[0];
  const int other = felt == pair.body[1] ? pair.body[0] : pair.body[1];
  const std::string from =
      other >= 0 ? model_body(model, problem, other).name : "what stands still";
  return model_body(model, problem, felt).name + " from " + from;
}

void add_contacts(const Model& model, const Problem& problem, const VecX& lambda, double newton,
                  const ImpulseIntervals& found, ForceTable& table) {
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    if (!is_unilateral(problem.constraints[i].law) || found.rank.activity[i] == Activity::open)
      continue;
    const int row = problem.first_row[i];
    const Interval& interval = found.rows[base::at(row)];
    table.unique = table.unique && interval.unique;
    table.contacts.push_back({.name = constraint_name(model, problem, static_cast<int>(i)),
                              .activity = name(found.rank.activity[i]),
                              .lo = newton * interval.lo,
                              .here = newton * lambda[row],
                              .hi = newton * interval.hi,
                              .gap = newton * interval.gap});
  }
}

void add_resultants(const Model& model, const Problem& problem, double newton,
                    const ImpulseIntervals& found, ForceTable& table) {
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const Body& body = model_body(model, problem, static_cast<int>(i));
    const VecX f =
        newton * found.resultant.segment(problem.bodies[i].first, problem.bodies[i].size);
    if (f.isZero(0)) continue;
    table.bodies.push_back({.name = body.name, .force = dynamics::linear_velocity(body, f.data())});
  }
  for (const PairResultant& pair : found.pairs) {
    const int felt = pair.body[1] >= 0 ? pair.body[1] : pair.body[0];
    VecX f = newton * Eigen::Map<const VecX>(pair.impulse.data(), max_velocities);
    table.pairs.push_back(
        {.name = pair_name(model, problem, pair),
         .force = dynamics::linear_velocity(model_body(model, problem, felt), f.data()),
         .unique = pair.unique});
    table.unique = table.unique && pair.unique;
  }
}

}  // namespace

std::vector<std::string> jammed_bodies(const Model& model, const SolveRecord& solve) {
  std::vector<std::string> texts;
  if (!solve.solution.certificate.finite) return texts;
  const Problem& problem = solve.problem;
  const Result<Jamming> jamming = find_jamming(problem, solve.solution.v, solve.solution.lambda);
  if (!jamming) return texts;
  for (const SelfStress& stress : jamming->stresses) {
    std::vector<std::string> bodies, constraints;
    for (const int i : stress.bodies) bodies.push_back(model_body(model, problem, i).name);
    for (const int i : stress.constraints)
      constraints.push_back(constraint_name(model, problem, i));
    texts.push_back("bodies " + list(bodies) + " can be wedged by " + list(constraints));
  }
  return texts;
}

ForceTable force_table(const Model& model, const StepReport& report) {
  ForceTable table;
  table.step = report.step;
  table.t = report.t;
  if (report.status != StepStatus::certified || report.solves.empty()) {
    table.refusal = report.solves.empty() ? "no problem had to be solved in the last step"
                                          : "the last step is not certified";
    return table;
  }
  // The last solve gives the velocities of the step.
  const SolveRecord& last = report.solved().back();
  const Problem& problem = last.problem;
  const Result<ImpulseIntervals> found = impulse_intervals(
      problem, last.solution.v, last.solution.lambda, IntervalOptions{.friction = false});
  if (!found) {
    table.refusal = found.error().front().what + ", got " + found.error().front().got + "; " +
                    found.error().front().allowed;
    return table;
  }
  const double newton = problem.units.impulse() / report.h;
  table.rows = found->rank.rows;
  table.rank = found->rank.rank;
  add_contacts(model, problem, last.solution.lambda, newton, *found, table);
  add_resultants(model, problem, newton, *found, table);
  table.jammed = jammed_bodies(model, last);
  return table;
}

}  // namespace cairn::record
