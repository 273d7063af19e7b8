// The directions along which two convex polyhedra can be apart: face normals of both, and cross
// products of an edge of each. Reads two placements, writes separations.
#pragma once

#include <vector>

#include "collide/placed.hpp"
#include "collide/ratio/ratio.hpp"

namespace cairn::collide {

// A direction that is fixed to features, so that it can be followed from one pose to the next.
struct SeparatingAxis {
  enum class Kind { face_a, face_b, edges };
  Kind kind = Kind::face_a;
  int a = -1, b = -1;  // face of A; face of B; edge of A and edge of B
  double sign = 1;     // edges: of the cross product, so that the axis points from A to B

  bool operator==(const SeparatingAxis&) const = default;
};

// Unit vector from A to B; zero for edges that have become parallel.
Vec3 direction(const SeparatingAxis& axis, const Placed& a, const Placed& b);

// min over B of n.x minus max over A of n.x: > 0 apart [m]. Minus infinity where there is no
// direction.
double separation(const SeparatingAxis& axis, const Placed& a, const Placed& b);

inline constexpr double same_way = 0.9;  // cosine from which two axes count as one [-]

// All axes whose separation is at least `least` and in any case the best one, each with its
// separation; faces of A, faces of B, then edges. Two boxes have nine pairs of edges, each
// represented by those that lie farthest along their cross product; other polyhedra the one at
// which the ratio metric has its event, if that is one of edges.
// Where a face axis already separates by more than `far` the list ends there: the pair is apart.
struct AxisList {
  RatioBasis basis;  // where the ratio metric starts, then where it ended; changes no result
  std::vector<SeparatingAxis> axes;
  std::vector<double> separation;  // [m]
  std::size_t best = 0;  // the largest; faces before edges where they are equal to rounding
};
void list_axes(const Placed& a, const Placed& b, double least, double far, AxisList& out);

// Minus the depth along the axis of least depth where the pair overlaps, else some positive
// separation [m]. Where a face bounds the depth by `rounding` that is the answer.
inline constexpr double overlap_rounding = 0x1p-50;  // of the model's length unit [-]
double overlap_or_gap(const Placed& a, const Placed& b, double rounding, RatioBasis& basis);

}  // namespace cairn::collide
