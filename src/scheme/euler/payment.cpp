// The work of the projection against gravity is taken from the kinetic energy (E39), of what moves
// with prescribed bodies from the motion relative to them (E322).
#include <algorithm>
#include <cmath>

#include "constrain/carried.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "scheme/euler/step.hpp"
#include "solver/unguarded.hpp"

namespace cairn::scheme {
namespace {

// Rows of joints and gears.
bool holds(const Constraint& c) {
  return c.key.role == Role::joint || c.key.role == Role::gear;
}

// The factor f in [0, 1] with a f^2 + 2 b f = c, or where a f^2 + 2 b f is least if that is above
// c; a > 0.
double paying_factor(double a, double b, double c) {
  const double square = b * b + a * c;
  const double f = (-b + std::sqrt(std::max(0.0, square))) / a;
  return std::clamp(f, 0.0, 1.0);
}

}  // namespace

// The velocities u with which the free bodies follow the prescribed ones, in data.v_carried (E322).
// False: nothing is prescribed.
bool Step::find_carried() {
  bool moves = false;
  for (const constrain::JointRowTerms& term : data.rows.joint_terms)
    moves = moves || term.motion != 0;
  for (const ContactTerms& terms : data.rows.terms) moves = moves || terms.motion != Vec3::Zero();
  if (!moves) return false;
  PaymentData& pay = data.positions.payment;
  data.v.carried.setZero(model.velocities);
  bool several = false;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    several = several || (pay.pays[i] && pay.frame[pay.root(i)] == PaymentData::several);
  if (several && !find_least_carried()) return false;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (!pay.pays[i] || pay.frame[pay.root(i)] == PaymentData::several) continue;
    data.v.carried.segment(body.first_velocity, body.velocities).setZero();
    if (const int frame = pay.frame[pay.root(i)]; frame >= 0)
      carry(i, static_cast<std::size_t>(frame), data.v.carried.data() + body.first_velocity);
  }
  return true;
}

// The velocities of a body that moves with a prescribed one as if fixed to it.
void Step::carry(std::size_t i, std::size_t with, double* u) const {
  const Pose &start = state.poses[with], &end = data.poses.end[with];
  const Vec3& p = state.poses[i].p;
  const Eigen::AngleAxisd turn(end.R * start.R.conjugate());
  dynamics::add_generalised_force(model.bodies[i], state.poses[i],
                                  constrain::screw_velocity(start, end, p, h),
                                  turn.angle() / h * turn.axis(), u);
}

// Those of least kinetic energy: joints hold, contacts that press stick or slide as they do.
bool Step::find_least_carried() {
  const SolveRecord& record = last();
  Problem& problem = data.positions.payment.carrying;
  problem = record.problem;
  problem.k.setZero();
  problem.constraints.clear();
  problem.first_row.assign(1, 0);
  const double speed = problem.units.speed();
  for (std::size_t i = 0; i < record.problem.constraints.size(); ++i) {
    if (!holds(record.problem.constraints[i]) && !pushes(record.problem.constraints[i].key.role))
      continue;
    Constraint c = record.problem.constraints[i];
    if (pushes(c.key.role)) {
      if (!problem_row_presses(i)) continue;
      if (slip_of(i) > 0) c.rows = 1;
    }
    for (int r = 0; r < c.rows; ++r)
      c.b[r] = data.rows.posed.of(record.problem, i)[r].motion / speed;
    c.law = Law::equality;
    c.mu = 0;
    c.facets = 0;
    c.section = nullptr;
    c.tie = -1;
    problem.first_row.push_back(problem.first_row.back() + c.rows);
    problem.constraints.push_back(std::move(c));
  }
  data.positions.payment.carried.lambda.setZero(problem.rows());
  solver::solve_unguarded(problem, solver, data.positions.contact_projection.solver,
                          data.positions.payment.carried);
  constrain::to_model_velocities(model, problem, data.positions.payment.carried.v, data.v.carried);
  return data.v.carried.allFinite();
}

