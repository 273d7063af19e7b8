// Closest points of two round shapes: closed forms between points and segments, the best separating
// normal for ellipsoids, ends and shadow for a segment and an ellipsoid.
#include "collide/pairs/round.hpp"

#include <algorithm>
#include <cmath>

#include "collide/ratio/peak.hpp"

namespace cairn::collide {
namespace {

Vec<2> across(const Vec<2>& axis) {
  return {-axis.y(), axis.x()};
}
Vec<3> across(const Vec<3>& axis) {
  return tangents(axis).t1;
}

// Farthest point of the shape in the direction n, without its segment.
template <int D>
Vec<D> support(const Round<D>& shape, const Vec<D>& n) {
  Vec<D> s = shape.radius * n;
  if (shape.has_ellipsoid) s += shape.L * (shape.L.transpose() * n).normalized();
  return s;
}

template <int D>
Touch<D> touch_at(const Round<D>& a, const Round<D>& b, const Vec<D>& n, double core_gap) {
  return {n, core_gap - (a.radius + b.radius), support<D>(a, n), -support<D>(b, n)};
}

// The ellipsoid seen along the unit vector u, as the best normal across u for a centre at d.
Probe<2> shadow_peak(const Round<2>& a, const Vec<2>& d, const Vec<2>& u) {
  Probe<2> best;
  best.n = across(u);
  if (best.n.dot(d) < 0) best.n = -best.n;
  best.f = best.n.dot(d) - (a.L.transpose() * best.n).norm();
  return best;
}

Probe<3> shadow_peak(const Round<3>& a, const Vec<3>& d, const Vec<3>& u) {
  const Tangents t = tangents(u);
  Eigen::Matrix<double, 3, 2> E;
  E << t.t1, t.t2;
  // Support |L^T E m| = |U m| with L^T E = (orthonormal columns) U. A ball that rolls inside the
  // ellipsoid casts a shadow that rolls inside its shadow: the least radius of curvature is no
  // less.
  const Eigen::Matrix<double, 3, 2> P = a.L.transpose() * E;
  const double u00 = P.col(0).norm();
  const Vec<3> q = P.col(0) / u00;
  const double u01 = q.dot(P.col(1));
  Round<2> shadow;
  shadow.L << u00, 0, u01, (P.col(1) - u01 * q).norm();
  shadow.least_curvature_radius = a.least_curvature_radius;
  shadow.has_ellipsoid = true;
  const Probe<2> flat = peak<2>(shadow, {}, E.transpose() * d);
  Probe<3> best;
  best.n = E * flat.n;
  best.f = flat.f;
  return best;
}

// Best normal n between the ellipsoid A and the segment B, and the place t of the witness point on
// the segment. With f(n; d) = n.d - h_A(n) the gap is
//   max F(n),  F(n) = f(n; d) - |n.half| = min( f(n; d + half), f(n; d - half) ),
// so the peak of an end is the answer if it lies on the end's own side; otherwise n is across the
// segment, where the segment is a point and the ellipsoid its shadow. This needs no search along
// the segment and holds for overlap as well.
template <int D>
Touch<D> touch_segment(const Round<D>& a, const Round<D>& b, const Vec<D>& d) {
  const auto at_end = [&](const Probe<D>& p, double t) {
    Touch<D> found = touch_at<D>(a, b, p.n, p.f);
    found.b += t * b.half;
    return found;
  };
  const Probe<D> upper = peak<D>(a, b, d + b.half);
  if (upper.n.dot(b.half) <= 0) return at_end(upper, 1);
  const Probe<D> lower = peak<D>(a, b, d - b.half);
  if (lower.n.dot(b.half) >= 0) return at_end(lower, -1);

  const Probe<D> side = shadow_peak(a, d, Vec<D>(b.half.normalized()));
  if (side.f < 0) {
    // The segment pierces the ellipsoid: pulling it out along its length may be the shorter way.
    Probe<D> best = side;
    double end = 0;
    for (const double t : {1.0, -1.0})
      for (const Vec<D>& start : {lower.n, upper.n, side.n, Vec<D>(-side.n)}) {
        const Probe<D> out = climb<D>(a, b, d + t * b.half, start);
        if (t * out.n.dot(b.half) <= 0 && out.f > best.f) best = out, end = t;
      }
    if (end != 0) return at_end(best, end);
  }
  Touch<D> found = touch_at<D>(a, b, side.n, side.f);
  const double t = (found.a - a.radius * side.n - d).dot(b.half) / b.half.squaredNorm();
  found.b += std::clamp(t, -1.0, 1.0) * b.half;
  return found;
}

}  // namespace

template <int D>
Vec<D> direction(const Vec<D>& d, const Vec<D>& along) {
  if ((d.array() != 0).any()) return d.normalized();
  if ((along.array() != 0).any()) return across(Vec<D>(along.normalized()));
  return Vec<D>::Unit(D - 1);
}

template <int D>
Touch<D> touch(const Round<D>& a, const Round<D>& b, const Vec<D>& d) {
  if (a.has_segment()) return touch<D>(b, a, -d).exchanged();
  if (b.has_segment()) {
    if (a.has_ellipsoid) return touch_segment<D>(a, b, d);
    const double t = std::clamp(-d.dot(b.half) / b.half.squaredNorm(), -1.0, 1.0);
    const Vec<D> offset = t * b.half, to_axis = d + offset;
    Touch<D> found = touch_at<D>(a, b, direction<D>(to_axis, b.half), to_axis.norm());
    found.b += offset;
    return found;
  }
  if (!a.has_ellipsoid && !b.has_ellipsoid)
    return touch_at<D>(a, b, direction<D>(d, Vec<D>::Zero()), d.norm());
  const Probe<D> best = peak<D>(a, b, d);
  return touch_at<D>(a, b, best.n, best.f);
}

template Touch<2> touch(const Round<2>&, const Round<2>&, const Vec<2>&);
template Touch<3> touch(const Round<3>&, const Round<3>&, const Vec<3>&);
template Vec<2> direction(const Vec<2>&, const Vec<2>&);
template Vec<3> direction(const Vec<3>&, const Vec<3>&);

}  // namespace cairn::collide
