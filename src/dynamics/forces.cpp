#include "dynamics/forces.hpp"

#include <Eigen/LU>

#include "base/conventions.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::dynamics {
namespace {

const double* velocities_of(const Body& body, const VecX& v) {
  return v.data() + body.first_velocity;
}

// An anchor of a spring: position, velocity and arm in the world. Prescribed bodies have the mean
// velocity of the step.
struct Anchor {
  Vec3 p = Vec3::Zero(), velocity = Vec3::Zero(), arm = Vec3::Zero();
};

Anchor anchor(const Model& model, const State& state, double h, BodyId id, const Vec3& point) {
  CAIRN_DCHECK(base::is_index_or_none(static_cast<int>(id), state.poses.size()), id);
  CAIRN_DCHECK(h > 0, h);
  if (id == BodyId::world) return {point, Vec3::Zero(), point};
  const Body& body = model.body(id);
  const Pose& X_WC = state.poses[index(id)];
  const Vec3 arm = X_WC.R * point;
  if (body.kind == BodyKind::prescribed)
    return {X_WC.p + arm, (prescribed_pose(body, state.t + h) * point - (X_WC.p + arm)) / h, arm};
  const double* v = velocities_of(body, state.v);
  return {X_WC.p + arm, linear_velocity(body, v) + angular_velocity(body, X_WC, v).cross(arm), arm};
}

void add_force(const Model& model, const State& state, BodyId id, const Vec3& force,
               const Vec3& arm, VecX& f) {
  if (id == BodyId::world) return;
  const Body& body = model.body(id);
  add_generalised_force(body, state.poses[index(id)], force, arm.cross(force),
                        f.data() + body.first_velocity);
}

void add_spring(const Model& model, const State& state, double h, const Spring& spring,
                Forces& forces) {
  const Anchor a = anchor(model, state, h, spring.bodies[0], spring.anchors[0]);
  const Anchor b = anchor(model, state, h, spring.bodies[1], spring.anchors[1]);
  const double distance = (b.p - a.p).norm();
  if (distance == 0) return;  // no direction to pull in
  const Vec3 along = (b.p - a.p) / distance;
  const Vec3 elastic = spring.stiffness * (distance - spring.rest_length) * along;
  const Vec3 viscous = spring.damping * along.dot(b.velocity - a.velocity) * along;
  add_force(model, state, spring.bodies[0], elastic, a.arm, forces.potential);
  add_force(model, state, spring.bodies[1], -elastic, b.arm, forces.potential);
  add_force(model, state, spring.bodies[0], viscous, a.arm, forces.applied);
  add_force(model, state, spring.bodies[1], -viscous, b.arm, forces.applied);
  if (is_prescribed(model, spring.bodies[0]))
    forces.work_motion -= h * (elastic + viscous).dot(a.velocity);
  if (is_prescribed(model, spring.bodies[1]))
    forces.work_motion += h * (elastic + viscous).dot(b.velocity);
}

// Newton's method for w+ with I (w+ - w) + h w+ x I w+ = h torque, body frame: backward Euler,
// which never gains energy. False if it does not converge.
bool gyroscopic_newton(const Mat3& I, const Vec3& w, const Vec3& h_torque, double h, Vec3& next) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(!(I.diagonal().minCoeff() < 0));
  next = w;
  for (int i = 0; i < 20; ++i) {
    const Vec3 momentum = I * next;
    const Vec3 residual = momentum - I * w + h * next.cross(momentum) - h_torque;
    const Mat3 jacobian = I + h * (cross(next) * I - cross(momentum));
    const Vec3 change = jacobian.inverse() * residual;
    next -= change;
    if (change.norm() <= 1e-15 * next.norm()) return true;
    if (!next.allFinite()) return false;
  }
  // A last change at rounding level is convergence too.
  const Vec3 momentum = I * next;
  return (momentum - I * w + h * next.cross(momentum) - h_torque).norm() <= 1e-13 * (I * w).norm();
}

// One such step; a body that turns too far for it takes two, four, ... shorter ones.
Vec3 gyroscopic_step(const Mat3& I, const Vec3& w, const Vec3& h_torque, double h) {
  Vec3 next = w;
  for (int parts = 1; parts <= 1024; parts *= 2) {
    Vec3 now = w;
    bool converged = true;
    for (int i = 0; i < parts && converged; ++i) {
      const Vec3 before = now;
      converged = gyroscopic_newton(I, before, h_torque / parts, h / parts, now);
    }
    next = now;
    if (converged) break;
  }
  return next;
}

}  // namespace

