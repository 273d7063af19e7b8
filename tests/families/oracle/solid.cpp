// Support points and widths of shapes.
#include "families/oracle/solid.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

namespace cairn::families {
namespace {

void add_direction(std::vector<Vec3>& list, const Vec3& d) {
  const double length = d.norm();
  if (!(length > 0)) return;
  const Vec3 n = d / length;
  for (const Vec3& m : list)
    if (m.cross(n).squaredNorm() < 1e-24) return;
  list.push_back(n);
}

void add_box(Solid& s, const Vec3& size) {
  for (int i = 0; i < 8; ++i)
    s.points.push_back(s.X_BS * Vec3(size.x() * ((i & 1) - 0.5), size.y() * ((i >> 1 & 1) - 0.5),
                                     size.z() * ((i >> 2 & 1) - 0.5)));
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = s.X_BS.R * Vec3::Unit(k);
    s.normals.push_back(axis);
    s.edges.push_back(axis);
  }
  s.inner = size.minCoeff() / 2;
}

// Faces and edges of the library's hull serve as directions to try. Whatever they are, each
// direction bounds the depth from above.
void add_hull(Solid& s, const std::vector<Vec3>& vertices) {
  for (const Vec3& v : vertices) s.points.push_back(s.X_BS * v);
  const Result<Polyhedron> hull = hull_polyhedron(s.points);
  if (!hull) return;
  for (const Polyhedron::Face& face : hull->faces) add_direction(s.normals, face.normal);
  for (const Polyhedron::Edge& edge : hull->edges)
    add_direction(s.edges, hull->vertices[static_cast<std::size_t>(edge.head)] -
                               hull->vertices[static_cast<std::size_t>(edge.tail)]);
}

void add_polygon(Solid& s, const std::vector<Eigen::Vector2d>& corners) {
  s.planar = true;
  for (const Eigen::Vector2d& c : corners) s.points.push_back(s.X_BS * Vec3(c.x(), c.y(), 0));
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3 side = s.points[(i + 1) % corners.size()] - s.points[i];
    add_direction(s.normals, Vec3(side.y(), -side.x(), 0));
  }
}

double width(const Solid& s, const Vec3& n) {
  return n.dot(support(s, Pose{}, n) - support(s, Pose{}, -n));
}

// Half of the least width, over faces and pairs of edges (E301).
double least_half_width(const Solid& s) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& n : s.normals) least = std::min(least, width(s, n));
  // Pairs of edges of hulls with hundreds of them: faces are as thin, to a few per cent.
  if (s.edges.size() <= 64)
    for (std::size_t i = 0; i < s.edges.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const Vec3 n = s.edges[i].cross(s.edges[j]);
        if (n.norm() > 1e-6) least = std::min(least, width(s, n.normalized()));
      }
  return least / 2;
}

struct Maker {
  Solid& s;
  void operator()(const Point&) const { s.points = {s.X_BS.p}; }
  void operator()(const Sphere& shape) const { round({s.X_BS.p}, shape.radius); }
  void operator()(const Disc& shape) const {
    s.planar = true;
    round({s.X_BS.p}, shape.radius);
  }
  void operator()(const Capsule& shape) const {
    const Vec3 half = s.X_BS.R * Vec3(0, 0, shape.length / 2);
    round({s.X_BS.p - half, s.X_BS.p + half}, shape.radius);
  }
  // A prism inside: depths that it finds are lower bounds.
  void operator()(const Frustum& shape) const {
    constexpr int corners = 96;
    for (int k = 0; k < corners; ++k) {
      const double turn = 2 * std::numbers::pi * k / corners;
      const Vec3 u(std::cos(turn), std::sin(turn), 0), half(0, 0, shape.length / 2);
      s.points.push_back(s.X_BS * Vec3(shape.radius * u - half));
      s.points.push_back(s.X_BS * Vec3(shape.top_radius * u + half));
    }
    const Vec3 axis = s.X_BS.R * Vec3::UnitZ();
    s.normals.push_back(axis);
    s.edges.push_back(axis);
    s.inner =
        std::min(shape.length / 2, std::max(shape.radius, shape.top_radius) * shape.length /
                                       std::hypot(shape.length, shape.radius - shape.top_radius));
  }
  void operator()(const Box& shape) const { add_box(s, shape.size); }
  void operator()(const Hull& shape) const { add_hull(s, shape.vertices); }
  void operator()(const Polygon& shape) const { add_polygon(s, shape.vertices); }
  void operator()(const Ellipsoid& shape) const { oval(shape.radii); }
  void operator()(const Ellipse& shape) const {
    s.planar = true;
    oval(Vec3(shape.radii.x(), shape.radii.y(), 0));
    s.inner = shape.radii.minCoeff();
  }
  void operator()(const Halfspace& shape) const {
    s.kind = Solid::Kind::halfspace;
    s.normal = s.X_BS.R * shape.normal.normalized();
    s.inner = std::numeric_limits<double>::infinity();
  }

 private:
  void round(std::vector<Vec3> core, double radius) const {
    s.points = std::move(core);
    s.radius = s.inner = radius;
    if (s.points.size() == 2) add_direction(s.edges, s.points[1] - s.points[0]);
  }
  void oval(const Vec3& radii) const {
    s.kind = Solid::Kind::ellipsoid;
    s.radii = radii;
    s.inner = radii.minCoeff();
    for (int k = 0; k < 3; ++k) s.normals.push_back(s.X_BS.R * Vec3::Unit(k));
  }
};

}  // namespace

Solid make_solid(const ShapeDescription& shape) {
  Solid s;
  s.X_BS = shape.X_BS;
  s.center = s.X_BS.p;
  std::visit(Maker{s}, shape.geometry);
  if (!s.points.empty()) {
    s.center.setZero();
    for (const Vec3& p : s.points) s.center += p / static_cast<double>(s.points.size());
    for (const Vec3& p : s.points) s.outer = std::max(s.outer, (p - s.center).norm() + s.radius);
    const bool polytope = std::holds_alternative<Hull>(shape.geometry) ||
                          std::holds_alternative<Polygon>(shape.geometry);
    if (polytope) s.inner = least_half_width(s);
  } else {
    s.outer = s.radii.maxCoeff();
  }
  return s;
}

Vec3 core_support(const Solid& s, const Pose& X_WB, const Vec3& n_W, double shrink) {
  const Vec3 n = X_WB.R.conjugate() * n_W;
  if (s.kind == Solid::Kind::ellipsoid) {
    const Vec3 m = s.radii.cwiseProduct(s.X_BS.R.conjugate() * n);
    const double length = m.norm();
    const Vec3 p = length > 0 ? Vec3(s.radii.cwiseProduct(m) * (shrink / length)) : Vec3::Zero();
    return X_WB * (s.X_BS * p);
  }
  std::size_t best = 0;
  double farthest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < s.points.size(); ++i)
    if (const double d = n.dot(s.points[i]); d > farthest) {
      farthest = d;
      best = i;
    }
  return X_WB * s.points[best];
}

Vec3 support(const Solid& s, const Pose& X_WB, const Vec3& n_W) {
  return core_support(s, X_WB, n_W, 1) + s.radius * n_W;
}

}  // namespace cairn::families
