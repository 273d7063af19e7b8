#include "scheme/trapezoidal/interpolant.hpp"

#include <cmath>
#include <numbers>

#include "base/conventions.hpp"
#include "dynamics/flight.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::scheme {
namespace {

// Hermite's cubic on [0, h] and its derivative at tau.
struct Cubic {
  double from, to, rate_from, rate_to;  // weights of the value

  static Cubic value(double h, double tau) {
    const double s = tau / h, r = 1 - s;
    return {r * r * (1 + 2 * s), s * s * (3 - 2 * s), h * s * r * r, -h * s * s * r};
  }
  static Cubic rate(double h, double tau) {
    const double s = tau / h, r = 1 - s;
    return {-6 * s * r / h, 6 * s * r / h, r * (1 - 3 * s), s * (3 * s - 2)};
  }
  template <class T>
  T operator()(const T& a, const T& b, const T& da, const T& db) const {
    return from * a + to * b + rate_from * da + rate_to * db;
  }
};

// With R(t) = R exp(phi(t)) the angular velocity in the body is turning(phi) phi'. A series where
// the closed form cancels.
Mat3 turning(const Vec3& phi) {
  const double x2 = phi.squaredNorm(), x = std::sqrt(x2);
  const double a = x > 0.01 ? (1 - std::cos(x)) / x2 : 0.5 - x2 / 24 + x2 * x2 / 720;
  const double b = x > 0.01 ? (x - std::sin(x)) / (x2 * x) : 1.0 / 6 - x2 / 120 + x2 * x2 / 5040;
  const Mat3 K = cross(phi);
  return Mat3::Identity() - a * K + b * K * K;
}

// Its inverse.
Mat3 turning_inverse(const Vec3& phi) {
  const double x2 = phi.squaredNorm(), x = std::sqrt(x2);
  const double c = x > 0.01 ? (1 - x / 2 / std::tan(x / 2)) / x2 : 1.0 / 12 + x2 / 720;
  const Mat3 K = cross(phi);
  return Mat3::Identity() + 0.5 * K + c * K * K;
}

// With as many full turns as bring it nearest to the rotation that the velocities make of it.
Vec3 rotation_vector(const Quat& from, const Quat& to, const Vec3& expected) {
  Quat turn = from.conjugate() * to;
  if (turn.w() < 0) turn.coeffs() = -turn.coeffs();
  const double sine = turn.vec().norm();
  if (!(sine > 0)) return Vec3::Zero();
  const Vec3 axis = turn.vec() / sine;
  const double angle = 2 * std::atan2(sine, turn.w()), full = 2 * std::numbers::pi;
  return axis * (angle + full * std::round((axis.dot(expected) - angle) / full));
}

}  // namespace

void interpolate(const Model& model, const Phase& from, const Phase& to, double tau,
                 std::span<const char> no_torque, std::size_t i, Phase& out) {
  const double h = to.t - from.t;
  const Body& body = model.bodies[i];
  const Pose &a = from.poses[i], &b = to.poses[i];
  out.poses[i] = a;
  if (body.kind == BodyKind::prescribed)
    out.poses[i] = dynamics::prescribed_pose(body, from.t + tau);
  if (body.velocities == 0) return;
  const Cubic value = Cubic::value(h, tau), rate = Cubic::rate(h, tau);
  int k = body.first_velocity;
  for (int axis = 0; axis < 3; ++axis) {
    if (!body.translations[static_cast<std::size_t>(axis)]) continue;
    out.poses[i].p[axis] = a.p[axis] + value(0.0, b.p[axis] - a.p[axis], from.v[k], to.v[k]);
    out.v[k] = rate(0.0, b.p[axis] - a.p[axis], from.v[k], to.v[k]);
    ++k;
  }
  if (body.rotation == RotationKind::one) {
    const Vec3 mean_B = a.R.conjugate() * body.axis_W * (0.5 * (from.v[k] + to.v[k]));
    const double angle = (a.R * rotation_vector(a.R, b.R, h * mean_B)).dot(body.axis_W);
    const double phi = value(0.0, angle, from.v[k], to.v[k]);
    out.poses[i].R = (exp_rotation(phi * body.axis_W) * a.R).normalized();
    out.v[k] = rate(0.0, angle, from.v[k], to.v[k]);
  } else if (no_torque[i]) {
    double end[6];
    out.poses[i].R = dynamics::drift(body, a, from.v.data() + body.first_velocity, tau, end).R;
    out.v.segment<3>(k) = Eigen::Map<const Vec3>(end + (k - body.first_velocity));
  } else if (body.rotation == RotationKind::three) {
    const Vec3 w = from.v.segment<3>(k), zero = Vec3::Zero();
    const Vec3 end = rotation_vector(a.R, b.R, 0.5 * h * (w + to.v.segment<3>(k)));
    const Vec3 end_rate = turning_inverse(end) * to.v.segment<3>(k);
    const Vec3 phi = value(zero, end, w, end_rate);
    out.poses[i].R = (a.R * exp_rotation(phi)).normalized();
    out.v.segment<3>(k) = turning(phi) * rate(zero, end, w, end_rate);
  }
}

void interpolate(const Model& model, const Phase& from, const Phase& to, double tau,
                 std::span<const char> no_torque, Phase& out) {
  CAIRN_DCHECK(no_torque.size() == model.bodies.size(), no_torque.size());
  CAIRN_DCHECK(from.poses.size() == to.poses.size(), from.poses.size());
  CAIRN_DCHECK(from.poses.size() == model.bodies.size(), from.poses.size());
  out.t = from.t + tau;
  out.poses.resize(model.bodies.size());
  out.v.resize(model.velocities);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    interpolate(model, from, to, tau, no_torque, i, out);
}

void drift_bodies(const Model& model, const Phase& from, double h, Phase& out) {
  out.t = from.t + h;
  out.poses = from.poses;
  out.v = from.v;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.kind == BodyKind::prescribed) out.poses[i] = dynamics::prescribed_pose(body, out.t);
    if (body.velocities > 0)
      out.poses[i] = dynamics::drift(body, from.poses[i], from.v.data() + body.first_velocity, h,
                                     out.v.data() + body.first_velocity);
  }
}

void move_bodies(const Model& model, const Phase& from, const VecX& v, double h, Phase& out) {
  CAIRN_DCHECK(v.size() == model.velocities, v.size());
  CAIRN_DCHECK(from.poses.size() == model.bodies.size(), from.poses.size());
  out.t = from.t + h;
  out.poses = from.poses;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.kind == BodyKind::prescribed) out.poses[i] = dynamics::prescribed_pose(body, out.t);
    if (body.velocities > 0)
      out.poses[i] = dynamics::advanced(body, from.poses[i], v.data() + body.first_velocity, h);
  }
}

}  // namespace cairn::scheme
