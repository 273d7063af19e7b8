// Energies of the parts of a `trapezoidal` step (E180, E181): every term from its own formula, so
// that the sum rule is a test.
#include "dynamics/forces.hpp"
#include "linear/blocks.hpp"
#include "problem/mass.hpp"
#include "scheme/rows/booking.hpp"
#include "scheme/trapezoidal/trapezoidal_step.hpp"

namespace cairn::scheme {

// A smooth part from `now` to `next`. With a share below one the part ended at `trial`: work and
// friction are taken in proportion, and what the interpolant makes of the energy is the
// integrator's.
void TrapezoidalStep::add_smooth_ledger(const SolveRecord& record, double share) {
  const Problem& problem = record.problem;
  const Units& u = problem.units;
  const bool whole = share >= 1;
  Ledger part;
  d.smooth.mean = 0.5 * (d.half.v + d.smooth.v_solved);
  const VecX& mean = d.smooth.mean;
  d.smooth.v_unit = d.smooth.v_solved - d.half.v;
  const VecX& change = d.smooth.v_unit;
  const double length = d.next.t - d.now.t;
  double forces = d.forces.sum().dot(mean);
  part.work_applied = d.forces.applied.dot(mean);
  part.work_motion = d.forces.work_motion;
  for (const dynamics::SpringRow& s : d.forces.rows)
    forces -= s.elastic * dynamics::spring_rate(model, d.now.poses, s, mean) *
              dynamics::spring_rate(model, d.now.poses, s, change);
  for (std::size_t i = 0; i < d.forces.middle_rows.size(); ++i) {
    const dynamics::SpringRow& s = d.forces.middle_rows[i];
    const dynamics::FollowedRow& f = d.forces.followed[i];
    const double along = dynamics::spring_rate(model, d.forces.middle, s, mean);
    forces -= s.weight() * along * dynamics::spring_rate(model, d.forces.middle, s, change);
    const double rate = f.elastic ? f.mean : along + s.motion, drag = length * s.damping * rate;
    part.passive -= drag * rate;
    part.work_motion += (f.elastic ? f.law : drag) * s.motion;
  }
  const double potential = dynamics::potential_energy(model, d.next.poses) -
                           dynamics::potential_energy(model, d.now.poses);
  part.integrator = forces - part.work_applied - part.passive + potential - part.work_motion +
                    dynamics::kinetic_energy(model, d.next.v) -
                    dynamics::kinetic_energy(model, d.smooth.v_solved);

  // Rows: lambda . J (v + v+)/2.
  const double factor = mean_form() ? 1 : 0.5;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    double w[max_rows] = {}, before[max_rows] = {}, after[max_rows] = {};
    linear::constraint_velocity(problem, c, record.solution.v.data(), true, w);
    linear::constraint_velocity(problem, c, record.solution.v.data(), false, after);
    for (std::size_t side = 0; side < max_sides; ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& b = problem.bodies[static_cast<std::size_t>(c.body[side])];
      const Body& body = model.bodies[static_cast<std::size_t>(b.model_body)];
      const int linear = b.size - (body.rotation == RotationKind::none  ? 0
                                   : body.rotation == RotationKind::one ? 1
                                                                        : 3);
      double v[max_velocities];
      for (int k = 0; k < b.size; ++k)
        v[k] = d.half.v[b.first + k] * (k < linear ? 1 / u.speed() : u.time);
      linear::add_product(c.J[side], c.rows, b.size, v, before);
    }
    for (int k = 0; k < c.rows; ++k) {
      RowTerms terms = d.smooth.posed.of(problem, i)[k];
      terms.correction *= factor;
      const double impulse = record.solution.lambda[problem.first_row[i] + k] * u.impulse();
      const double rate = 0.5 * (before[k] + after[k]) * u.speed() + terms.motion;
      const double residual = 0.5 * w[k] * u.speed();
      book(c, k, terms, {rate, residual}, impulse, part);
      // What the impulse did at the mean velocity beyond the solver's residual and the correction.
      if (!rubs(c, k)) part.integrator += impulse * (rate - residual + terms.correction);
    }
  }

  Ledger& sum = report.ledger;
  const double scale = whole ? 1 : share;
  sum.work_applied += scale * part.work_applied;
  sum.work_motion += scale * part.work_motion;
  sum.friction += scale * part.friction;
  sum.stabilisation += scale * part.stabilisation;
  sum.solver += scale * part.solver;
  sum.passive += scale * part.passive;
  if (whole) {
    sum.integrator += part.integrator;
    return;
  }
  const double energy = dynamics::kinetic_energy(model, d.trial.v) -
                        dynamics::kinetic_energy(model, d.now.v) +
                        dynamics::potential_energy(model, d.trial.poses) -
                        dynamics::potential_energy(model, d.now.poses);
  sum.integrator += energy - scale * (part.work_applied + part.work_motion - part.friction +
                                      part.stabilisation + part.solver + part.passive);
}

// An impact: lambda . J (v- + v+)/2.
void TrapezoidalStep::add_impact_ledger(const SolveRecord& record, const VecX& before,
                                        const VecX& after) {
  const Problem& problem = record.problem;
  const Units& u = problem.units;
  d.smooth.mean = 0.5 * (before + after);
  for (const Body& body : model.bodies) {
    const int angular = body.rotation == RotationKind::none  ? 0
                        : body.rotation == RotationKind::one ? 1
                                                             : 3;
    for (int k = 0; k < body.velocities; ++k)
      d.smooth.mean[body.first_velocity + k] *=
          k < body.velocities - angular ? 1 / u.speed() : u.time;
  }
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    double rate[max_rows] = {};
    linear::constraint_velocity(problem, c, d.smooth.mean.data(), false, rate);
    for (int k = 0; k < c.rows; ++k) {
      const double motion = d.smooth.posed.of(problem, i)[k].motion;
      const double impulse = record.solution.lambda[problem.first_row[i] + k] * u.impulse();
      book_impact(
          c, k,
          {.motion = motion, .impulse = impulse, .work = impulse * (rate[k] * u.speed() + motion)},
          report.ledger);
    }
  }
}

}  // namespace cairn::scheme
