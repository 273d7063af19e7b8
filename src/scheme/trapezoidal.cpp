#include "scheme/trapezoidal.hpp"

#include <algorithm>
#include <cmath>

#include "constrain/memory.hpp"
#include "dynamics/kinematics.hpp"
#include "problem/blocks.hpp"
#include "scheme/report.hpp"
#include "scheme/stop.hpp"
#include "scheme/trapezoidal_step.hpp"

namespace cairn {
namespace {

constexpr double stiffest = 0x1p45;  // implicit spring over mass, beyond which masses are rounding
constexpr double payable = 0x1p-10;  // share of the kinetic energy that a projection may change [-]

}  // namespace

// (E168): onto the joints. What this does to the energy is of third order and stands in the ledger.
void TrapezoidalStep::project(Phase& phase, const Problem& problem) {
  if (!options.projection || model.joints.empty()) return;
  d.before_projection = phase.poses;
  const double before = potential_energy(model, phase.poses) + kinetic_energy(model, phase.v);
  if (!project_onto_joints(model, data.projection, phase.poses))
    stopped = open_joints(model, d.begin.poses, phase.poses);
  pay_for_projection(phase, problem);
  report.ledger.stabilisation +=
      potential_energy(model, phase.poses) + kinetic_energy(model, phase.v) - before;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Pose &from = d.before_projection[i], &to = phase.poses[i];
    report.projection = std::max(report.projection, (to.p - from.p).norm());
    report.projection_angle = std::max(report.projection_angle, to.R.angularDistance(from.R));
  }
}

// (E169): the projection's work against gravity is taken from the kinetic energy of the island, or
// returned to it, all velocities by one factor, so that energy does not drift. Where the bodies
// hardly move the factor would be far from one: the ledger then shows the difference.
void TrapezoidalStep::pay_for_projection(Phase& phase, const Problem& problem) {
  find_islands(problem, data.islands);
  const auto islands = static_cast<std::size_t>(data.islands.count);
  data.island_work.assign(islands, 0.0);
  data.island_kinetic.assign(islands, 0.0);
  static constexpr double rest[6] = {};
  auto island_of = [&](std::size_t body) {
    const int in_problem = d.layout.body[body];
    return static_cast<std::size_t>(data.islands.of_body[static_cast<std::size_t>(in_problem)]);
  };
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0) continue;
    const std::size_t island = island_of(i);
    data.island_work[island] -=
        body.mass * model.gravity.dot(phase.poses[i].p - d.before_projection[i].p);
    data.island_kinetic[island] += mass_norm(body, phase.v.data() + body.first_velocity, rest);
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0) continue;
    const double work = data.island_work[island_of(i)], kinetic = data.island_kinetic[island_of(i)];
    if (work == 0 || !(std::abs(work) <= payable * kinetic)) continue;
    const double factor = std::sqrt(1 - work / kinetic);
    report.projection_slowing = std::min(report.projection_slowing, std::min(factor, 2 - factor));
    phase.v.segment(body.first_velocity, body.velocities) *= factor;
  }
}

// The solve's end becomes the beginning of what follows.
void TrapezoidalStep::accept(const SolveRecord& record) {
  add_smooth_ledger(record, 1);
  remember(record.problem, d.touching, record.solution.lambda, d.memory, d.joint_impulses);
  d.holding.clear();
  for (std::size_t i = 0; i < d.touching.size(); ++i)
    if (record.solution.lambda[record.problem.first_row[d.joint_constraints + i]] > 0)
      d.holding.push_back(d.touching[i].key);
  std::swap(d.now, d.next);
  project(d.now, record.problem);
}

// Paper 003, section 8: from `now` over `length`, with restarts at events.
void TrapezoidalStep::integrate(double length) {
  const double end = d.now.t + length;
  double left = length;
  int events = 0;
  while (left > 0 && stopped.empty()) {
    find_contacts(left);
    if (data.active.finder.missing().first >= 0) {
      stopped = missing_contact(model, data.active.finder.missing());
      return;
    }
    if (!limited && ++events > options.max_events) {
      limit_events();
      continue;
    }
    if (approaches_now()) {
      impact();
      continue;
    }
    solve_smooth(left, new_record(Purpose::step));
    if (!d.next.v.allFinite()) {
      stopped = not_finite(model, d.next.v, "new velocity");
      return;
    }
    if (!limited) {
      const double tau = first_collision(left);
      if (tau < left) {
        collide(tau, left);
        left -= tau;
        continue;
      }
      if (options.events == EventDetection::all && restart_at_mode_change(left)) continue;
    }
    // The search for events may have moved the records.
    accept(report.solves[static_cast<std::size_t>(report.solve_count - 1)]);
    left = 0;
  }
  d.now.t = end;
}

void TrapezoidalStep::report_contacts(const SolveRecord& record) {
  const Units& units = record.problem.units;
  report.contacts.clear();
  report.active_contacts = 0;
  for (std::size_t i = 0; i < d.touching.size(); ++i) {
    const std::size_t at = d.joint_constraints + i;
    const Constraint& row = record.problem.constraints[at];
    ContactReport& out = report.contacts.emplace_back();
    out.contact = d.touching[i];
    double w[max_rows] = {};
    constraint_velocity(record.problem, row, record.solution.v.data(), false, w);
    for (int k = 0; k < row.rows; ++k) {
      const int r = record.problem.first_row[at] + k;
      out.impulse[k] = record.solution.lambda[r] * units.impulse();
      out.velocity[k] = w[k] * units.speed() + d.terms[static_cast<std::size_t>(r)].motion;
    }
    const double tangential = out.impulse.tail<2>().norm(), slip = out.velocity.tail<2>().norm();
    out.impulse[2] *= out.contact.stretch;  // (E245)
    out.velocity[2] /= out.contact.stretch;
    const bool on_cone = tangential >= (1 - 1e-9) * row.mu * out.impulse[0];
    if (out.impulse[0] > 0)
      out.mode = on_cone && slip > 1e-12 * units.speed() ? ContactMode::slip : ContactMode::stick;
    out.colliding = std::any_of(report.events.begin(), report.events.end(), [&](const auto& e) {
      return e.kind == StepEvent::Kind::collision && e.contact == out.contact.key;
    });
    if (out.impulse[0] > 0) ++report.active_contacts;
  }
}