// Speed along the surface of a contact that presses, beyond rounding [m/s].
double Step::slip_of(std::size_t constraint) const {
  const SolveRecord& record = last();
  const Constraint& c = record.problem.constraints[constraint];
  const int first = record.problem.first_row[constraint];
  if (c.rows < 2) return 0;
  const double normal = record.solution.lambda[first],
               along = record.solution.lambda.segment(first + 1, c.rows - 1).norm();
  if (along < (1 - 1e-9) * c.mu * normal) return 0;
  double w[max_rows] = {};
  linear::constraint_velocity(record.problem, c, record.solution.v.data(), true, w);
  const double speed = std::hypot(w[1], c.rows > 2 ? w[2] : 0);
  return speed > 1e-12 ? speed * record.problem.units.speed() : 0;
}

// Who pays for whom: without joints the bodies of an island for each other (E84). Else bodies that
// joints, springs and contacts that press connect with a joint pay for their own lift and for that
// of the bodies that they pushed (E320).
void Step::find_payers() {
  const Problem& problem = last().problem;
  const std::size_t bodies = model.bodies.size();
  PaymentData& pay = data.positions.payment;
  auto free = [&](BodyId id) { return id != BodyId::world && model.body(id).velocities > 0; };
  auto body_of = [&](int i) { return problem.bodies[static_cast<std::size_t>(i)].model_body; };
  pay.groups.reset(bodies);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    if (!(model.joints.empty() || holds(c) || problem_row_presses(i))) continue;
    const int first = *std::max_element(c.body.begin(), c.body.end());
    for (const int body : c.body)
      if (body >= 0) pay.groups.join(body_of(first), body_of(body));
  }
  for (const BodyCoupling& c : problem.couplings)
    pay.groups.join(body_of(c.body[0]), body_of(c.body[1]));
  pay.jointed.assign(bodies, 0);
  for (const Joint& joint : model.joints)
    for (const BodyId id : joint.bodies)
      if (free(id)) pay.jointed[pay.root(index(id))] = 1;
  const bool lifts_all = options.project_contacts;
  pay.pays.assign(bodies, 0);
  for (std::size_t i = 0; i < bodies; ++i)
    pay.pays[i] = model.bodies[i].velocities > 0 && (lifts_all || pay.jointed[pay.root(i)]) ? 1 : 0;
  pay.spared.assign(bodies, 0);
  if (data.positions.spared) find_pushed();
  pay.frame.assign(bodies, PaymentData::none);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    if (const Constraint& c = problem.constraints[i];
        holds(c) || (pushes(c.key.role) && problem_row_presses(i)))
      add_frame(c);
}

// The body that is not free, if there is one, is the frame of the free one's group.
void Step::add_frame(const Constraint& c) {
  if (c.key.role == Role::gear) return;  // its joints have frames of their own
  std::array<BodyId, 2> ids = {c.key.contact.body_a, c.key.contact.body_b};
  if (c.key.role == Role::joint) ids = model.joints[static_cast<std::size_t>(c.key.element)].bodies;
  for (std::size_t side = 0; side < 2; ++side) {
    if (c.body[side] >= 0 || c.body[1 - side] < 0) continue;
    const bool moves = dynamics::is_prescribed(model, ids[side]);
    const int by = moves ? static_cast<int>(ids[side]) : PaymentData::ground;
    int& frame = data.positions.payment.frame[data.positions.payment.root(index(ids[1 - side]))];
    frame = frame == PaymentData::none || frame == by ? by : PaymentData::several;
  }
}

// Bodies that contacts pushed apart in the projection pay together.
void Step::find_pushed() {
  PaymentData& pay = data.positions.payment;
  const std::size_t bodies = model.bodies.size();
  auto free = [&](BodyId id) { return id != BodyId::world && model.body(id).velocities > 0; };
  const JointProjectionBuffers& projected = data.positions.joint_projection;
  for (std::size_t i = 0; i < projected.bounds.size(); ++i) {
    const ContactKey& key = projected.bounds[i].contact.key;
    if (projected.pushed[i] && free(key.body_a) && free(key.body_b))
      pay.groups.join(static_cast<int>(key.body_a), static_cast<int>(key.body_b));
  }
  for (std::size_t i = 0; i < bodies; ++i)
    if (model.bodies[i].velocities > 0 && data.positions.joint_projection.takes_part(i))
      pay.spared[pay.root(i)] = 1;
}

