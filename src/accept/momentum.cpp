#include "accept/momentum.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::accept {
namespace {

constexpr double rounding = 0x1p-48;  // 16 eps [-]

// It takes torques about every axis, or it moves in a plane and takes those across it.
bool takes_torques(const Body& body) {
  if (body.rotation != RotationKind::one) return body.rotation == RotationKind::three;
  Vec3 across = Vec3::Zero();
  for (int k = 0; k < 3; ++k)
    if (!body.translations[static_cast<std::size_t>(k)]) across[k] = 1;
  return across.sum() == 1 && std::abs(across.dot(body.axis_W)) == body.axis_W.cwiseAbs().sum();
}

Vec3 spin_of(const Body& body, const Pose& X_WC, const double* v) {
  const Vec3 w_B = X_WC.R.conjugate() * dynamics::angular_velocity(body, X_WC, v);
  return X_WC.R * (body.inertia_B * w_B);
}

bool acts(const SolveRecord& solve, std::size_t constraint) {
  const int first = solve.problem.first_row[constraint],
            end = solve.problem.first_row[constraint + 1];
  return !solve.solution.lambda.segment(first, end - first).isZero(0);
}

double ratio(double error, double scale) {
  return error > 0 ? error / scale : 0;
}

}  // namespace

// The body's island is held by something that does not take part.
void MomentumBalance::attach(const Model& model, BodyId body) {
  if (body != BodyId::world && model.body(body).velocities > 0)
    islands_[base::at(sets_.root(static_cast<int>(body)))].isolated = false;
}

// Bodies that impulses or springs connect.
void MomentumBalance::list_links(const Model& model, const StepReport& report) {
  links_.clear();
  for (const SolveRecord& solve : report.solved())
    for (std::size_t i = 0; i < solve.problem.constraints.size(); ++i) {
      const ConstraintId& id = solve.problem.constraints[i].id;
      if (id.kind == ConstraintId::Kind::contact && acts(solve, i))
        links_.push_back({id.contact.body_a, id.contact.body_b, false});
    }
  for (const ImpactReport& i : report.impacts)
    links_.push_back({i.contact.body_a, i.contact.body_b, false});
  for (const StepEvent& e : report.events)
    if (e.contact.body_a != e.contact.body_b)
      links_.push_back({e.contact.body_a, e.contact.body_b, false});
  for (const Joint& j : model.joints) links_.push_back({j.bodies[0], j.bodies[1], false});
  for (const Spring& s : model.springs) links_.push_back({s.bodies[0], s.bodies[1], true});
}

void MomentumBalance::join(const Model& model, const StepReport& report) {
  auto free = [&](BodyId id) { return id != BodyId::world && model.body(id).velocities > 0; };
  list_links(model, report);
  sets_.reset(model.bodies.size());
  for (const auto& [a, b, spring] : links_)
    if (free(a) && free(b)) sets_.join(static_cast<int>(a), static_cast<int>(b));
  islands_.assign(model.bodies.size(), Island{});
  for (const auto& [a, b, spring] : links_) {
    if (!free(a)) attach(model, b);
    if (!free(b)) attach(model, a);
    if (spring && free(a) && free(b))
      islands_[base::at(sets_.root(static_cast<int>(a)))].plain = false;
  }
}

void MomentumBalance::add_body(const Model& model, const State& before, const State& after,
                               std::size_t i, double h) {
  const Body& body = model.bodies[i];
  Island& island = islands_[base::at(sets_.root(static_cast<int>(i)))];
  for (int k = 0; k < 3; ++k)
    if (!body.translations[static_cast<std::size_t>(k)]) island.free[k] = 0;
  island.turns = island.turns && takes_torques(body);
  island.mass += body.mass;
  for (std::size_t end = 0; end < 2; ++end) {
    const State& state = end == 0 ? before : after;
    const Vec3 v = dynamics::linear_velocity(body, state.v.data() + body.first_velocity);
    island.center[end] += body.mass * state.poses[i].p;
    island.momentum[end] += body.mass * v;
    island.momentum_scale += body.mass * v.norm();
  }
  island.impulse += h * body.mass * model.gravity;
  island.momentum_scale += h * body.mass * model.gravity.norm();
}

