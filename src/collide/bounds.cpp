// Smallest axis-aligned boxes around shapes.
#include <cmath>

#include "base/infinity.hpp"
#include "collide/broadphase.hpp"

namespace cairn::collide {
namespace {

Aabb around(const Vec3& center, const Vec3& extent) {
  return {center - extent, center + extent};
}

Aabb box_of(const Point&, const Pose& X) {
  return {X.p, X.p};
}

Aabb box_of(const Sphere& s, const Pose& X) {
  return around(X.p, Vec3::Constant(s.radius));
}

Aabb box_of(const Box& s, const Pose& X) {
  return around(X.p, X.R.toRotationMatrix().cwiseAbs() * (0.5 * s.size));
}

Aabb box_of(const Capsule& s, const Pose& X) {
  const Vec3 half = X.R * Vec3(0, 0, 0.5 * s.length);
  return around(X.p, half.cwiseAbs() + Vec3::Constant(s.radius));
}

// Of the circles at both ends.
Aabb box_of(const Frustum& s, const Pose& X) {
  const Mat3 R = X.R.toRotationMatrix();
  const Vec3 half = 0.5 * s.length * R.col(2), ring = R.leftCols<2>().rowwise().norm();
  const Aabb low = around(X.p - half, s.radius * ring),
             top = around(X.p + half, s.top_radius * ring);
  return {low.lo.cwiseMin(top.lo), low.hi.cwiseMax(top.hi)};
}

// Support function along the axes: the norms of the rows of the scaled rotation.
Aabb box_of(const Ellipsoid& s, const Pose& X) {
  const Mat3 L = X.R.toRotationMatrix() * s.radii.asDiagonal();
  return around(X.p, L.rowwise().norm());
}

Aabb box_of(const Halfspace& s, const Pose& X) {
  Aabb box{Vec3::Constant(-base::infinity), Vec3::Constant(base::infinity)};
  const Vec3 n = X.R * s.normal;
  for (int i = 0; i < 3; ++i)
    if (n[(i + 1) % 3] == 0 && n[(i + 2) % 3] == 0) (n[i] > 0 ? box.hi : box.lo)[i] = X.p[i];
  return box;
}

// An infinite cylinder has a finite extent only along axes across it; 2^-40 forgives the rounding
// of rotations.
Aabb cylinder(const Eigen::Vector2d& radii, const Pose& X) {
  const Mat3 R = X.R.toRotationMatrix();
  Vec3 extent = (R.leftCols<2>() * radii.asDiagonal()).rowwise().norm();
  for (int i = 0; i < 3; ++i)
    if (std::abs(R(i, 2)) > 0x1p-40) extent[i] = base::infinity;
  return around(X.p, extent);
}

Aabb box_of(const Disc& s, const Pose& X) {
  return cylinder({s.radius, s.radius}, X);
}
Aabb box_of(const Ellipse& s, const Pose& X) {
  return cylinder(s.radii, X);
}

Aabb box_of(const Hull& s, const Pose& X) {
  Aabb box{Vec3::Constant(base::infinity), Vec3::Constant(-base::infinity)};
  for (const Vec3& v : s.vertices) {
    const Vec3 p = X * v;
    box.lo = box.lo.cwiseMin(p);
    box.hi = box.hi.cwiseMax(p);
  }
  return box;
}

Aabb box_of(const Polygon& s, const Pose& X) {
  const Mat3 R = X.R.toRotationMatrix();
  Aabb box{Vec3::Constant(base::infinity), Vec3::Constant(-base::infinity)};
  for (const Eigen::Vector2d& v : s.vertices) {
    const Vec3 p = X.p + R.leftCols<2>() * v;
    box.lo = box.lo.cwiseMin(p);
    box.hi = box.hi.cwiseMax(p);
  }
  for (int i = 0; i < 3; ++i)
    if (std::abs(R(i, 2)) > 0x1p-40) box.lo[i] = -base::infinity, box.hi[i] = base::infinity;
  return box;
}

}  // namespace

Aabb bounds(const Geometry& geometry, const Pose& X_WS) {
  return std::visit([&](const auto& shape) { return box_of(shape, X_WS); }, geometry);
}

}  // namespace cairn::collide
