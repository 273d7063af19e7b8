// Restitution within the step (E33) and the energy guard (E35).
#include <algorithm>
#include <cmath>

#include "dynamics/kinematics.hpp"
#include "scheme/step.hpp"

namespace cairn {
namespace {

constexpr int max_guard_solves = 6;  // before the guard gives up restitution altogether

}  // namespace

double relative_velocity(const Model& model, std::span<const Pose> poses, const Contact& c,
                         const Vec3& direction, const VecX& v) {
  double sum = 0;
  for (const auto& [id, sign] : {std::pair{c.key.body_a, -1.0}, std::pair{c.key.body_b, 1.0}}) {
    const Body& body = model.body(id);
    const Pose& X_WC = poses[index(id)];
    const double* v_body = v.data() + body.first_velocity;
    const Vec3 velocity =
        linear_velocity(body, v_body) + angular_velocity(body, X_WC, v_body).cross(c.p_WC - X_WC.p);
    sum += sign * direction.dot(velocity);
  }
  return sum;
}

double velocity_gain(const Model& model, const Contact& c, const VecX& from, const VecX& to) {
  double gain = 0;
  for (const BodyId id : {c.key.body_a, c.key.body_b}) {
    const Body& body = model.body(id);
    const int first = body.first_velocity;
    gain = std::max(gain, (linear_velocity(body, to.data() + first) -
                           linear_velocity(body, from.data() + first))
                              .norm());
  }
  return gain;
}

// TOL of (4.10): given, or 2 h times the free acceleration along the normal; across the forces,
// where that vanishes, a thousandth of their speed gain, so that neighbours at rest do not bounce
// on rounding.
double Step::threshold(const Contact& c) const {
  if (options.restitution_threshold >= 0) return options.restitution_threshold;
  const double gain = velocity_gain(model, c, state.v, data.v_free);
  const double along = relative_velocity(model, state.poses, c, c.n_W, data.v_free) -
                       relative_velocity(model, state.poses, c, c.n_W, state.v);
  return std::max(2 * std::abs(along), 1e-3 * gain);
}

// Impacts: contacts that carry an impulse and approached faster than the threshold. True if one of
// them bounces.
bool Step::mark_impacts() {
  const SolveRecord& plastic = last();
  bool bounces = false;
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const double normal = plastic.solution.lambda[plastic.problem.first_row[data.joints() + i]];
    ContactTerms& terms = data.terms[i];
    terms.impact = normal > 0 && terms.approach < -terms.threshold;
    terms.rebound = terms.impact ? -data.contacts[i].restitution * terms.approach : 0;
    bounces = bounces || (terms.impact && data.contacts[i].restitution > 0);
  }
  return bounces;
}

// By how much a solution breaks the rule of the energy guard [J], (E35).
double Step::energy_excess(const SolveRecord& record) {
  to_model_velocities(model, record.problem, record.solution.v, data.v_end);
  const double kinetic = kinetic_energy(model, data.v_end), motion = work_of_motion(data, record);
  if (options.energy_guard == EnergyGuard::impact)
    return kinetic - kinetic_energy(model, data.v_free) - motion;
  move_bodies(record);
  return kinetic - kinetic_energy(model, state.v) + potential_energy(model, data.poses_end) -
         potential_energy(model, state.poses) - h * data.forces.applied.dot(data.v_end) -
         data.forces.work_motion - motion;
}

// (E33), and the guard (E35): less restitution until the energy rule holds, none at the last.
// Leaves the answer in the last record and returns the share of restitution that it has.
double Step::restitute() {
  const double plastic_excess = energy_excess(last());
  const std::size_t plastic = static_cast<std::size_t>(report.solve_count - 1);
  save_slips(data.slips);
  solve_with(Purpose::restitution, 1);
  if (options.energy_guard == EnergyGuard::off) return 1;
  // A perfect bounce keeps the kinetic energy: its rounding is no gain.
  const double rounding = 1e-12 * kinetic_energy(model, data.v_free);
  data.allowed_excess = std::max(0.0, plastic_excess) + rounding;
  const double allowed = data.allowed_excess, excess = energy_excess(last());
  if (excess <= allowed) return 1;

  // Energy is convex along the segment from the plastic to the restituted velocities, so the
  // chord's crossing is safe as far as the answer stays near that segment.
  report.guard_corrections = 1;
  double theta = (allowed - plastic_excess) / (excess - plastic_excess);
  for (int i = 0; i < max_guard_solves && theta > 0; ++i, theta *= 0.7) {
    solve_with(Purpose::guard, theta);
    report.guard_factor = theta;
    if (energy_excess(last()) <= allowed) return theta;
  }
  report.guard_factor = 0;
  for (ContactTerms& terms : data.terms) use_gap(terms);
  restore_slips(data.slips);
  std::swap(report.solves[plastic],
            report.solves[static_cast<std::size_t>(report.solve_count - 1)]);
  return 0;
}

// The rule once more for velocities that were linearised again after the guard had looked at them:
// what breaks it now becomes plastic. False if that does not settle either.
bool Step::guard_settled(double theta) {
  if (options.energy_guard == EnergyGuard::off || theta == 0) return true;
  if (energy_excess(last()) <= data.allowed_excess) return true;
  report.guard_corrections = 1;
  report.guard_factor = 0;
  solve_with(Purpose::guard, 0);
  return settle(0);
}

}  // namespace cairn
