// The energy ledger of a step (E20 to E24): every term from its own formula, so that the sum rule
// is a test.
#include <algorithm>

#include "base/conventions.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "problem/islands.hpp"
#include "scheme/euler/step_data.hpp"

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

void add_contact_terms(const ContactTerms& terms, const Constraint& c, const Row& row,
                       Ledger& ledger) {
  const double normal = row.impulse[0];
  // The relaxed law asks for the gap that the bodies slide at (E91).
  const double opening = c.law == Law::coulomb_relaxed ? slip_speed(c, row.velocity.data()) : 0;
  const double lift = opening - terms.slip;
  const double closing = lift > 0 ? std::max(0.0, terms.closing - lift) : terms.closing;
  ledger.solver += normal * (row.velocity[0] - opening);
  ledger.friction -= row.impulse.tail<2>().dot(row.velocity.tail<2>());
  ledger.work_motion -= row.impulse.dot(terms.motion);
  // A contact that closes a gap acts while the bodies still approach: loss. One that opens an
  // overlap puts energy in.
  ledger.impact += normal * closing;
  ledger.stabilisation -= normal * (terms.gap - lift - closing);
  ledger.impact += normal * terms.bounce;
}

// Rows of friction about contacts are velocities at the length unit: the product with their impulse
// is an energy.
double spin_motion_work(const StepData& data, const SolveRecord& record, std::size_t i,
                        const Row& row) {
  CAIRN_DCHECK(i < data.rows.spins.size(), i);
  double work = 0;
  for (std::size_t r = 0; r < 2; ++r)
    work -= row.impulse[static_cast<Eigen::Index>(r)] * data.rows.spins[i].motion[r] *
            record.problem.units.length;
  return work;
}

// -1/2 |v+ - v|^2 of the bodies: lost in impacts where the island had one, the integrator's own
// elsewhere.
void add_jumps(const Model& model, StepData& data, const SolveRecord& record, Ledger& ledger) {
  problem::find_islands(record.problem, data.islands);
  data.impact.hit.assign(static_cast<std::size_t>(data.islands.count), 0);
  for (std::size_t i = 0; i < data.contacts.size(); ++i)
    if (data.rows.terms[i].impact)
      data.impact
          .hit[static_cast<std::size_t>(data.islands.of_constraint[data.first_contact() + i])] = 1;
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

// Impulse of a row of the joints [N s, angles as lengths].
double joint_impulse(const SolveRecord& record, std::size_t row) {
  return record.solution.lambda[static_cast<Eigen::Index>(row)] * record.problem.units.impulse();
}

static bool is_motor(const SolveRecord& record, std::size_t constraint) {
  return record.problem.constraints[constraint].key.role == Role::drive;
}

// The rate of the coordinate that a row acts along.
static double rate_of(const StepData& data, std::size_t i, const Row& row) {
  return row.velocity[0] + data.rows.drives[i].target;
}

// Of a motor at the rate of its coordinate; the work of prescribed motion counts apart.
static double drive_work(const StepData& data, std::size_t i, const Row& row) {
  return row.impulse[0] * rate_of(data, i, row);
}

// What a row along a coordinate does to the terms of the ledger (E763, E872 to E874).
static void add_drive_terms(Role role, double rate, double impulse, double drag, Ledger& ledger) {
  switch (role) {
    case Role::drive:
      ledger.work_applied += impulse * rate;
      return;
    case Role::friction:
      ledger.friction -= impulse * rate;
      return;
    case Role::spring:
      // The potential of the spring is followed with the others; the damper takes its share.
      ledger.passive -= drag * rate * rate;
      ledger.integrator += (impulse + drag * rate) * rate;
      return;
    default:
      ledger.integrator += impulse * rate;
      return;
  }
}

// Calls add(constraint, work) for each constraint through which motors and prescribed motion work.
template <class Add>
static void each_work_of_motion(const StepData& data, const SolveRecord& record, const Add& add) {
  for (std::size_t i = 0; i < data.rows.joint_constraints; ++i)
    for (int row = record.problem.first_row[i]; row < record.problem.first_row[i + 1]; ++row) {
      const auto r = static_cast<std::size_t>(row);
      add(i, -joint_impulse(record, r) * data.rows.joint_terms[r].motion);
    }
  for (std::size_t i = 0; i < data.rows.drives.size(); ++i) {
    const std::size_t constraint = data.rows.joint_constraints + i;
    const Row row = physical_row(record, constraint);
    const double of_motion = -row.impulse[0] * data.rows.drives[i].motion;
    add(constraint,
        is_motor(record, constraint) ? of_motion + drive_work(data, i, row) : of_motion);
  }
  for (std::size_t i = 0; i < data.contacts.size(); ++i)
    if (data.rows.terms[i].motion != Vec3::Zero())
      add(data.first_contact() + i,
          -physical_row(record, data.first_contact() + i).impulse.dot(data.rows.terms[i].motion));
  for (std::size_t i = 0; i < data.rows.spins.size(); ++i) {
    const std::size_t constraint = data.first_contact() + data.contacts.size() + i;
    add(constraint, spin_motion_work(data, record, i, physical_row(record, constraint)));
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

  for (std::size_t i = 0; i < data.rows.joint_constraints; ++i) {
    const Row row = physical_row(record, i);
    ledger.solver += row.impulse.dot(row.velocity);
  }
  for (std::size_t i = 0; i < data.rows.drives.size(); ++i) {
    const std::size_t constraint = data.rows.joint_constraints + i;
    const Row row = physical_row(record, constraint);
    add_drive_terms(record.problem.constraints[constraint].key.role, rate_of(data, i, row),
                    row.impulse[0], data.rows.drives[i].drag, ledger);
    ledger.work_motion -= row.impulse[0] * data.rows.drives[i].motion;
  }
  for (std::size_t i = 0; i < data.rows.joint_terms.size(); ++i) {
    ledger.stabilisation -= joint_impulse(record, i) * data.rows.joint_terms[i].rate;
    ledger.work_motion -= joint_impulse(record, i) * data.rows.joint_terms[i].motion;
  }
  ledger.stabilisation += data.positions.projection_work;
  for (std::size_t i = 0; i < data.contacts.size(); ++i)
    add_contact_terms(data.rows.terms[i], record.problem.constraints[data.first_contact() + i],
                      physical_row(record, data.first_contact() + i), ledger);
  for (std::size_t i = 0; i < data.rows.spins.size(); ++i) {
    const Row row = physical_row(record, data.first_contact() + data.contacts.size() + i);
    ledger.friction -= row.impulse.dot(row.velocity);
    ledger.work_motion += spin_motion_work(data, record, i, row);
  }
  add_jumps(model, data, record, ledger);
  if (data.impact.at_once) {
    ledger.friction += data.impact.collision.friction;
    ledger.impact += data.impact.collision.impact;
    ledger.work_motion += data.impact.collision.motion;
  }

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
