// The energy ledger of a step (E20 to E24): every term from its own formula, so that the sum rule
// is a test.
#include <algorithm>

#include "base/conventions.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "problem/islands.hpp"
#include "scheme/common/report.hpp"
#include "scheme/euler/step_data.hpp"
#include "scheme/rows/booking.hpp"

namespace cairn::scheme {
namespace {

struct Row {
  Vec3 impulse = Vec3::Zero();   // [N s]
  Vec3 velocity = Vec3::Zero();  // w [m/s]
};

Row physical_row(const SolveRecord& record, std::size_t constraint) {
  CAIRN_DCHECK(constraint < record.problem.constraints.size(), constraint);
  CAIRN_DCHECK(record.solution.lambda.size() == record.problem.rows(),
               record.solution.lambda.size());
  const Problem& p = record.problem;
  const Constraint& c = p.constraints[constraint];
  double w[max_rows] = {};
  linear::constraint_velocity(p, c, record.solution.v.data(), true, w);
  Row row;
  for (int k = 0; k < c.rows; ++k) {
    row.impulse[k] = record.solution.lambda[p.first_row[constraint] + k] * p.units.impulse();
    row.velocity[k] = w[k] * p.units.speed();
  }
  return row;
}

// -1/2 |v+ - v|^2 of the bodies: lost in impacts where the island had one, the integrator's own
// elsewhere.
void add_jumps(const Model& model, StepData& data, const SolveRecord& record, Ledger& ledger) {
  problem::find_islands(record.problem, data.islands);
  data.impact.hit.assign(static_cast<std::size_t>(data.islands.count), 0);
  for (std::size_t i = 0; i < data.contacts.size(); ++i)
    if (data.rows.terms[i].impact)
      data.impact.hit[static_cast<std::size_t>(
          data.islands.of_constraint[data.rows.posed.constraint_of(i)])] = 1;
  for (std::size_t i = 0; i < record.problem.bodies.size(); ++i) {
    const ProblemBody& b = record.problem.bodies[i];
    const Body& body = model.bodies[static_cast<std::size_t>(b.model_body)];
    const double jump =
        dynamics::mass_norm(body, data.v.solved.data() + b.first, data.v.start.data() + b.first);
    if (data.impact.hit[static_cast<std::size_t>(data.islands.of_body[i])])
      ledger.impact += jump;
    else
      ledger.integrator -= jump;
  }
}

}  // namespace

// Calls add(constraint, work) for what motors and prescribed motion do through constraints.
template <class Add>
static void each_work_of_motion(const StepData& data, const SolveRecord& record, const Add& add) {
  const Problem& problem = record.problem;
  const double unit = problem.units.impulse();
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    const RowTerms* terms = data.rows.posed.of(problem, i);
    const double* lambda = record.solution.lambda.data() + problem.first_row[i];
    if (!is_of_contact(c.key.role)) {
      for (int r = 0; r < c.rows; ++r) {
        const double impulse = lambda[r] * unit, of_motion = -impulse * terms[r].motion;
        const bool motor = c.key.role == Role::drive;
        add(i, motor ? of_motion + impulse * (physical_row(record, i).velocity[0] + terms[r].target)
                     : of_motion);
      }
      continue;
    }
    Vec3 impulse = Vec3::Zero(), motion = Vec3::Zero();
    for (int r = 0; r < c.rows; ++r) {
      impulse[r] = lambda[r] * unit;
      motion[r] = terms[r].motion;
    }
    if (motion != Vec3::Zero()) add(i, -impulse.dot(motion));
  }
}

double work_of_motion(const StepData& data, const SolveRecord& record) {
  double work = 0;
  each_work_of_motion(data, record, [&](std::size_t, double part) { work += part; });
  return work;
}

void work_of_motion(const StepData& data, const SolveRecord& record,
                    const problem::Islands& islands, std::vector<double>& work) {
  work.assign(static_cast<std::size_t>(islands.count), 0);
  each_work_of_motion(data, record, [&](std::size_t constraint, double part) {
    const int island = islands.of_constraint[constraint];
    if (island >= 0) work[static_cast<std::size_t>(island)] += part;
  });
}

Ledger make_ledger(const Model& model, const State& start, double h, StepData& data,
                   const SolveRecord& record) {
  CAIRN_DCHECK(data.rows.terms.size() == data.contacts.size(), data.rows.terms.size());
  CAIRN_DCHECK(h > 0, h);
  Ledger ledger;
  ledger.kinetic_start = dynamics::kinetic_energy(model, start.v);
  ledger.potential_start = dynamics::potential_energy(model, start.poses);
  ledger.kinetic_end = dynamics::kinetic_energy(model, data.v.end);
  ledger.potential_end = dynamics::potential_energy(model, data.poses.end);
  const double turning_start = constrain::rotor_energy(model, start.poses, start.v),
               turning_end = constrain::rotor_energy(model, data.poses.end, data.v.end);
  ledger.kinetic_start += turning_start;
  ledger.kinetic_end += turning_end;
  ledger.integrator += turning_end - turning_start;
  ledger.work_applied = h * data.forces.applied.dot(data.v.solved);
  const dynamics::SpringWork springs =
      dynamics::spring_work(model, start.poses, data.forces.springs.rows, h, data.v.solved);
  ledger.passive = springs.passive;
  ledger.work_motion = springs.motion;

  for (std::size_t i = 0; i < record.problem.constraints.size(); ++i) {
    const Constraint& c = record.problem.constraints[i];
    const RowTerms* terms = data.rows.posed.of(record.problem, i);
    const Row row = physical_row(record, i);
    // The relaxed law asks for the gap that the bodies slide at (E91).
    const double opening = c.law == Law::coulomb_relaxed ? slip_speed(c, row.velocity.data()) : 0;
    for (int k = 0; k < c.rows; ++k)
      book(c, k, terms[k], {row.velocity[k] + terms[k].target, row.velocity[k], opening},
           row.impulse[k], ledger);
  }
  ledger.stabilisation += data.positions.projection_work;
  add_jumps(model, data, record, ledger);
  if (data.impact.at_once) add_flows(data.impact.collision.flows, ledger);

  // The potential is followed along the straight step; what it misses is the integrator's, as is
  // the gyroscopic torque.
  ledger.integrator += h * data.forces.potential.dot(data.v.solved) + springs.implicit +
                       data.positions.potential_solved - ledger.potential_start - springs.stored;
  double A[6][6];
  for (const Body& body : model.bodies) {
    if (body.rotation != RotationKind::three || body.velocities == 0) continue;
    dynamics::mass_matrix(body, A);
    const int first = body.first_velocity;
    for (int r = body.velocities - 3; r < body.velocities; ++r) {
      double gyroscopic = -h * (data.forces.potential[first + r] + data.forces.applied[first + r]);
      if (data.forces.drive.size() > 0) gyroscopic -= data.forces.drive[first + r];
      for (int c = body.velocities - 3; c < body.velocities; ++c)
        gyroscopic += A[r][c] * (data.free.v_explicit[first + c] - data.v.start[first + c]);
      ledger.integrator += data.v.solved[first + r] * gyroscopic;
    }
  }
  return ledger;
}

}  // namespace cairn::scheme
