#include "dynamics/kinematics.hpp"

#include <algorithm>

#include "base/conventions.hpp"
#include "model/dof.hpp"

namespace cairn::dynamics {

Vec3 linear_velocity(const Body& body, const double* v) {
  Vec3 velocity = Vec3::Zero();
  int k = 0;
  for (int axis = 0; axis < 3; ++axis)
    if (body.translations[static_cast<std::size_t>(axis)] && body.velocities > 0)
      velocity[axis] = v[k++];
  return velocity;
}

Vec3 angular_velocity(const Body& body, const Pose& X_WC, const double* v) {
  if (body.velocities == 0 || body.rotation == RotationKind::none) return Vec3::Zero();
  const double* w = v + model::translation_count(body);
  if (body.rotation == RotationKind::one) return w[0] * body.axis_W;
  return X_WC.R * Vec3(w[0], w[1], w[2]);
}

void add_generalised_force(const Body& body, const Pose& X_WC, const Vec3& force_W,
                           const Vec3& torque_W, double* f) {
  if (body.velocities == 0) return;
  int k = 0;
  for (int axis = 0; axis < 3; ++axis)
    if (body.translations[static_cast<std::size_t>(axis)]) f[k++] += force_W[axis];
  if (body.rotation == RotationKind::one) {
    f[k] += body.axis_W.dot(torque_W);
  } else if (body.rotation == RotationKind::three) {
    const Vec3 torque_B = X_WC.R.conjugate() * torque_W;
    for (int i = 0; i < 3; ++i) f[k + i] += torque_B[i];
  }
}

void point_row(const Body& body, const Pose& X_WC, const Vec3& r_W, const Vec3& direction_W,
               double* row) {
  std::fill(row, row + body.velocities, 0.0);
  add_generalised_force(body, X_WC, direction_W, r_W.cross(direction_W), row);
}

Pose advanced(const Body& body, const Pose& X_WC, const double* v, double h) {
  CAIRN_DCHECK(base::is_rotation(X_WC.R), body.name, X_WC.R.norm());
  Pose next = X_WC;
  if (body.velocities == 0) return next;
  next.p += h * linear_velocity(body, v);
  const double* w = v + model::translation_count(body);
  if (body.rotation == RotationKind::one) {
    next.R = exp_rotation(h * w[0] * body.axis_W) * X_WC.R;
  } else if (body.rotation == RotationKind::three) {
    next.R = X_WC.R * exp_rotation(h * Vec3(w[0], w[1], w[2]));
  }
  if (body.rotation != RotationKind::none) next.R.normalize();
  CAIRN_DCHECK(base::is_rotation(next.R), body.name);
  return next;
}

void mean_velocity(const Body& body, const Pose& from, const Pose& to, double h, double* v) {
  CAIRN_DCHECK(h > 0, h);
  const Eigen::AngleAxisd turn(to.R * from.R.conjugate());
  std::fill(v, v + body.velocities, 0.0);
  add_generalised_force(body, from, (to.p - from.p) / h, turn.angle() / h * turn.axis(), v);
}

namespace {

Pose pose_of(const Body& body, const Vec3& origin, double angle) {
  Pose X_WB{origin, exp_rotation(angle * body.motion->axis) * body.R_WB0};
  X_WB.p = X_WB * body.p_Bcm;
  CAIRN_DCHECK(base::is_rotation(X_WB.R), body.name, angle);
  return X_WB;
}

}  // namespace

Pose prescribed_pose(const Body& body, double t) {
  CAIRN_DCHECK(body.motion.has_value(), body.name);
  return pose_of(body, evaluate(body.motion->position, t), body.motion->angle(t));
}

bool may_bend(const Motion& motion) {
  return motion.angle.has_kinks() ||
         std::any_of(motion.position.begin(), motion.position.end(),
                     [](const TimeFunction& f) { return f.has_kinks(); });
}

Pose prescribed_pose_beside(const Body& body, double t, TimeFunction::Side side, double h,
                            double dt) {
  CAIRN_DCHECK(body.motion.has_value(), body.name);
  const Motion& motion = *body.motion;
  const auto moved = [&](const TimeFunction& f) {
    return f(t) + dt * f.limit(t, side, limit_share * h).slope;
  };
  const Vec3 origin(moved(motion.position[0]), moved(motion.position[1]),
                    moved(motion.position[2]));
  return pose_of(body, origin, moved(motion.angle));
}

bool velocity_jumps(const Motion& motion, double t, double h) {
  const auto jumps = [&](const TimeFunction& f) {
    if (!f.has_kinks()) return false;
    const double within = limit_share * h;
    return f.limit(t, TimeFunction::Side::left, within).slope !=
           f.limit(t, TimeFunction::Side::right, within).slope;
  };
  return jumps(motion.angle) || std::any_of(motion.position.begin(), motion.position.end(), jumps);
}

void mass_matrix(const Body& body, double (&A)[6][6]) {
  CAIRN_DCHECK(body.velocities <= 6, body.velocities);
  for (auto& row : A) std::fill(row, row + 6, 0.0);
  const int k = model::translation_count(body);
  for (int i = 0; i < k; ++i) A[i][i] = body.mass;
  if (body.rotation == RotationKind::one) {
    const Vec3 axis_B = body.R_WB0.conjugate() * body.axis_W;
    A[k][k] = axis_B.dot(body.inertia_B * axis_B);
  } else if (body.rotation == RotationKind::three) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) A[k + i][k + j] = body.inertia_B(i, j);
  }
}

}  // namespace cairn::dynamics
