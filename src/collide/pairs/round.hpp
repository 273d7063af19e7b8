// Round shapes in D = 2 or 3 dimensions, each a core (a point, an ellipsoid or a segment) with a
// ball swept over it, and the closest points of two of them.
#pragma once

#include "cairn/math.hpp"

namespace cairn::collide {

template <int D>
using Vec = Eigen::Matrix<double, D, 1>;
template <int D>
using Mat = Eigen::Matrix<double, D, D>;

// The set { L u + t half + r w : |u|, |w| <= 1, |t| <= 1 } about its centre. Either L or half or
// both are zero.
template <int D>
struct Round {
  double radius = 0;                  // r of the ball [m]
  Mat<D> L = Mat<D>::Zero();          // maps the unit ball to the ellipsoid [m]
  Vec<D> half = Vec<D>::Zero();       // half of the segment [m]
  double least_curvature_radius = 0;  // of the ellipsoid [m]
  bool has_ellipsoid = false;         // L is not zero
  bool has_segment() const { return (half.array() != 0).any(); }
};

template <int D>
struct Touch {
  Vec<D> n;    // unit normal from A to B [-]
  double gap;  // [m]
  Vec<D> a;    // witness point on A from A's centre [m]
  Vec<D> b;    // witness point on B from B's centre [m]

  Touch exchanged() const { return {-n, gap, b, a}; }
};

// d from A's centre to B's. At most one of the two has a segment.
template <int D>
Touch<D> touch(const Round<D>& a, const Round<D>& b, const Vec<D>& d);

// Unit normal along d; for d = 0 across the axis `along`, and some fixed direction if that is zero
// too.
template <int D>
Vec<D> direction(const Vec<D>& d, const Vec<D>& along);

extern template Touch<2> touch(const Round<2>&, const Round<2>&, const Vec<2>&);
extern template Touch<3> touch(const Round<3>&, const Round<3>&, const Vec<3>&);
extern template Vec<2> direction(const Vec<2>&, const Vec<2>&);
extern template Vec<3> direction(const Vec<3>&, const Vec<3>&);

}  // namespace cairn::collide
