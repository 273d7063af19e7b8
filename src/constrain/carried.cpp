#include "constrain/carried.hpp"

#include <array>

#include "base/conventions.hpp"

namespace cairn::constrain {
namespace {

// Faces, edges and corners alone: contact points do not travel while it sticks.
bool is_flat(const Geometry& geometry) {
  return std::holds_alternative<Box>(geometry) || std::holds_alternative<Hull>(geometry) ||
         std::holds_alternative<Polygon>(geometry) || std::holds_alternative<Halfspace>(geometry) ||
         std::holds_alternative<Point>(geometry);
}

}  // namespace

Vec3 carried_velocity(const Model& model, std::span<const Pose> poses,
                      std::span<const Pose> poses_end, const Contact& c, double h) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(poses.size() == poses_end.size(), poses.size());
  const std::array<BodyId, 2> ids = {c.key.body_a, c.key.body_b};
  Vec3 velocity = Vec3::Zero();
  for (std::size_t side = 0; side < 2; ++side) {
    if (model.body(ids[side]).kind != BodyKind::prescribed) continue;
    const bool carries = model.body(ids[1 - side]).velocities > 0 &&
                         is_flat(model.shapes[index(c.key.shape_a)].geometry) &&
                         is_flat(model.shapes[index(c.key.shape_b)].geometry);
    const Pose &from = poses[index(ids[side])], &to = poses_end[index(ids[side])];
    const Vec3 centre = carries ? poses[index(ids[1 - side])].p : c.p_WC;
    Vec3 moved = (to * (from.inverse() * centre) - centre) / h;
    if (carries) {
      const Eigen::AngleAxisd turn(to.R * from.R.conjugate());
      moved += (turn.angle() / h * turn.axis()).cross(c.p_WC - centre);
    }
    velocity += (side == 0 ? -1 : 1) * moved;
  }
  return velocity;
}

}  // namespace cairn::constrain