// Angular momentum of a body about the centre of mass of its island.
void MomentumBalance::add_spin(const Model& model, const State& state, std::size_t i,
                               std::size_t end) {
  const Body& body = model.bodies[i];
  Island& island = islands_[base::at(sets_.root(static_cast<int>(i)))];
  const double* v = state.v.data() + body.first_velocity;
  const Vec3 u = dynamics::linear_velocity(body, v) - island.momentum[end] / island.mass;
  const Vec3 r = state.poses[i].p - island.center[end] / island.mass;
  const Vec3 orbit = r.cross(body.mass * u);
  const Vec3 spin = spin_of(body, state.poses[i], v);
  island.spin[end] += orbit + spin;
  island.spin_scale += orbit.norm() + spin.norm();
  const double speed = dynamics::linear_velocity(body, v).norm();
  island.spin_rounding +=
      rounding * body.mass * (r.norm() * speed + state.poses[i].p.norm() * u.norm());
}

// Applied forces: those that do not change in time are part of the balance, islands with others are
// reported alone, since what a scheme takes of such a force is its own business.
void MomentumBalance::add_forces(const Model& model, const State& before, double h) {
  for (const AppliedForce& f : model.applied_forces) {
    if (model.body(f.body).velocities == 0) continue;
    Island& island = islands_[base::at(sets_.root(static_cast<int>(f.body)))];
    if (!island.isolated) continue;
    const Vec3 force = dynamics::evaluate(f.force, before.t),
               later = dynamics::evaluate(f.force, before.t + h);
    const Vec3 torque = dynamics::evaluate(f.torque, before.t);
    if (force != later || torque != Vec3::Zero() || f.point != Vec3::Zero()) island.plain = false;
    island.impulse += h * force;
    island.momentum_scale += h * force.norm();
    const Vec3 arm = before.poses[index(f.body)].p - island.center[0] / island.mass;
    const Vec3 about = h * arm.cross(force);
    island.torque += about + h * torque;
    island.spin_scale += about.norm();
  }
}

// Impulses that cancel within an island round with their own size, and their torques with the
// distance from the origin.
void MomentumBalance::add_rounding(const State& before, const StepReport& report) {
  for (const SolveRecord& solve : report.solved())
    for (std::size_t i = 0; i < solve.problem.constraints.size(); ++i) {
      const Constraint& c = solve.problem.constraints[i];
      const double impulse =
          solve.problem.units.impulse() *
          solve.solution.lambda.segment(solve.problem.first_row[i], c.rows).cwiseAbs().sum();
      for (const int side : c.body) {
        if (side < 0) continue;
        const auto body = static_cast<std::size_t>(solve.problem.bodies[base::at(side)].model_body);
        Island& island = islands_[base::at(sets_.root(static_cast<int>(body)))];
        island.momentum_rounding += rounding * impulse;
        island.spin_rounding +=
            rounding * impulse * (solve.problem.units.length + before.poses[body].p.norm());
      }
    }
}

MomentumError MomentumBalance::measure(const Model& model, const State& before, const State& after,
                                       const StepReport& report,
                                       std::span<const ExternalForce> external, double h) {
  join(model, report);
  for (const ExternalForce& force : external) attach(model, force.body);
  // Islands that something holds have no balance.
  balanced_.clear();
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].velocities > 0 &&
        islands_[base::at(sets_.root(static_cast<int>(i)))].isolated)
      balanced_.push_back(i);
  for (const std::size_t i : balanced_) add_body(model, before, after, i, h);
  for (const std::size_t i : balanced_) {
    add_spin(model, before, i, 0);
    add_spin(model, after, i, 1);
  }
  add_forces(model, before, h);
  add_rounding(before, report);

  MomentumError worst;
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    const Island& island = islands_[i];
    if (!(island.mass > 0) || !island.isolated) continue;
    const Vec3 missing = island.momentum[1] - island.momentum[0] - island.impulse;
    double error = ratio(missing.cwiseProduct(island.free).norm() - island.momentum_rounding,
                         island.momentum_scale);
    // Bodies that move in a plane keep the angular momentum across it, and only that.
    Vec3 axes = Vec3::Ones();
    for (int k = 0; k < 3; ++k)
      if (island.free[k] == 0) axes = Vec3::Unit(k).cwiseProduct(axes);
    if (island.turns)
      error = std::max(
          error, ratio((island.spin[1] - island.spin[0] - island.torque).cwiseProduct(axes).norm() -
                           island.spin_rounding,
                       island.spin_scale));
    double& place = island.plain ? worst.judged : worst.reported;
    if (error > place && island.plain) worst.body = static_cast<BodyId>(i);
    place = std::max(place, error);
  }
  return worst;
}

}  // namespace cairn::accept
