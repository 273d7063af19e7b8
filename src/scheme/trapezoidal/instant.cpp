// The forces of contacts at one instant of a step of `trapezoidal` (E184): a problem of a length
// that is short beside the step, in the increments of the velocities. Its answer tells in which
// mode each contact is (E176, E185).
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "scheme/euler/step.hpp"
#include "scheme/trapezoidal/trapezoidal_step.hpp"

namespace cairn::scheme {

// The same step with buffers of its own, so that looking does not disturb what is looked at.
TrapezoidalStep TrapezoidalStep::probe() {
  return {model, options, solver, h, data, report, data.memory<TrapezoidalMemory>().instant};
}

// J v + prescribed motion of all joint rows in a phase, in the problem's units.
void TrapezoidalStep::joint_rates(const Phase& phase, Side side, std::vector<double>& rates) {
  Problem& problem = d.search.trial_record.problem;
  constrain::assemble_bodies(model, phase.v, h, d.smooth.layout, problem);
  set_window(phase.t, side);
  add_joints(phase.poses, d.search.window[0], d.search.window[1], window(), problem);
  constrain::to_problem_velocities(model, problem, phase.v, d.smooth.v_ahead);
  rates.clear();
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    double w[max_rows] = {};
    linear::constraint_velocity(problem, problem.constraints[i], d.smooth.v_ahead.data(), false, w);
    for (int k = 0; k < problem.constraints[i].rows; ++k)
      rates.push_back(w[k] + d.smooth.posed.of(problem, i)[k].motion / problem.units.speed());
  }
}

// Velocity of b relative to a at a contact, before or after the moment of the phase [m/s].
Vec3 TrapezoidalStep::velocity_at(const Contact& c, const Phase& phase, Side side) {
  set_window(phase.t, side);
  Vec3 velocity = motion_of(c, phase.poses);
  for (int axis = 0; axis < 3; ++axis)
    velocity[axis] += relative_velocity(model, phase.poses, c, Vec3::Unit(axis), phase.v);
  return velocity;
}

// How fast the velocity along the rows of a contact changes over the problem although no
// force acts: by the turning of normal and lever arms and the acceleration of prescribed bodies
// [m/s].
Vec3 TrapezoidalStep::turning_rate(const ContactKey& key) {
  Contact from, to;
  if (!contact_at(key, d.now.poses, from) || !contact_at(key, d.next.poses, to))
    return Vec3::Zero();
  const Vec3 a = velocity_at(from, d.now, Side::right), b = velocity_at(to, d.next, Side::left);
  return {to.n_W.dot(b) - from.n_W.dot(a), to.t1_W.dot(b) - from.t1_W.dot(a),
          to.stretch * to.t2_W.dot(b) - from.stretch * from.t2_W.dot(a)};
}

// (E184): the phase is d.now, the contacts are d.candidates and d.search.modes their modes.
void TrapezoidalStep::solve_instant(double length, SolveRecord& record) {
  Problem& problem = record.problem;
  dynamics::evaluate_impulses(model, d.now.poses, d.now.v, d.now.t, length, data.forces.external,
                              false, d.forces);
  drift_bodies(model, d.now, length / 2, d.half);
  drift_bodies(model, d.now, length, d.next);
  constrain::assemble_bodies(model, d.now.v, h, d.smooth.layout, problem);
  add_implicit_terms(problem);
  problem.k = d.smooth.mean;  // increments: the impulses of the forces alone
  if (!model.joints.empty()) {
    joint_rates(d.now, Side::right, d.search.rates_now);
    joint_rates(d.next, Side::left, d.search.rates_next);
  }
  add_joints(d.half.poses, d.now.poses, d.next.poses, length, problem);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    for (int k = 0; k < problem.constraints[i].rows; ++k) {
      const auto row = static_cast<std::size_t>(problem.first_row[i] + k);
      problem.constraints[i].b[k] = d.search.rates_next[row] - d.search.rates_now[row];
      d.smooth.posed.terms(row) = {.carried = problem.constraints[i].b[k] * problem.units.speed()};
    }
  d.touching.clear();
  for (std::size_t i = 0; i < d.candidates.size(); ++i) {
    Contact c;
    if (!contact_at(d.candidates[i].key, d.half.poses, c)) c = d.candidates[i];
    Vec3 b = turning_rate(c.key);
    // What slides keeps its velocity; of one that slides on an edge of a polygon, along the edge,
    // only the part across.
    const Vec3 slip = velocity_at(c, d.half, Side::right);
    const ContactBasis& basis = d.search.modes[i];
    if (basis.mode == ContactBasis::Mode::slip) {
      b[1] = c.t1_W.dot(slip);
      b[2] = c.stretch * c.t2_W.dot(slip);
    } else if (basis.mode == ContactBasis::Mode::edge) {
      const double x = c.t1_W.dot(slip), y = c.stretch * c.t2_W.dot(slip);
      const Vec3 e = edge_direction(corners(c), basis.vertices);
      const double along = e[1] * b[1] + e[2] * b[2] - e[1] * x - e[2] * y;
      b[1] = x + along * e[1];
      b[2] = y + along * e[2];
    }
    constrain::add_contact(model, d.half.poses, d.smooth.layout, c, options.facets, b, problem);
    d.smooth.posed.add_contact(problem);
    for (int k = 0; k < c.rows; ++k) d.smooth.posed.add({.carried = b[k]});
    d.touching.push_back(c);
  }
  finish_solve(record);
}

}  // namespace cairn::scheme
