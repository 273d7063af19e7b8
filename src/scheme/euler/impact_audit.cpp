// The energies of the impacts that a step of `euler` or `relaxed` solved together with its forces
// (E228).
#include <algorithm>

#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "scheme/euler/step.hpp"

namespace cairn::scheme {
namespace {

// The solve before the guard reduced the restitution; null: it did not.
const SolveRecord* unguarded(const StepReport& report) {
  if (report.guard_corrections == 0) return nullptr;
  for (const SolveRecord& record : report.solved())
    if (record.purpose == SolveRecord::Purpose::restitution) return &record;
  return nullptr;
}

}  // namespace

// Contacts that collided by their island, over the whole step: what forces, joints and other
// contacts do meanwhile is `other`.
void Step::audit_impacts() {
  if (data.impact.at_once) return;
  const bool any = std::any_of(data.rows.terms.begin(), data.rows.terms.end(),
                               [](const ContactTerms& t) { return t.impact || t.delayed < 0; });
  if (!any) return;
  const SolveRecord& record = last();
  const Problem& problem = record.problem;
  const Units& u = problem.units;
  const SolveRecord* full = unguarded(report);
  problem::find_islands(problem, data.islands);
  constrain::to_problem_velocities(model, problem, data.v.start, data.v.audit);
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const ContactTerms& terms = data.rows.terms[i];
    const std::size_t at = data.rows.posed.constraint_of(i);
    const Constraint& c = problem.constraints[at];
    const double* lambda = record.solution.lambda.data() + problem.first_row[at];
    const int island = data.islands.of_constraint[at];
    if (!(terms.impact || terms.delayed < 0) || !(lambda[0] > 0) || island < 0) continue;
    double from[max_rows] = {}, to[max_rows] = {}, work[2] = {};
    linear::constraint_velocity(problem, c, data.v.audit.data(), false, from);
    linear::constraint_velocity(problem, c, record.solution.v.data(), false, to);
    for (int k = 0; k < c.rows; ++k)
      work[k > 0] +=
          lambda[k] * u.energy() * (0.5 * (from[k] + to[k]) + terms.motion[k] / u.speed());
    ImpactReport& out = report.impacts.emplace_back();
    out.contact = data.contacts[i].key;
    out.t = state.t + h;
    out.approach = terms.approach;
    out.rebound = to[0] * u.speed() + terms.motion[0];
    out.law = data.contacts[i].restitution_law;
    out.restitution = data.contacts[i].restitution;
    out.lost_restitution = std::max(0.0, -work[0]);
    out.lost_friction = std::max(0.0, -work[1]);
    out.put_in = std::max(0.0, work[0]) + std::max(0.0, work[1]);
    out.group = island;
  }
  // Kinetic energies need the masses alone, without implicit springs.
  const Problem& masses = data.forces.springs.implicit() ? data.free.plain : problem;
  // Groups are numbered in the order in which they appear.
  for (std::size_t i = 0, groups = 0; i < report.impacts.size(); ++i) {
    const int island = report.impacts[i].group;
    if (island < 0) continue;
    const double before = island_energy(masses, data.islands, island, data.v.audit),
                 after = island_energy(masses, data.islands, island, record.solution.v);
    const double guard =
        full ? std::max(0.0, island_energy(masses, data.islands, island, full->solution.v) - after)
             : 0;
    double listed = 0;
    for (std::size_t k = i; k < report.impacts.size(); ++k)
      if (const ImpactReport& r = report.impacts[k]; r.group == island)
        listed += r.put_in - r.lost_restitution - r.lost_friction;
    for (std::size_t k = i; k < report.impacts.size(); ++k) {
      ImpactReport& r = report.impacts[k];
      if (r.group != island) continue;
      r.kinetic_before = before;
      r.kinetic_after = after;
      r.other = after - before - listed;
      r.guard = guard;
      r.group = -1 - static_cast<int>(groups);
    }
    ++groups;
  }
  for (ImpactReport& r : report.impacts) r.group = -1 - r.group;
}

}  // namespace cairn::scheme
