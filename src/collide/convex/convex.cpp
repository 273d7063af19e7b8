#include "collide/convex/convex.hpp"

#include <algorithm>
#include <cmath>

#include "base/infinity.hpp"
#include "cairn/check.hpp"

namespace cairn::collide {
namespace {

// Part of n across the axis of a frustum; zero where it is rounding.
Vec3 off_axis(const Convex& s, const Vec3& n) {
  const Vec3 w = n - s.u.dot(n) * s.u;
  if (!(w.squaredNorm() > 0x1p-92 * n.squaredNorm())) return Vec3::Zero();
  return w - s.u.dot(w) * s.u;
}

double circle_radius(const Convex& s, int piece) {
  return piece == 0 ? s.frustum->radius : s.frustum->top_radius;
}

}  // namespace

Convex make_convex(const Geometry& geometry, const Pose& X_WS, const Vec3& common,
                   const Polyhedron* polyhedron) {
  Convex s;
  s.origin = X_WS.p - common;
  s.R = X_WS.R.toRotationMatrix();
  if (const auto* frustum = std::get_if<Frustum>(&geometry)) {
    s.kind = Convex::Kind::circles;
    s.frustum = frustum;
    s.u = s.R.col(2);
    s.outer = std::hypot(frustum->largest_radius(), 0.5 * frustum->length);
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&geometry)) {
    s.kind = Convex::Kind::ellipsoid;
    s.L = s.R * ellipsoid->radii.asDiagonal();
    s.outer = ellipsoid->radii.maxCoeff();
  } else if (polyhedron) {
    s.kind = Convex::Kind::corners;
    s.polyhedron = polyhedron;
    s.outer = polyhedron->outer_radius + polyhedron->center.norm();
  } else if (const auto* capsule = std::get_if<Capsule>(&geometry)) {
    s.half = 0.5 * capsule->length * s.R.col(2);
    s.radius = capsule->radius;
    s.outer = 0.5 * capsule->length + capsule->radius;
  } else if (const auto* sphere = std::get_if<Sphere>(&geometry)) {
    s.radius = s.outer = sphere->radius;
  } else {
    CAIRN_CHECK(std::holds_alternative<Point>(geometry));
  }
  return s;
}

Vec3 piece_point(const Convex& s, int piece, const Vec3& n) {
  switch (s.kind) {
    case Convex::Kind::corners:
      return s.corner(piece);
    case Convex::Kind::circles: {
      const Vec3 center = s.origin + (piece == 0 ? -0.5 : 0.5) * s.frustum->length * s.u;
      const Vec3 w = off_axis(s, n);
      const double size = w.norm();
      return size > 0 ? Vec3(center + (circle_radius(s, piece) / size) * w) : center;
    }
    case Convex::Kind::segment:
      return piece == 0 ? Vec3(s.origin - s.half) : Vec3(s.origin + s.half);
    case Convex::Kind::ellipsoid:
      break;
  }
  return s.origin + s.L * (s.L.transpose() * n).normalized();
}

Mat3 piece_curvature(const Convex& s, int piece, const Vec3& n) {
  if (s.kind == Convex::Kind::circles) {
    const Vec3 w = off_axis(s, n);
    const double size = w.norm();
    if (!(size > 0)) return Mat3::Zero();
    const Vec3 t = s.u.cross(w) / size;
    return (circle_radius(s, piece) / size) * (t * t.transpose());
  }
  if (s.kind == Convex::Kind::ellipsoid) {
    const Vec3 q = s.L.transpose() * n;
    const double size = q.norm();
    const Vec3 p = s.L * q / size;
    return (s.L * s.L.transpose() - p * p.transpose()) / size;
  }
  return Mat3::Zero();
}

Support support(const Convex& s, const Vec3& n) {
  Support best;
  if (s.kind == Convex::Kind::corners) {
    const Vec3 n_S = s.R.transpose() * n;
    double most = -base::infinity;
    for (std::size_t i = 0; i < s.polyhedron->vertices.size(); ++i)
      if (const double along = n_S.dot(s.polyhedron->vertices[i]); along > most)
        most = along, best.piece = static_cast<int>(i);
  } else if (s.kind == Convex::Kind::circles) {
    const double along = s.u.dot(n), aside = off_axis(s, n).norm();
    const double low = -0.5 * s.frustum->length * along + s.frustum->radius * aside,
                 top = 0.5 * s.frustum->length * along + s.frustum->top_radius * aside;
    best.piece = top > low ? 1 : 0;
  } else if (s.kind == Convex::Kind::segment) {
    best.piece = s.half.dot(n) > 0 ? 1 : 0;
  }
  best.point = piece_point(s, best.piece, n);
  best.height = n.dot(best.point);
  return best;
}

int farther_piece(const Convex& s, int piece, const Vec3& n, double slack) {
  const Support best = support(s, n);
  if (best.piece == piece) return -1;
  return best.height > n.dot(piece_point(s, piece, n)) + slack ? best.piece : -1;
}

}  // namespace cairn::collide
