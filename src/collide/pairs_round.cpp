// Contacts of points, spheres, capsules, ellipsoids, discs and ellipses: makes Round shapes of
// them, in space or in the plane across the axis of the planar one.
#include "collide/pair_functions.hpp"
#include "collide/round.hpp"

namespace cairn {
namespace {

using Plane = Eigen::Matrix<double, 3, 2>;  // orthonormal basis of a plane in W

template <int D>
double least_curvature_radius(const Vec<D>& radii) {
  const double least = radii.minCoeff();
  return least * (least / radii.maxCoeff());
}

Vec3 half_axis(const Capsule& s, const Pose& X_WS) {
  return X_WS.R * Vec3(0, 0, 0.5 * s.length);
}

Round<3> spatial(const Geometry& geometry, const Pose& X_WS) {
  Round<3> round;
  if (const auto* sphere = std::get_if<Sphere>(&geometry)) round.radius = sphere->radius;
  if (const auto* capsule = std::get_if<Capsule>(&geometry)) {
    round.radius = capsule->radius;
    round.half = half_axis(*capsule, X_WS);
  }
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&geometry)) {
    round.L = X_WS.R.toRotationMatrix() * ellipsoid->radii.asDiagonal();
    round.least_curvature_radius = least_curvature_radius<3>(ellipsoid->radii);
    round.has_ellipsoid = true;
  }
  return round;
}

Round<2> planar(const Geometry& geometry, const Pose& X_WS, const Plane& E) {
  Round<2> round;
  if (const auto* disc = std::get_if<Disc>(&geometry)) round.radius = disc->radius;
  if (const auto* sphere = std::get_if<Sphere>(&geometry)) round.radius = sphere->radius;
  if (const auto* capsule = std::get_if<Capsule>(&geometry)) {
    round.radius = capsule->radius;
    round.half = E.transpose() * half_axis(*capsule, X_WS);
  }
  if (const auto* ellipse = std::get_if<Ellipse>(&geometry)) {
    const Mat<2> R = E.transpose() * X_WS.R.toRotationMatrix().leftCols<2>();
    round.L = R * ellipse->radii.asDiagonal();
    round.least_curvature_radius = least_curvature_radius<2>(ellipse->radii);
    round.has_ellipsoid = true;
  }
  return round;
}

}  // namespace

void collide_round(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                   std::vector<ShapeContact>& out) {
  const Touch<3> t = touch<3>(spatial(a, X_WA), spatial(b, X_WB), X_WB.p - X_WA.p);
  out.push_back({X_WA.p + t.a, X_WB.p + t.b, t.n, t.gap, 0});
}

void collide_planar(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                    std::vector<ShapeContact>& out) {
  const Vec3 z = (is_planar(a) ? X_WA : X_WB).R * Vec3::UnitZ();
  const Tangents basis = tangents(z);
  Plane E;
  E << basis.t1, basis.t2;
  const Vec3 d = X_WB.p - X_WA.p;
  const Touch<2> t = touch<2>(planar(a, X_WA, E), planar(b, X_WB, E), E.transpose() * d);

  // Out of the plane the points go to the other shape's centre, half-way if both are planar.
  const double share_a = is_planar(a) ? (is_planar(b) ? 0.5 : 1.0) : 0.0;
  const Vec3 rise = z.dot(d) * z;
  out.push_back({X_WA.p + E * t.a + share_a * rise, X_WB.p + E * t.b - (1 - share_a) * rise,
                 E * t.n, t.gap, 0});
}

}  // namespace cairn