void evaluate_forces(const Model& model, const State& state, double h, Forces& forces) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(state.poses.size() == model.bodies.size(), state.poses.size());
  CAIRN_DCHECK(state.v.size() == model.velocities, state.v.size());
  for (const ExternalForce& external : forces.external)
    CAIRN_DCHECK(base::is_index(static_cast<int>(external.body), model.bodies.size()),
                 external.body);
  forces.work_motion = 0;
  forces.potential.setZero(model.velocities);
  forces.applied.setZero(model.velocities);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    add_generalised_force(body, state.poses[i], body.mass * model.gravity, Vec3::Zero(),
                          forces.potential.data() + body.first_velocity);
  }
  for (const Spring& spring : model.springs) add_spring(model, state, h, spring, forces);
  for (const AppliedForce& applied : model.applied_forces) {
    const Pose& X_WC = state.poses[index(applied.body)];
    const Body& body = model.body(applied.body);
    const Vec3 force = evaluate(applied.force, state.t);
    const Vec3 torque = evaluate(applied.torque, state.t) + (X_WC.R * applied.point).cross(force);
    add_generalised_force(body, X_WC, force, torque, forces.applied.data() + body.first_velocity);
  }
  for (const ExternalForce& external : forces.external) {
    const Pose& X_WC = state.poses[index(external.body)];
    const Body& body = model.body(external.body);
    const Vec3 torque = external.torque + (X_WC.R * external.point).cross(external.force);
    add_generalised_force(body, X_WC, external.force, torque,
                          forces.applied.data() + body.first_velocity);
  }
}

void free_velocities(const Model& model, const State& state, const Forces& forces, double h,
                     VecX& v_free) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(forces.potential.size() == model.velocities, forces.potential.size());
  CAIRN_DCHECK(forces.applied.size() == model.velocities, forces.applied.size());
  v_free.resize(model.velocities);
  for (const Body& body : model.bodies) {
    if (body.velocities == 0) continue;
    const int first = body.first_velocity;
    int k = 0;
    for (const bool free : body.translations) {
      if (!free) continue;
      v_free[first + k] = state.v[first + k] +
                          h * (forces.potential[first + k] + forces.applied[first + k]) / body.mass;
      ++k;
    }
    if (body.rotation == RotationKind::one) {
      double A[6][6];
      mass_matrix(body, A);
      v_free[first + k] = state.v[first + k] +
                          h * (forces.potential[first + k] + forces.applied[first + k]) / A[k][k];
    } else if (body.rotation == RotationKind::three) {
      const Vec3 torque =
          forces.potential.segment<3>(first + k) + forces.applied.segment<3>(first + k);
      v_free.segment<3>(first + k) =
          gyroscopic_step(body.inertia_B, state.v.segment<3>(first + k), h * torque, h);
    }
  }
}

double mass_norm(const Body& body, const double* a, const double* b) {
  double A[6][6], sum = 0;
  mass_matrix(body, A);
  for (int i = 0; i < body.velocities; ++i)
    for (int j = 0; j < body.velocities; ++j) sum += (a[i] - b[i]) * A[i][j] * (a[j] - b[j]);
  CAIRN_DCHECK(!(sum < 0), body.name, sum);
  return 0.5 * sum;
}

double kinetic_energy(const Model& model, const VecX& v) {
  CAIRN_DCHECK(v.size() == model.velocities, v.size(), model.velocities);
  static constexpr double rest[6] = {};
  double sum = 0;
  for (const Body& body : model.bodies)
    if (body.velocities > 0) sum += mass_norm(body, velocities_of(body, v), rest);
  return sum;
}

double spring_energy(const Spring& spring, const std::vector<Pose>& poses) {
  auto point = [&](std::size_t side) {
    const BodyId id = spring.bodies[side];
    return id == BodyId::world ? spring.anchors[side] : poses[index(id)] * spring.anchors[side];
  };
  const double stretch = (point(1) - point(0)).norm() - spring.rest_length;
  return 0.5 * spring.stiffness * stretch * stretch;
}

double potential_energy(const Model& model, const std::vector<Pose>& poses) {
  CAIRN_DCHECK(poses.size() == model.bodies.size(), poses.size(), model.bodies.size());
  double sum = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].velocities > 0) sum -= model.bodies[i].mass * model.gravity.dot(poses[i].p);
  for (const Spring& spring : model.springs) sum += spring_energy(spring, poses);
  return sum;
}

}  // namespace cairn::dynamics
