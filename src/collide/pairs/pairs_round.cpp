// Contacts of points, spheres, capsules, ellipsoids, discs and ellipses: makes Round shapes of
// them, in space or in the plane across the axis of the planar one.
#include "collide/pairs/pair_functions.hpp"
#include "collide/pairs/round_shapes.hpp"

namespace cairn::collide {
namespace {

template <int D>
double least_curvature_radius(const Vec<D>& radii) {
  const double least = radii.minCoeff();
  return least * (least / radii.maxCoeff());
}

Vec3 half_axis(const Capsule& s, const Pose& X_WS) {
  return X_WS.R * Vec3(0, 0, 0.5 * s.length);
}

}  // namespace

Round<3> spatial_round(const Geometry& geometry, const Pose& X_WS) {
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

Round<2> planar_round(const Geometry& geometry, const Pose& X_WS, const PlaneBasis& E) {
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

void collide_round(const PlacedShape& A, const PlacedShape& B, std::vector<ShapeContact>& out) {
  const Touch<3> t = touch<3>(spatial_round(A.geometry, A.X_W), spatial_round(B.geometry, B.X_W),
                              B.X_W.p - A.X_W.p);
  out.push_back({A.X_W.p + t.a, B.X_W.p + t.b, t.n, t.gap, 0});
}

void collide_planar(const PlacedShape& A, const PlacedShape& B, std::vector<ShapeContact>& out) {
  const Geometry &a = A.geometry, &b = B.geometry;
  const Pose &X_WA = A.X_W, &X_WB = B.X_W;
  const Vec3 z = (is_planar(a) ? X_WA : X_WB).R * Vec3::UnitZ();
  const Tangents basis = tangents(z);
  PlaneBasis E;
  E << basis.t1, basis.t2;
  const Vec3 d = X_WB.p - X_WA.p;
  const Touch<2> t =
      touch<2>(planar_round(a, X_WA, E), planar_round(b, X_WB, E), E.transpose() * d);

  // Out of the plane the points go to the other shape's centre, half-way if both are planar.
  const double share_a = is_planar(a) ? (is_planar(b) ? 0.5 : 1.0) : 0.0;
  const Vec3 rise = z.dot(d) * z;
  out.push_back({X_WA.p + E * t.a + share_a * rise, X_WB.p + E * t.b - (1 - share_a) * rise,
                 E * t.n, t.gap, 0});
}

}  // namespace cairn::collide
