#include "accept/momentum.hpp"

#include <algorithm>
#include <cmath>

#include "accept/body_velocity.hpp"
#include "base/conventions.hpp"
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
  return X_WC.R * (body.inertia_B * angular_velocity_B(body, X_WC, v));
}

// Sum of the magnitudes of the impulses of a constraint.
double impulse_of(const SolveRecord& solve, std::size_t constraint) {
  double sum = 0;
  for (int k = solve.problem.first_row[constraint]; k < solve.problem.first_row[constraint + 1];
       ++k)
    sum += std::abs(solve.solution.lambda[k]);
  return sum;
}

double ratio(double error, double scale) {
  return error > 0 ? error / scale : 0;
}

}  // namespace

MomentumBalance::MomentumBalance(const Model& model) {
  for (const Body& body : model.bodies) free_.push_back(body.velocities > 0 ? 1 : 0);
}

// The body's island is held by something that does not take part.
void MomentumBalance::attach(BodyId body) {
  if (is_free(body)) held_[base::at(sets_.root(static_cast<int>(body)))] = 1;
}

// Bodies that impulses or springs connect.
void MomentumBalance::list_links(const Model& model, const StepReport& report) {
  links_.clear();
  for (const SolveRecord& solve : report.solved())
    for (std::size_t i = 0; i < solve.problem.constraints.size(); ++i) {
      const ConstraintKey& id = solve.problem.constraints[i].key;
      if (is_of_contact(id.role) && impulse_of(solve, i) != 0)
        links_.push_back({id.contact.body_a, id.contact.body_b, false});
    }
  for (const ImpactReport& i : report.impacts)
    links_.push_back({i.contact.body_a, i.contact.body_b, false});
  for (const StepEvent& e : report.events)
    if (e.contact.body_a != e.contact.body_b)
      links_.push_back({e.contact.body_a, e.contact.body_b, false});
  for (const Joint& j : model.joints) links_.push_back({j.bodies[0], j.bodies[1], false});
  for (const Gear& g : model.gears)
    for (const BodyId id : g.bodies)
      if (id != g.bodies[0]) links_.push_back({g.bodies[0], id, false});
  for (const Spring& s : model.springs) links_.push_back({s.bodies[0], s.bodies[1], true});
}

// Sets of bodies that are linked; those that something holds have no balance.
void MomentumBalance::join(const Model& model, const StepReport& report,
                           std::span<const ExternalForce> external) {
  list_links(model, report);
  sets_.reset(free_.size());
  for (const auto& [a, b, spring] : links_)
    if (is_free(a) && is_free(b)) sets_.join(static_cast<int>(a), static_cast<int>(b));
  held_.assign(free_.size(), 0);
  sprung_.assign(free_.size(), 0);
  for (const auto& [a, b, spring] : links_) {
    if (!is_free(a)) attach(b);
    if (!is_free(b)) attach(a);
    if (spring && is_free(a) && is_free(b)) sprung_[base::at(sets_.root(static_cast<int>(a)))] = 1;
  }
  for (const ExternalForce& force : external) attach(force.body);

  islands_.clear();
  balanced_.clear();
  island_of_.assign(free_.size(), -1);
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const std::size_t root = base::at(sets_.root(static_cast<int>(i)));
    if (!free_[i] || held_[root]) continue;
    if (root == i) {  // the smallest of its set comes first
      island_of_[i] = static_cast<int>(islands_.size());
      islands_.emplace_back();
      islands_.back().first = static_cast<BodyId>(i);
      islands_.back().plain = !sprung_[i];
    }
    island_of_[i] = island_of_[root];
    balanced_.push_back(i);
  }
}

void MomentumBalance::add_body(const Model& model, const State& before, const State& after,
                               std::size_t i, double h) {
  const Body& body = model.bodies[i];
  Island& island = islands_[base::at(island_of_[i])];
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
  Island& island = islands_[base::at(island_of_[i])];
  const double* v = state.v.data() + body.first_velocity;
  const Vec3 velocity = dynamics::linear_velocity(body, v);
  const Vec3 u = velocity - island.momentum[end] / island.mass;
  const Vec3 r = state.poses[i].p - island.center[end] / island.mass;
  const Vec3 orbit = r.cross(body.mass * u);
  const Vec3 spin = spin_of(body, state.poses[i], v);
  island.spin[end] += orbit + spin;
  island.spin_scale += orbit.norm() + spin.norm();
  island.spin_rounding +=
      rounding * body.mass * (r.norm() * velocity.norm() + state.poses[i].p.norm() * u.norm());
}

// Applied forces: those that do not change in time are part of the balance, islands with others are
// reported alone, since what a scheme takes of such a force is its own business.
void MomentumBalance::add_forces(const Model& model, const State& before, double h) {
  for (const AppliedForce& f : model.applied_forces) {
    if (island_of_[index(f.body)] < 0) continue;
    Island& island = islands_[base::at(island_of_[index(f.body)])];
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
  if (islands_.empty()) return;
  for (const SolveRecord& solve : report.solved()) {
    const Problem& problem = solve.problem;
    for (std::size_t i = 0; i < problem.constraints.size(); ++i)
      for (const int side : problem.constraints[i].body) {
        if (side < 0) continue;
        const auto body = static_cast<std::size_t>(problem.bodies[base::at(side)].model_body);
        if (island_of_[body] < 0) continue;
        Island& island = islands_[base::at(island_of_[body])];
        const double error = rounding * problem.units.impulse() * impulse_of(solve, i);
        island.momentum_rounding += error;
        island.spin_rounding += error * (problem.units.length + before.poses[body].p.norm());
      }
  }
}

MomentumError MomentumBalance::measure(const Model& model, const State& before, const State& after,
                                       const StepReport& report,
                                       std::span<const ExternalForce> external, double h) {
  CAIRN_DCHECK(free_.size() == model.bodies.size(), free_.size(), model.bodies.size());
  join(model, report, external);
  for (const std::size_t i : balanced_) add_body(model, before, after, i, h);
  for (const std::size_t i : balanced_) {
    add_spin(model, before, i, 0);
    add_spin(model, after, i, 1);
  }
  add_forces(model, before, h);
  add_rounding(before, report);

  MomentumError worst;
  for (const Island& island : islands_) {
    if (!(island.mass > 0)) continue;
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
    if (error > place && island.plain) worst.body = island.first;
    place = std::max(place, error);
  }
  return worst;
}

}  // namespace cairn::accept
