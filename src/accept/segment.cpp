#include "accept/segment.hpp"

#include <cmath>
#include <numbers>

#include "base/conventions.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::accept {
namespace {

// Rotation vector from `from` to `to` in the frame of `from` that is nearest to `expected`: full
// turns are counted.
Vec3 turn_between(const Quat& from, const Quat& to, const Vec3& expected) {
  Quat q = from.conjugate() * to;
  if (q.w() < 0) q.coeffs() *= -1;
  const double sine = q.vec().norm(), angle = 2 * std::atan2(sine, q.w());
  const double least = 1e-8;  // rad; below it the direction of a turn is that of the velocity
  const Vec3 axis = sine > least || expected.isZero() ? Vec3(q.vec() / std::max(sine, 0x1p-1000))
                                                      : expected.normalized();
  const double along = expected.dot(axis), turn = 2 * std::numbers::pi;
  const double here = sine > least || expected.isZero() ? angle : 2 * q.vec().dot(axis);
  return axis * (here + turn * std::round((along - here) / turn));
}

collide::BodyPath path_of(const Body& body, const Pose& from, const Pose& to, const double* v_from,
                          const double* v_to, double length) {
  const Vec3 v0 = dynamics::linear_velocity(body, v_from),
             v1 = dynamics::linear_velocity(body, v_to);
  const Quat to_body = from.R.conjugate();
  const Vec3 w0 = to_body * dynamics::angular_velocity(body, from, v_from),
             w1 = to.R.conjugate() * dynamics::angular_velocity(body, to, v_to);
  const Vec3 shift = 0.5 * length * (v0 + v1), turn = 0.5 * length * (w0 + w1);
  collide::BodyPath path{from, to.p - from.p, turn_between(from.R, to.R, turn), 0};
  // A parabola is farthest from its chord in the middle, by length |v1 - v0| / 8. What the ends
  // show beyond the mean velocities counts in full.
  if (length > 0)
    path.bend = length / 8 * ((v1 - v0).norm() + body.radius * (w1 - w0).norm()) +
                (path.shift_W - shift).norm() + body.radius * (path.turn_B - turn).norm();
  return path;
}

}  // namespace

void make_segment(const Model& model, const scheme::PathKnot& from, const scheme::PathKnot& to,
                  collide::PathSegment& segment) {
  CAIRN_DCHECK(from.poses.size() == model.bodies.size(), from.poses.size());
  CAIRN_DCHECK(to.poses.size() == model.bodies.size(), to.poses.size());
  CAIRN_DCHECK(to.t >= from.t, from.t, to.t);
  segment.t = from.t;
  segment.length = to.t - from.t;
  segment.bodies.clear();
  static constexpr double rest[6] = {};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const bool free = body.velocities > 0;
    const double* v_from = free ? from.v.data() + body.first_velocity : rest;
    const double* v_to = free ? to.v.data() + body.first_velocity : rest;
    if (free && segment.length > 0)
      segment.bodies.push_back(
          path_of(body, from.poses[i], to.poses[i], v_from, v_to, segment.length));
    else
      segment.bodies.push_back({from.poses[i], to.poses[i].p - from.poses[i].p,
                                turn_between(from.poses[i].R, to.poses[i].R, Vec3::Zero()), 0});
  }
}

}  // namespace cairn::accept
