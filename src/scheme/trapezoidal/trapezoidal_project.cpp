// Onto the joints after each part of a `trapezoidal` step (E168), and who pays for that and for the
// correction of gaps (E169).
#include <algorithm>
#include <cmath>

#include "dynamics/forces.hpp"
#include "dynamics/middle_rows.hpp"
#include "model/dof.hpp"
#include "scheme/common/stop.hpp"
#include "scheme/trapezoidal/trapezoidal_step.hpp"

namespace cairn::scheme {
// What this does to the energy is of third order and stands in the ledger. `share`: how much of the
// part that the record is for has passed.
void TrapezoidalStep::project(Phase& phase, const SolveRecord& record, double share) {
  const bool joints = options.projection && !model.joints.empty();
  const bool corrects = !limited && d.smooth.posed.corrects();
  const bool springs = !limited && share == 1 && !d.forces.followed.empty();
  if (!joints && !corrects && !springs) return;
  d.smooth.before_projection = phase.poses;
  const double before =
      dynamics::potential_energy(model, phase.poses) + dynamics::kinetic_energy(model, phase.v);
  if (joints && !constrain::project_onto_joints(model, data.positions.projection, phase.poses))
    stopped = open_joints(model, d.begin.poses, phase.poses);
  problem::find_islands(record.problem, data.islands);
  data.positions.payment.island_work.assign(static_cast<std::size_t>(data.islands.count), 0.0);
  if (corrects) add_correction_work(record, share);
  data.positions.payment.work.assign(model.bodies.size(), 0.0);
  if (springs) add_spring_work(phase.poses);
  pay_for_projection(phase, record.problem, springs);
  // (E746): springs follow the projection.
  const double closing = joints ? dynamics::spring_energy(model, phase.poses) -
                                      dynamics::spring_energy(model, d.smooth.before_projection)
                                : 0;
  const double work = dynamics::potential_energy(model, phase.poses) +
                      dynamics::kinetic_energy(model, phase.v) - before - closing;
  report.ledger.integrator += closing;
  report.ledger.stabilisation += work;
  report.projection_work += work;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Pose &from = d.smooth.before_projection[i], &to = phase.poses[i];
    report.projection = std::max(report.projection, (to.p - from.p).norm());
    report.projection_angle = std::max(report.projection_angle, to.R.angularDistance(from.R));
  }
}

// What springs added to the energy of the part from `next` to `now`, which have changed places, and
// end with the joints closed (E462, E746).
void TrapezoidalStep::add_spring_work(std::span<const Pose> closed) {
  const dynamics::MiddleMoment moment{model, d.next.poses, d.next.v, d.next.t, d.now.t - d.next.t};
  d.smooth.mean = 0.5 * (d.half.v + d.smooth.v_solved);
  for (const dynamics::FollowedRow& f : d.forces.followed) {
    const double work = dynamics::energy_defect(moment, closed, d.smooth.mean, d.forces, f);
    for (const BodyId id : model.springs[f.spring].bodies) {
      if (id == BodyId::world || model.body(id).velocities == 0) continue;
      const int body = d.smooth.layout.body[index(id)];
      data.positions.payment.island_work[static_cast<std::size_t>(
          data.islands.of_body[static_cast<std::size_t>(body)])] += work;
      data.positions.payment.work[index(id)] += work;
      break;
    }
  }
}

// The impulses of contacts times the speeds with which gaps are corrected.
void TrapezoidalStep::add_correction_work(const SolveRecord& record, double share) {
  const Problem& problem = record.problem;
  const double factor = share * (mean_form() ? 1 : 0.5) * problem.units.impulse();
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    if (!pushes(c.key.role)) continue;
    const int body = *std::max_element(c.body.begin(), c.body.end());
    const int island = data.islands.of_body[static_cast<std::size_t>(body)];
    data.positions.payment.island_work[static_cast<std::size_t>(island)] -=
        factor * record.solution.lambda[problem.first_row[i]] *
        d.smooth.posed.of(problem, i)->correction;
  }
}

void TrapezoidalStep::find_turned(const Problem& problem) {
  constexpr double no_lever = 0x1p-40;  // columns of directions that are rounding [-]
  d.smooth.turned.assign(model.bodies.size(), 0);
  for (const Constraint& c : problem.constraints)
    for (std::size_t side = 0; side < max_sides; ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& b = problem.bodies[static_cast<std::size_t>(c.body[side])];
      const auto i = static_cast<std::size_t>(b.model_body);
      for (int r = 0; r < c.rows; ++r)
        for (int k = model::translation_count(model.bodies[i]); k < b.size; ++k)
          if (std::abs(c.J[side][r][k]) > no_lever) d.smooth.turned[i] = 1;
    }
}

// (E169): the work, and that of the projection against gravity, is taken from the kinetic energy of
// the island, or returned to it, all velocities by one factor, so that energy does not drift. Where
// the bodies hardly move the factor would be far from one: the ledger then shows the difference.
// Islands that nothing holds keep their momenta, and pay from the motion within them; nor does the
// spin of a body that no row turns. What springs gain is paid as far as the energy suffices (E642).
void TrapezoidalStep::pay_for_projection(Phase& phase, const Problem& problem, bool springs) {
  find_turned(problem);
  data.positions.payment.island_kinetic.assign(data.positions.payment.island_work.size(), 0.0);
  static constexpr double rest[6] = {};
  data.nonlinear.isolated.begin(model);
  for (const Contact& c : d.touching)
    data.nonlinear.isolated.join(model, c.key.body_a, c.key.body_b);
  data.nonlinear.isolated.spread();
  data.v.moved = phase.v;
  auto island_of = [&](std::size_t body) {
    const int in_problem = d.smooth.layout.body[body];
    return static_cast<std::size_t>(data.islands.of_body[static_cast<std::size_t>(in_problem)]);
  };
  auto paying = [&](std::size_t body) {
    const Body& b = model.bodies[body];
    return d.smooth.turned[body] ? b.velocities : model::translation_count(b);
  };
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0) continue;
    const std::size_t island = island_of(i);
    data.positions.payment.island_work[island] -=
        body.mass * model.gravity.dot(phase.poses[i].p - d.smooth.before_projection[i].p);
    double v[6] = {};
    std::copy_n(phase.v.data() + body.first_velocity, paying(i), v);
    data.positions.payment.island_kinetic[island] += dynamics::mass_norm(body, v, rest);
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0 || !data.nonlinear.isolated.held(i)) continue;
    const double work = data.positions.payment.island_work[island_of(i)],
                 kinetic = data.positions.payment.island_kinetic[island_of(i)];
    // Parts of first order have projections of first order, and springs that gain pay in full: as
    // in E39.
    const bool gains = (springs || limited) && work > 0 && work < kinetic;
    const bool pays = limited ? gains : gains || std::abs(work) <= payable * kinetic;
    if (work == 0 || !pays) continue;
    const double factor = std::sqrt(1 - work / kinetic);
    report.projection_slowing = std::min(report.projection_slowing, std::min(factor, 2 - factor));
    phase.v.segment(body.first_velocity, paying(i)) *= factor;
  }
  // (E425, E426), with the work of springs (E642).
  const double slowing = data.positions.free_groups.keep_momentum(
      model, data.nonlinear.isolated, d.smooth.before_projection, data.v.moved, phase.poses,
      GroupPayment::both, phase.v, data.positions.payment.work);
  report.projection_slowing = std::min(report.projection_slowing, slowing);
}

}  // namespace cairn::scheme
