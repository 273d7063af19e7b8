// How a body moves over a part of a step: the path on which the swept test looks for overlaps.
#pragma once

#include <vector>

#include "cairn/math.hpp"

namespace cairn::collide {

// Pose at tau in [0, 1]: p = start.p + tau shift_W, R = start.R exp(tau turn_B), full turns
// counted. No point of the true path is farther from this one at the same tau than `bend` plus
// `sway` times its distance from the centre of mass.
struct BodyPath {
  Pose start;                   // of the centre-of-mass frame
  Vec3 shift_W = Vec3::Zero();  // [m]
  Vec3 turn_B = Vec3::Zero();   // rotation vector in the body frame [rad]
  double bend = 0;              // [m]
  double sway = 0;              // [rad]
};

// All bodies of a model over one stretch of time. A projection is a stretch of length zero.
struct PathSegment {
  double t = 0;       // at the beginning [s]
  double length = 0;  // [s]
  std::vector<BodyPath> bodies;
};

Pose pose_at(const BodyPath& path, double tau);

// The part from tau0 to tau1, again over [0, 1]. Its bend is that of the whole.
BodyPath cut(const BodyPath& path, double tau0, double tau1);
void cut(const PathSegment& segment, double tau0, double tau1, PathSegment& out);

}  // namespace cairn::collide