bool Step::problem_row_presses(std::size_t constraint) const {
  return last().solution.lambda[last().problem.first_row[constraint]] > 0;
}

// (E39): where the projection lifted a group of bodies against gravity its velocities are slowed
// down by as much energy, all by one factor, so that what the velocities satisfy stays satisfied.
// Groups that hang on nothing keep their momenta (E425, E426). Where bodies are prescribed the
// factor is on the velocities relative to theirs (E322). A group that joints alone hold and whose
// energy does not suffice pays nothing; one whose contacts took part in the projection comes to
// rest. The ledger shows the rise that is left.
void Step::pay_for_projection() {
  PaymentData& pay = data.positions.payment;
  find_payers();
  pay.work.assign(model.bodies.size(), 0.0);
  pay.kinetic.assign(model.bodies.size(), 0.0);
  static constexpr double rest[6] = {};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0) continue;
    pay.work[pay.root(i)] -=
        body.mass * model.gravity.dot(data.poses.end[i].p - data.poses.moved[i].p);
    if (pay.pays[i] && !data.nonlinear.isolated.held(i)) pay.pays[i] = 0;  // those of E426
    const double kinetic = dynamics::mass_norm(body, data.v.end.data() + body.first_velocity, rest);
    if (pay.pays[i]) pay.kinetic[pay.root(i)] += kinetic;
    // What a body turned by the projection needs to keep its spin momentum (E428).
    if (body.rotation == RotationKind::three && data.nonlinear.isolated.held(i))
      pay.work[pay.root(i)] +=
          kinetic - dynamics::mass_norm(body, data.v.before.data() + body.first_velocity, rest);
  }
  if (std::none_of(pay.work.begin(), pay.work.end(), [](double work) { return work > 0; })) return;
  if (find_carried()) return pay_relative();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const double work = pay.work[pay.root(i)], kinetic = pay.kinetic[pay.root(i)];
    if (!pay.pays[i] || !(work > 0)) continue;
    if (!(kinetic > work) && !pay.spared[pay.root(i)]) continue;
    const double factor = kinetic > work ? std::sqrt(1 - work / kinetic) : 0;
    report.projection_slowing = std::min(report.projection_slowing, factor);
    data.v.end.segment(body.first_velocity, body.velocities) *= factor;
  }
}

// (E322): v = u + f (v - u), u of find_carried().
void Step::pay_relative() {
  PaymentData& pay = data.positions.payment;
  pay.relative.assign(model.bodies.size(), 0.0);
  pay.carried_energy.assign(model.bodies.size(), 0.0);
  static constexpr double rest[6] = {};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!pay.pays[i]) continue;
    const Body& body = model.bodies[i];
    const double *u = data.v.carried.data() + body.first_velocity,
                 *v = data.v.end.data() + body.first_velocity;
    pay.relative[pay.root(i)] += dynamics::mass_norm(body, v, u);
    pay.carried_energy[pay.root(i)] += dynamics::mass_norm(body, u, rest);
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (!pay.pays[i]) continue;
    const std::size_t group = pay.root(i);
    const double work = pay.work[group], relative = pay.relative[group],
                 kinetic = pay.kinetic[group];
    if (!(work > 0) || !(relative > 0)) continue;
    if (!(relative > work) && !pay.spared[group]) continue;
    double factor = relative > work ? std::sqrt(1 - work / relative) : 0;
    if (pay.frame[group] == PaymentData::several) {
      // K(u + f w) = K(u) + 2 f s + f^2 K(w) with 2 s = u . M w = K(u + w) - K(u) - K(w).
      const double carried = pay.carried_energy[group];
      factor =
          paying_factor(relative, 0.5 * (kinetic - carried - relative), kinetic - carried - work);
    }
    report.projection_slowing = std::min(report.projection_slowing, factor);
    auto v = data.v.end.segment(body.first_velocity, body.velocities);
    const auto u = data.v.carried.segment(body.first_velocity, body.velocities);
    v = u + factor * (v - u);
  }
}

}  // namespace cairn::scheme
