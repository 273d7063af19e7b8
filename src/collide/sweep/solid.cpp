#include "collide/sweep/solid.hpp"

#include <algorithm>

#include "base/infinity.hpp"
#include "cairn/check.hpp"

namespace cairn::collide {
namespace {

void describe(const Point&, Solid& s) {
  s.kind = Solid::Kind::ball;
}

void describe(const Sphere& g, Solid& s) {
  s.kind = Solid::Kind::ball;
  s.radius = s.round = s.outer = g.radius;
}

void describe(const Disc& g, Solid& s) {
  s.kind = Solid::Kind::ball;
  s.planar = true;
  s.radius = s.round = s.outer = g.radius;
}

void describe(const Capsule& g, Solid& s) {
  s.kind = Solid::Kind::rod;
  s.size = {0, 0, 0.5 * g.length};
  s.radius = s.round = g.radius;
  s.outer = 0.5 * g.length + g.radius;
}

void describe(const Box& g, Solid& s) {
  s.kind = Solid::Kind::box;
  s.size = 0.5 * g.size;
  s.outer = s.size.norm();
}

void describe(const Frustum& g, Solid& s) {
  s.kind = Solid::Kind::frustum;
  s.size = {g.radius, g.top_radius, 0.5 * g.length};
  s.outer = std::hypot(g.largest_radius(), 0.5 * g.length);
}

// A ball of the least radius of curvature rolls inside an ellipsoid, so that the ellipsoid is that
// ball swept over a convex core.
template <class Radii>
void describe_ellipsoid(const Radii& radii, Solid& s) {
  s.kind = Solid::Kind::ellipsoid;
  s.outer = radii.maxCoeff();
  s.round = radii.minCoeff() * (radii.minCoeff() / s.outer);
}

void describe(const Ellipsoid& g, Solid& s) {
  describe_ellipsoid(g.radii, s);
  s.size = g.radii;
}

void describe(const Ellipse& g, Solid& s) {
  describe_ellipsoid(g.radii, s);
  s.planar = true;
  s.size = {g.radii.x(), g.radii.y(), 0};
}

void describe(const Halfspace& g, Solid& s) {
  s.kind = Solid::Kind::wall;
  s.size = g.normal;
  s.outer = base::infinity;
}

void describe_corners(Solid& s) {
  CAIRN_DCHECK(s.polyhedron != nullptr);
  s.kind = Solid::Kind::corners;
  s.planar = s.polyhedron->planar;
  s.outer = s.polyhedron->outer_radius;
  s.middle_S = s.polyhedron->center;
}

void describe(const Hull&, Solid& s) {
  describe_corners(s);
}
void describe(const Polygon&, Solid& s) {
  describe_corners(s);
}

}  // namespace

Solid solid_of(const Model& model, const Shape& shape) {
  Solid s;
  s.geometry = &shape.geometry;
  s.inner = shape.inner_radius;
  if (shape.polyhedron >= 0)
    s.polyhedron = &model.polyhedra[static_cast<std::size_t>(shape.polyhedron)];
  std::visit([&](const auto& geometry) { describe(geometry, s); }, shape.geometry);
  return s;
}

double axis_distance(const Solid& s, const Vec3& p, const Mat3& R, const Vec3& u) {
  CAIRN_DCHECK(s.kind != Solid::Kind::wall);
  const Vec3 c = u.cross(p);
  switch (s.kind) {
    case Solid::Kind::rod: {
      const Vec3 half = s.size.z() * u.cross(R.col(2));
      return std::sqrt(std::max((c + half).squaredNorm(), (c - half).squaredNorm()));
    }
    case Solid::Kind::box: {
      Mat3 half;  // half edges, turned a quarter about u
      for (int i = 0; i < 3; ++i) half.col(i) = s.size[i] * u.cross(R.col(i));
      double most = 0;
      for (const double y : {-1.0, 1.0})
        for (const double z : {-1.0, 1.0})
          most = std::max(most, (half.col(0) + y * half.col(1) + z * half.col(2)).squaredNorm());
      return c.norm() + std::sqrt(most);
    }
    case Solid::Kind::frustum: {
      // Of the balls of the radii of both circles about their centres.
      const Vec3 half = s.size.z() * u.cross(R.col(2));
      return std::max((c - half).norm() + s.size.x(), (c + half).norm() + s.size.y());
    }
    case Solid::Kind::ellipsoid:
      return c.norm() + (s.outer - s.round);
    case Solid::Kind::corners: {
      const Vec3 u_S = R.transpose() * u, c_S = R.transpose() * c;
      double most = 0;
      for (const Vec3& v : s.polyhedron->vertices)
        most = std::max(most, (c_S + u_S.cross(v)).squaredNorm());
      return std::sqrt(most);
    }
    default:
      return c.norm();
  }
}

}  // namespace cairn::collide
