#include "constrain/carried.hpp"

#include <array>
#include <cmath>

#include "base/conventions.hpp"
#include "constrain/rows.hpp"

namespace cairn::constrain {
namespace {

bool is_flat(const Geometry& geometry) {
  return std::holds_alternative<Box>(geometry) || std::holds_alternative<Hull>(geometry) ||
         std::holds_alternative<Polygon>(geometry) || std::holds_alternative<Halfspace>(geometry) ||
         std::holds_alternative<Point>(geometry);
}

constexpr double most_turn = 0.25;  // in a step, beyond which chords are used [rad]

Vec3 rotation_vector(const Pose& from, const Pose& to) {
  const Eigen::AngleAxisd turn(to.R * from.R.conjugate());
  return turn.angle() * turn.axis();
}

}  // namespace

bool is_flat_contact(const Model& model, const ContactKey& key) {
  if (is_limit(key)) return false;
  return is_flat(model.shapes[index(key.shape_a)].geometry) &&
         is_flat(model.shapes[index(key.shape_b)].geometry);
}

Vec3 carried_velocity(const Model& model, std::span<const Pose> poses,
                      std::span<const Pose> poses_end, const Contact& c, double h) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(poses.size() == poses_end.size(), poses.size());
  if (c.lever > 0) return c.lever * prescribed_spin(model, poses, poses_end, c, h);
  const std::array<BodyId, 2> ids = {c.key.body_a, c.key.body_b};
  Vec3 velocity = Vec3::Zero();
  for (std::size_t side = 0; side < 2; ++side) {
    if (model.body(ids[side]).kind != BodyKind::prescribed) continue;
    const bool carries = model.body(ids[1 - side]).velocities > 0 && is_flat_contact(model, c.key);
    const Pose &from = poses[index(ids[side])], &to = poses_end[index(ids[side])];
    const Vec3 centre = carries ? poses[index(ids[1 - side])].p : c.p_WC;
    Vec3 moved = (to * (from.inverse() * centre) - centre) / h;
    if (carries) moved += (rotation_vector(from, to) / h).cross(c.p_WC - centre);
    velocity += (side == 0 ? -1 : 1) * moved;
  }
  return velocity;
}

// d = V u h: displacement d and velocity u of the point, V the mean of the rotations exp(s r) over
// s in [0, 1], r the rotation vector of the step.
Vec3 screw_velocity(const Pose& from, const Pose& to, const Vec3& point, double h) {
  CAIRN_DCHECK(h > 0, h);
  const Vec3 d = to * (from.inverse() * point) - point, r = rotation_vector(from, to);
  const double angle = r.norm();
  if (!(angle > 0) || angle > most_turn) return d / h;
  const double kappa = (1 - angle / 2 / std::tan(angle / 2)) / (angle * angle);
  return (d - 0.5 * r.cross(d) + kappa * r.cross(r.cross(d))) / h;
}

Vec3 screw_velocity(const Model& model, std::span<const Pose> poses,
                    std::span<const Pose> poses_end, const Contact& c, double h) {
  if (c.lever > 0) return c.lever * prescribed_spin(model, poses, poses_end, c, h);
  const std::array<BodyId, 2> ids = {c.key.body_a, c.key.body_b};
  Vec3 velocity = Vec3::Zero();
  for (std::size_t side = 0; side < 2; ++side) {
    if (model.body(ids[side]).kind != BodyKind::prescribed) continue;
    const Pose &from = poses[index(ids[side])], &to = poses_end[index(ids[side])];
    const Vec3 r = rotation_vector(from, to);
    if (r.norm() > most_turn) return carried_velocity(model, poses, poses_end, c, h);
    // From the centre of mass, so that the points of one body have the same rounding.
    const Vec3 centre =
        model.body(ids[1 - side]).velocities > 0 ? poses[index(ids[1 - side])].p : c.p_WC;
    const Vec3 moved = screw_velocity(from, to, centre, h) + (r / h).cross(c.p_WC - centre);
    velocity += (side == 0 ? -1 : 1) * moved;
  }
  return velocity;
}

}  // namespace cairn::constrain
