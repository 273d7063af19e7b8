#include "collide/sweep/body_path.hpp"

#include "base/conventions.hpp"

namespace cairn::collide {

Pose pose_at(const BodyPath& path, double tau) {
  Pose X{path.start.p + tau * path.shift_W, path.start.R};
  if (path.turn_B != Vec3::Zero())
    X.R = (path.start.R * exp_rotation(tau * path.turn_B)).normalized();
  return X;
}

BodyPath cut(const BodyPath& path, double tau0, double tau1) {
  CAIRN_DCHECK(0 <= tau0 && tau0 <= tau1 && tau1 <= 1, tau0, tau1);
  const double share = tau1 - tau0;
  return {pose_at(path, tau0), share * path.shift_W, share * path.turn_B, path.bend, path.sway};
}

void cut(const PathSegment& segment, double tau0, double tau1, PathSegment& out) {
  out.t = segment.t + tau0 * segment.length;
  out.length = (tau1 - tau0) * segment.length;
  out.bodies.resize(segment.bodies.size());
  for (std::size_t i = 0; i < segment.bodies.size(); ++i)
    out.bodies[i] = cut(segment.bodies[i], tau0, tau1);
}

}  // namespace cairn::collide
