// Impacts of `euler` and `relaxed` that Newton's law of one solve cannot say: they happen at the
// beginning of the step, before its forces (E229).
#include <algorithm>

#include "base/conventions.hpp"
#include "constrain/gears.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "scheme/euler/step.hpp"

namespace cairn::scheme {
namespace {

constexpr double clearly = 0x1p-40;  // of the speeds [-]

}  // namespace

bool Step::impacts_at_once() const {
  if (options.propagation == Propagation::sequential) return true;
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const Contact& c = data.contacts[i];
    if (!data.rows.terms[i].impact || c.restitution == 0) continue;
    if (c.restitution_law != RestitutionLaw::newton) return true;
    if (options.restitution_friction == RestitutionFriction::path && c.rows > 1) return true;
  }
  return false;
}

// The contacts that carried an impulse in the plastic solve collide with the velocities of the
// beginning. From there the forces act, and what has bounced keeps its speed against them: rows as
// in (E33). Leaves the answer in the last record; returns the share of these speeds that it has.
double Step::collide_at_once() {
  const int plastic = report.solves.size() - 1;
  begin_guard();
  const SolveRecord& record = report.solves[plastic];
  CollisionData& c = data.impact.collision;
  constrain::assemble_bodies(model, state.v, h, data.rows.layout, c.base);
  data.nonlinear.probe_terms.clear();
  const std::vector<Pose>& others = data.nonlinear.again ? state.poses : data.poses.end;
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    constrain::add_joint(model, keeps_rows(model.joints[i]) ? state.poses : data.poses.linear,
                         others, data.rows.layout, static_cast<JointId>(i), 0, h, c.base,
                         data.nonlinear.probe_terms, constrain::JointPoints::common);
  for (std::size_t i = 0; i < model.gears.size(); ++i)
    constrain::add_gear(model, data.poses.linear, others, data.rows.layout, i, 0, h, c.base,
                        data.nonlinear.probe_terms);
  if (data.nonlinear.again) turn_columns(c.base);
  for (std::size_t i = 0, row = 0; i < c.base.constraints.size(); ++i)
    for (int k = 0; k < c.base.constraints[i].rows; ++k)
      c.base.constraints[i].b[k] = data.nonlinear.probe_terms[row++].motion / c.base.units.speed();
  c.t = state.t + h;
  c.colliders.clear();
  data.impact.in_collision.assign(data.contacts.size(), -1);
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    if (!(record.solution.lambda[data.rows.posed.first_row_of(record.problem, i)] > 0)) continue;
    const Contact& contact = data.contacts[i];
    data.impact.in_collision[i] = static_cast<int>(c.colliders.size());
    constrain::add_contact(model, row_poses(contact), data.rows.layout, contact, options.facets,
                           data.rows.terms[i].motion, c.base);
    if (contact.rows > 1) c.base.constraints.back().law = friction.law;
    c.colliders.push_back({contact.key, contact.restitution, contact.restitution_law,
                           data.rows.terms[i].approach, data.rows.terms[i].threshold});
  }
  c.origin = record.origin;
  constrain::to_problem_velocities(model, c.base, state.v, c.v_before);
  c.warm.setZero(c.base.rows());
  resolve_impact({options.restitution_friction, options.propagation,
                  options.energy_guard != EnergyGuard::off, true, data.in.meter},
                 solver, data.solver, c, report);
  data.impact.at_once = true;
  constrain::to_model_velocities(model, c.base, c.v_after, data.v.start);
  data.free.v_explicit = data.v.start + (data.v.explicit_plain - state.v);
  apply_free_springs(model, state.poses, h, data.forces, data.free, data.v.free);

  // What is left of the step.
  const Units& units = c.base.units;
  save_slips(data.relaxed.slips);
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    if (data.impact.in_collision[i] < 0) continue;
    const std::size_t at = c.constraint_of[static_cast<std::size_t>(data.impact.in_collision[i])];
    const Constraint& row = c.base.constraints[at];
    double w[max_rows] = {};
    linear::constraint_velocity(c.base, row, c.v_after.data(), true, w);
    ContactTerms& terms = data.rows.terms[i];
    terms.rebound =
        terms.impact && data.contacts[i].restitution > 0 ? std::max(0.0, w[0] * units.speed()) : 0;
    // The relaxed law would lift what slides away; it has left already. Its row is open beyond
    // rounding, so that no impulse is needed where no force acts.
    if (terms.rebound > 0 && row.law == Law::coulomb_relaxed)
      terms.slip = slip_speed(row, w) * units.speed() * (1 + clearly) + clearly * terms.rebound;
    for (int k = 0; k < row.rows; ++k)
      terms.impulse[k] = c.impulse[c.base.first_row[at] + k] * units.impulse();
  }
  const int kept = report.solves.size();
  solve(Purpose::restitution, 1);
  if (options.energy_guard == EnergyGuard::off) return 1;

  // The speeds that are kept may put energy in only as far as the plastic step or the forces do.
  EnergyGuardData& guard = data.impact.guard;
  if (options.energy_guard == EnergyGuard::impact) {
    find_energies(last().problem, data.v.free, guard.excess);
    for (std::size_t i = 0; i < guard.allowed.size(); ++i)
      guard.allowed[i] += std::max(0.0, guard.kinetic[i] - guard.excess[i]);
  }
  if (!reduce_restitution(0)) return 1;
  restore_slips(data.relaxed.slips);
  const double rest = anything_bounces() ? 1 : 0;
  if (unsolved_group() >= 0) report.solves.roll_back(kept);
  solve(Purpose::guard, rest);
  return rest;
}

}  // namespace cairn::scheme