namespace {

void load(const State& state, TrapezoidalData& d) {
  d.now.t = state.t;
  d.now.poses = state.poses;
  d.now.v = state.v;
  d.memory = state.contacts;
  d.joint_impulses = state.joint_impulses;
  d.holding.clear();
  for (const ContactMemory& m : d.memory) d.holding.push_back(m.key);
}

// Largest distance between the bodies of two phases, turned ones at their radius [m].
double distance(const Model& model, const Phase& a, const Phase& b) {
  double most = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const double radius = model.bodies[i].radius > 0 ? model.bodies[i].radius : model.length_unit;
    const double turn = model.bodies[i].rotation == RotationKind::none
                            ? 0
                            : radius * a.poses[i].R.angularDistance(b.poses[i].R);
    most = std::max(most, (a.poses[i].p - b.poses[i].p).norm() + turn);
  }
  return most;
}

// The whole step in equal parts, from `state`.
void take_parts(TrapezoidalStep& step, const State& state, int parts) {
  clear(step.report, state, step.h);
  load(state, step.d);
  step.d.begin = step.d.now;
  step.limited = false;
  step.report.parts = parts;
  for (int i = 0; i < parts && step.stopped.empty(); ++i) {
    step.limited = false;
    step.integrate(step.h / parts);
  }
}

// (E182): the step in 1, 2, 4, ... parts until the last two answers agree.
void take_accurately(TrapezoidalStep& step, const State& state) {
  take_parts(step, state, 1);
  if (!(step.options.accuracy > 0)) return;
  for (int parts = 2; step.stopped.empty() && parts <= step.options.max_parts; parts *= 2) {
    step.d.coarse = step.d.now;
    take_parts(step, state, parts);
    step.report.error_estimate = distance(step.model, step.d.coarse, step.d.now) / 3;
    if (step.report.error_estimate <= step.options.accuracy) return;
  }
}

}  // namespace

void advance(const Model& model, const Trapezoidal& options, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report) {
  auto now = [clock] { return clock ? clock() : 0.0; };
  const double start = now();
  TrapezoidalData& d = data.trapezoidal;
  TrapezoidalStep step{model, options, solver, h, data, report, d};
  clear(report, state, h);
  auto stop = [&](std::string why) {
    judge(report);
    report.contacts.clear();
    report.events.clear();
    report.ledger = {};
    report.status = StepStatus::stopped;
    report.message = std::move(why);
  };
  load(state, d);
  d.begin = d.now;
  Phase& end = d.next;
  move_bodies(model, d.now, d.now.v, h, end);
  if (std::string lost = lost_body(model, end.poses); !lost.empty()) return stop(lost);
  evaluate_impulses(model, d.now.poses, d.now.v, d.now.t, h, false, d.forces);
  d.mean = d.now.v + d.forces.potential + d.forces.applied + d.forces.gyroscopic;
  if (!d.mean.allFinite()) return stop(not_finite(model, d.mean, "force or velocity"));

  if (!(d.forces.stiffest <= stiffest))
    return stop(
        "a spring or damper is so stiff that the masses at its ends vanish beside it; reduce its "
        "stiffness, damping or the step, or use a joint");
  take_accurately(step, state);
  if (!step.stopped.empty()) return stop(step.stopped);

  Ledger& ledger = report.ledger;
  ledger.kinetic_start = kinetic_energy(model, state.v);
  ledger.potential_start = potential_energy(model, state.poses);
  ledger.kinetic_end = kinetic_energy(model, d.now.v);
  ledger.potential_end = potential_energy(model, d.now.poses);
  if (!std::isfinite(ledger.kinetic_end) || !std::isfinite(ledger.potential_end) ||
      !std::isfinite(ledger.imbalance()))
    return stop(energy_overflow(model, d.now.v));
  judge(report);
  if (report.solve_count > 0)
    step.report_contacts(report.solves[static_cast<std::size_t>(report.solve_count - 1)]);
  // Where the step was one problem its end has been looked at already.
  const bool known = report.solve_count == 1 && report.parts == 1 && report.projection == 0 &&
                     report.projection_angle == 0 && !step.limited;
  report.penetration = known ? d.deepest : find_overlaps(model, d.now.poses, data.active);
  report.joint_error = report.joint_error_angle = 0;
  for (const Joint& joint : model.joints) {
    const JointError error = joint_error(d.now.poses, joint);
    report.joint_error = std::max(report.joint_error, error.distance);
    report.joint_error_angle = std::max(report.joint_error_angle, error.angle);
  }
  state.poses = d.now.poses;
  state.v = d.now.v;
  state.contacts = d.memory;
  state.joint_impulses = d.joint_impulses;
  state.t += h;
  ++state.step;
  report.step = state.step;
  report.t = state.t;
  report.seconds.total = now() - start;
}

}  // namespace cairn
