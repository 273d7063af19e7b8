// Closest points of the convex hulls of two lists of points, and the axis of least depth of two
// polyhedra that overlap. Nothing of it runs in a step.
#pragma once

#include <span>

#include "collide/placed.hpp"

namespace cairn::collide {

struct ClosestPoints {
  Vec3 p_A = Vec3::Zero(), p_B = Vec3::Zero();
  double distance = 0;  // 0 where the hulls overlap; the points then lie inside both [m]
};

// By the method of Gilbert, Johnson and Keerthi (E500). Neither list may be empty.
ClosestPoints closest_points(std::span<const Vec3> a, std::span<const Vec3> b);

struct LeastDepth {
  Vec3 n_W = Vec3::UnitX();  // from A to B, unit length [-]
  double separation = 0;     // the largest along any direction; <= 0: minus the depth [m]
  long long looked_at = 0;   // vertices against faces and pairs of edges
};

// (E501): over the face normals of both and all pairs of edges that share a normal. The cost is
// that of all pairs of edges.
LeastDepth least_depth_axis(const Placed& a, const Placed& b);

}  // namespace cairn::collide
