// The normal that separates two ellipsoids (or an ellipsoid and a point) best.
//
//   d  from the centre of A to the centre of B        L  maps the unit ball to an ellipsoid
//   h(n) = |L^T n|  support function                  s(n) = L L^T n / h  support point
//   f(n) = n.d - h_A(n) - h_B(n)                      signed gap of the two planes with normal n
//
// The signed distance is the maximum of f over unit vectors n. On the sphere f has the gradient T^T
// (d - s_A - s_B) and the Hessian -(K + f I) with K = T^T (H_A + H_B) T, T a basis of the tangent
// plane and H >= 0 the Hessian of h.
#pragma once

#include "collide/pairs/round.hpp"

namespace cairn::collide {

// f, its gradient and the curvature K at n.
template <int D>
struct Probe {
  Vec<D> n = Vec<D>::Zero();
  double f = 0;                       // [m]
  double size = 0;                    // |d| + h_A + h_B, the size of the terms of f [m]
  Eigen::Matrix<double, D, D - 1> T;  // tangent basis [-]
  Vec<D - 1> g = Vec<D - 1>::Zero();  // gradient [m]
  Mat<D - 1> K = Mat<D - 1>::Zero();  // sum of the radii of curvature [m]
};

// Maximum of f. At least one of the two has an ellipsoid; radii and segments of both are ignored.
template <int D>
Probe<D> peak(const Round<D>& a, const Round<D>& b, const Vec<D>& d);

// The stationary point uphill of `start`; a local maximum only.
template <int D>
Probe<D> climb(const Round<D>& a, const Round<D>& b, const Vec<D>& d, const Vec<D>& start);

extern template Probe<2> peak(const Round<2>&, const Round<2>&, const Vec<2>&);
extern template Probe<3> peak(const Round<3>&, const Round<3>&, const Vec<3>&);

extern template Probe<3> climb(const Round<3>&, const Round<3>&, const Vec<3>&, const Vec<3>&);
extern template Probe<2> climb(const Round<2>&, const Round<2>&, const Vec<2>&, const Vec<2>&);

}  // namespace cairn::collide
