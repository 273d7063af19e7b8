#include "record/check/rebuild/mechanics.hpp"

#include <cmath>

#include "record/check/rebuild/free_turn.hpp"

namespace cairn::record {

int translations_of(const Body& body) {
  return static_cast<int>(body.translations[0]) + static_cast<int>(body.translations[1]) +
         static_cast<int>(body.translations[2]);
}

Row6 generalised(const Body& body, const Pose& X, const Vec3& force, const Vec3& torque) {
  Row6 row = Row6::Zero();
  if (body.velocities == 0) return row;
  int k = 0;
  for (int axis = 0; axis < 3; ++axis)
    if (body.translations[static_cast<std::size_t>(axis)]) row[k++] = force[axis];
  if (body.rotation == RotationKind::one) row[k] = body.axis_W.dot(torque);
  if (body.rotation == RotationKind::three) row.segment<3>(k) = X.R.conjugate() * torque;
  return row;
}

Row6 point_row_of(const Body& body, const Pose& X, const Vec3& point, const Vec3& along) {
  return generalised(body, X, along, (point - X.p).cross(along));
}

Row6 turn_row_of(const Body& body, const Pose& X, const Vec3& axis) {
  return generalised(body, X, Vec3::Zero(), axis);
}

Block6 mass_of(const Body& body) {
  Block6 M = Block6::Zero();
  const int k = translations_of(body);
  for (int i = 0; i < k; ++i) M(i, i) = body.mass;
  if (body.rotation == RotationKind::one) {
    const Vec3 axis = body.R_WB0.conjugate() * body.axis_W;
    M(k, k) = axis.dot(body.inertia_B * axis);
  }
  if (body.rotation == RotationKind::three) M.block<3, 3>(k, k) = body.inertia_B;
  return M;
}

Row6 velocities_of_body(const Body& body, const VecX& v) {
  Row6 row = Row6::Zero();
  for (int k = 0; k < body.velocities; ++k) row[k] = v[body.first_velocity + k];
  return row;
}

UnitFactors unit_factors(const Body& body, const Units& units) {
  UnitFactors f;
  const int k = translations_of(body);
  for (int i = 0; i < 6; ++i) {
    f.velocity[i] = i < k ? units.speed() : 1 / units.time;
    f.momentum[i] = i < k ? units.impulse() : units.impulse() * units.length;
  }
  return f;
}

Pose prescribed_at(const Body& body, double t) {
  const Motion& motion = *body.motion;
  const Quat R = exp_rotation(motion.angle(t) * motion.axis) * body.R_WB0;
  const Vec3 origin(motion.position[0](t), motion.position[1](t), motion.position[2](t));
  return {origin + R * body.p_Bcm, R};
}

Pose prescribed_after(const Body& body, double t, double dt, double h) {
  const Motion& motion = *body.motion;
  bool kinks = motion.angle.has_kinks();
  for (const TimeFunction& f : motion.position) kinks = kinks || f.has_kinks();
  if (!kinks) return prescribed_at(body, t + dt);
  const auto at = [&](const TimeFunction& f) {
    return f(t) + dt * f.limit(t, TimeFunction::Side::right, 0x1p-20 * h).slope;
  };
  const Quat R = exp_rotation(at(motion.angle) * motion.axis) * body.R_WB0;
  const Vec3 origin(at(motion.position[0]), at(motion.position[1]), at(motion.position[2]));
  return {origin + R * body.p_Bcm, R};
}

Pose moved_by(const Body& body, const Pose& X, const Row6& v, double h, Row6* v_end) {
  Pose end = X;
  if (v_end) *v_end = v;
  if (body.velocities == 0) return end;
  int k = 0;
  for (int axis = 0; axis < 3; ++axis)
    if (body.translations[static_cast<std::size_t>(axis)]) end.p[axis] += h * v[k++];
  if (body.rotation == RotationKind::one) end.R = exp_rotation(h * v[k] * body.axis_W) * X.R;
  if (body.rotation == RotationKind::three) {
    const FreeTurn turn = free_turn(body, X.R, v.segment<3>(k), h);
    end.R = turn.R;
    if (v_end) v_end->segment<3>(k) = turn.w;
  }
  end.R.normalize();
  return end;
}

Vec3 mean_velocity(const Pose& X, const Pose& X_end, const Vec3& point, double h) {
  return (X_end * (X.inverse() * point) - point) / h;
}

Vec3 mean_spin(const Pose& X, const Pose& X_end, double h) {
  Quat turn = X_end.R * X.R.conjugate();
  if (turn.w() < 0) turn.coeffs() = -turn.coeffs();
  const double sine = turn.vec().norm();
  if (!(sine > 0)) return Vec3::Zero();
  return turn.vec() * (2 * std::atan2(sine, turn.w()) / sine / h);
}

}  // namespace cairn::record
