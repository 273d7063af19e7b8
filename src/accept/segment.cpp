#include "accept/segment.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "accept/body_velocity.hpp"
#include "base/conventions.hpp"
#include "dynamics/flight.hpp"
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

// The largest |w| and a bound of |w'| of a body that turns freely, from what it keeps, w . I w and
// |I w|: squares of the components in its principal axes lie on a segment.
struct Polhode {
  double speed = 0, change = 0;
};
Polhode polhode_of(const Mat3& inertia, const Vec3& w) {
  const Vec3 I = Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  const Vec3 L = inertia * w;
  const double energy = w.dot(L), square = L.squaredNorm();
  double most = w.squaredNorm();
  for (const auto& [j, k] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
    const double y = (square - I[j] * energy) / (I[k] * (I[k] - I[j])),
                 x = (energy - I[k] * y) / I[j];
    if (x >= 0 && y >= 0 && std::isfinite(x + y)) most = std::max(most, x + y);
  }
  const double torque =
      std::sqrt(std::max(0x1p-50 * square * most, square * most - energy * energy));
  return {std::sqrt(most), std::min(torque / I[0], most / std::sqrt(3.0))};
}

// (E427): how far a body that turns freely is from the even turn between its ends, as an angle.
// `sway` is that of an angular velocity which changes evenly.
double tumbling_sway(const Body& body, const Vec3& w0, const Vec3& w1, double length, double sway) {
  if (body.rotation != RotationKind::three || dynamics::turns_evenly(body)) return sway;
  constexpr double all = 2;  // no point is farther than the diameter [rad]
  const double most = std::max(w0.norm(), w1.norm()), shape = 1 / std::sqrt(3.0);
  Polhode polhode{most / (1 - 0.5 * shape * most * length), 0};
  polhode.change = shape * polhode.speed * polhode.speed;
  if (!(shape * most * length < 1)) polhode = polhode_of(body.inertia_B, w0);
  const double jerk = std::sqrt(2.0) * polhode.change * polhode.speed;
  return std::min(all, sway + jerk * length * length * length / 24);
}

collide::BodyPath path_of(const Body& body, const Pose& from, const Pose& to, const double* v_from,
                          const double* v_to, double length) {
  const Vec3 v0 = dynamics::linear_velocity(body, v_from),
             v1 = dynamics::linear_velocity(body, v_to);
  const Vec3 w0 = angular_velocity_B(body, from, v_from), w1 = angular_velocity_B(body, to, v_to);
  const Vec3 shift = 0.5 * length * (v0 + v1), turn = 0.5 * length * (w0 + w1);
  collide::BodyPath path{from, to.p - from.p, turn_between(from.R, to.R, turn), 0};
  // A parabola is farthest from its chord in the middle, by length |v1 - v0| / 8. What the ends
  // show beyond the mean velocities counts in full.
  if (length > 0) {
    const double sway = length / 8 * (w1 - w0).norm() + (path.turn_B - turn).norm();
    path.bend = length / 8 * (v1 - v0).norm() + (path.shift_W - shift).norm() +
                body.radius * tumbling_sway(body, w0, w1, length, sway);
  }
  return path;
}

constexpr int most_pieces = 64;

bool moves_by_itself(const Body& body) {
  return body.kind == BodyKind::prescribed;
}

}  // namespace

collide::BodyPath prescribed_path(const Body& body, double t, double length) {
  const Motion& motion = *body.motion;
  const Pose start = dynamics::prescribed_pose(body, t),
             end = dynamics::prescribed_pose(body, t + length);
  const double turn = motion.angle(t + length) - motion.angle(t);
  const double sway = std::min(2.0, motion.angle.over(t, t + length).from_chord(length));
  double square = 0;
  for (const TimeFunction& f : motion.position) {
    const double bend = f.over(t, t + length).from_chord(length);
    square += bend * bend;
  }
  // The centre of mass moves on an arc about the origin of the body frame.
  const double arm = motion.axis.cross(start.R * body.p_Bcm).norm();
  const double arc = arm * std::min(2.0, turn * turn / 8 + sway);
  return {start, end.p - start.p, start.R.conjugate() * (turn * motion.axis),
          std::sqrt(square) + arc, sway};
}

int pieces_of(const Model& model, const collide::PathSegment& segment, double tolerance) {
  for (int n = 1; n < most_pieces; n *= 2) {
    bool good = true;
    for (std::size_t b = 0; b < model.bodies.size() && good; ++b)
      for (int i = 0; i < n && good && moves_by_itself(model.bodies[b]); ++i) {
        const double length = segment.length / n;
        const collide::BodyPath path =
            prescribed_path(model.bodies[b], segment.t + i * length, length);
        good = path.bend + path.sway * model.bodies[b].radius <= tolerance;
      }
    if (good) return n;
  }
  return most_pieces;
}

void make_piece(const Model& model, const collide::PathSegment& segment, int i, int n,
                collide::PathSegment& piece) {
  const double share = 1.0 / n;
  collide::cut(segment, i * share, std::min(1.0, (i + 1) * share), piece);
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    if (moves_by_itself(model.bodies[b]))
      piece.bodies[b] = prescribed_path(model.bodies[b], piece.t, piece.length);
}

void make_segment(const Model& model, const scheme::PathKnot& from, const scheme::PathKnot& to,
                  collide::PathSegment& segment) {
  CAIRN_DCHECK(from.poses.size() == model.bodies.size(), from.poses.size());
  CAIRN_DCHECK(to.poses.size() == model.bodies.size(), to.poses.size());
  segment.t = from.t;
  // Times are sums of parts: what is left between two knots of one moment is rounding.
  const double length = to.t - from.t, rounding = 0x1p-48 * std::abs(to.t);
  segment.length = length > rounding ? length : 0;
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
