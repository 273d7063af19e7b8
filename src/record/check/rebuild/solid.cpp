#include "record/check/rebuild/solid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace cairn::record {
namespace {

Vec3 flattened(const Vec3& x, const Vec3& axis) {
  return x - axis.dot(x) * axis;
}

// Distance of a point from the segment -half to half.
double from_segment(const Vec3& x, const Vec3& half) {
  const double length2 = half.squaredNorm();
  const double t = length2 > 0 ? std::clamp(x.dot(half) / length2, -1.0, 1.0) : 0;
  return (x - t * half).norm();
}

// Of x / radii from the unit sphere, as a length: first order in the distance from the surface.
template <class V>
double outside_ellipsoid(const V& x, const V& radii) {
  const V q = x.cwiseQuotient(radii);
  const double gauge = q.norm(), slope = q.cwiseQuotient(radii).norm();
  return slope > 0 ? (gauge - 1) * gauge / slope : -radii.minCoeff();
}

// Largest distance beyond the planes of both ends and beyond the side, in the plane through the
// axis.
double outside_frustum(const Vec3& x, const Frustum& s) {
  const double ends = std::abs(x.z()) - 0.5 * s.length;
  const double taper = s.radius - s.top_radius;
  const double side =
      ((std::hypot(x.x(), x.y()) - s.radius) * s.length + (x.z() + 0.5 * s.length) * taper) /
      std::sqrt(s.length * s.length + taper * taper);
  return std::max(ends, side);
}

// Support height of the lower (0) or upper (1) circle of a frustum.
double circle_height(const Frustum& s, int end, const Vec3& n) {
  const double z = end == 0 ? -0.5 * s.length : 0.5 * s.length;
  return z * n.z() + (end == 0 ? s.radius : s.top_radius) * std::hypot(n.x(), n.y());
}

double extent(const Geometry& geometry, const Polyhedron* polyhedron) {
  struct {
    const Polyhedron* p;
    double operator()(const Point&) const { return 0; }
    double operator()(const Sphere& s) const { return s.radius; }
    double operator()(const Box& s) const { return s.size.norm(); }
    double operator()(const Capsule& s) const { return s.radius + s.length; }
    double operator()(const Ellipsoid& s) const { return s.radii.maxCoeff(); }
    double operator()(const Frustum& s) const { return s.radius + s.top_radius + s.length; }
    double operator()(const Halfspace&) const { return 0; }
    double operator()(const Disc& s) const { return s.radius; }
    double operator()(const Ellipse& s) const { return s.radii.maxCoeff(); }
    double operator()(const Hull&) const { return p->outer_radius + p->center.norm(); }
    double operator()(const Polygon&) const { return p->outer_radius + p->center.norm(); }
  } visitor{polyhedron};
  return std::visit(visitor, geometry);
}

}  // namespace

Solid::Solid(const Model& model, ShapeId id, const std::vector<Pose>& poses)
    : geometry(model.shapes[index(id)].geometry),
      polyhedron(
          model.shapes[index(id)].polyhedron < 0
              ? nullptr
              : &model.polyhedra[static_cast<std::size_t>(model.shapes[index(id)].polyhedron)]),
      X(poses[index(model.shapes[index(id)].body)] * model.shapes[index(id)].X_CS) {}

double Solid::size() const {
  return X.p.norm() + extent(geometry, polyhedron);
}

double Solid::round_radius() const {
  if (const auto* s = std::get_if<Sphere>(&geometry)) return s->radius;
  if (const auto* s = std::get_if<Disc>(&geometry)) return s->radius;
  return std::holds_alternative<Point>(geometry) ? 0 : -1;
}

Vec3 Solid::vertex(int i) const {
  if (const auto* box = std::get_if<Box>(&geometry)) {
    Vec3 corner = 0.5 * box->size;
    for (int k = 0; k < 3; ++k)
      if (!(i >> k & 1)) corner[k] = -corner[k];
    return X * corner;
  }
  return X * polyhedron->vertices[static_cast<std::size_t>(i)];
}

Vec3 Solid::cap(int end) const {
  const double z = 0.5 * std::get<Capsule>(geometry).length;
  return X * Vec3(0, 0, end == 0 ? -z : z);
}

double Solid::rim_fault(int end, int point, const Vec3& p, const Vec3& n) const {
  const auto& s = std::get<Frustum>(geometry);
  const double z = end == 0 ? -0.5 * s.length : 0.5 * s.length;
  const double radius = end == 0 ? s.radius : s.top_radius;
  const Vec3 local = X.R.conjugate() * (p - X.p);
  double off = std::hypot(local.z() - z, std::hypot(local.x(), local.y()) - radius);
  const Vec3 n_S = X.R.conjugate() * n;
  if (point == 0) off = std::max(off, circle_height(s, end, n_S) - n.dot(p - X.p));
  // Of those that follow the normal the angle is known as well as it has one.
  const double sine = std::hypot(n_S.x(), n_S.y());
  if (point <= 3 && sine > 0) {
    const double turn = (end == 0 ? -1 : 1) * point * std::numbers::pi / 2;
    const double x = n_S.x() / sine, y = n_S.y() / sine;
    const Vec3 expected(radius * (std::cos(turn) * x - std::sin(turn) * y),
                        radius * (std::sin(turn) * x + std::cos(turn) * y), z);
    off = std::max(off, (local - expected).norm() - 4e-15 * radius / sine);
  }
  if (point >= 8) {
    const double angle = (point - 8) * std::numbers::pi / 4;
    off = (local - Vec3(radius * std::cos(angle), radius * std::sin(angle), z)).norm();
  }
  return off;
}

double Solid::outside(const Vec3& p, const Vec3& axis) const {
  const Vec3 from = flattened(p - X.p, axis), local = X.R.conjugate() * (p - X.p);
  if (std::holds_alternative<Point>(geometry)) return from.norm();
  if (const auto* s = std::get_if<Sphere>(&geometry)) return from.norm() - s->radius;
  if (const auto* s = std::get_if<Disc>(&geometry)) return local.head<2>().norm() - s->radius;
  if (const auto* s = std::get_if<Capsule>(&geometry))
    return from_segment(from, flattened(X.R * Vec3(0, 0, 0.5 * s->length), axis)) - s->radius;
  if (const auto* s = std::get_if<Frustum>(&geometry)) return outside_frustum(local, *s);
  if (const auto* s = std::get_if<Ellipsoid>(&geometry))
    return outside_ellipsoid<Vec3>(local, s->radii);
  if (const auto* s = std::get_if<Ellipse>(&geometry))
    return outside_ellipsoid<Eigen::Vector2d>(local.head<2>(), s->radii);
  if (const auto* s = std::get_if<Halfspace>(&geometry)) {
    const Vec3 N = X.R * s->normal;
    return N.dot(p - X.p) / std::max(flattened(N, axis).norm(), 0x1p-30);
  }
  double most = -std::numeric_limits<double>::infinity();
  for (const Polyhedron::Face& face : polyhedron->faces)
    most = std::max(most, face.normal.dot(local) - face.offset);
  return most;
}

double Solid::defect(const Vec3& p, const Vec3& n, const Vec3& axis) const {
  const Vec3 from = p - X.p;
  if (std::holds_alternative<Point>(geometry)) return -n.dot(from);
  if (const auto* s = std::get_if<Sphere>(&geometry)) return s->radius - n.dot(from);
  if (const auto* s = std::get_if<Disc>(&geometry)) return s->radius - n.dot(from);
  if (const auto* s = std::get_if<Capsule>(&geometry))
    return s->radius + std::abs(n.dot(X.R * Vec3(0, 0, 0.5 * s->length))) - n.dot(from);
  const Vec3 local = X.R.conjugate() * n;
  if (const auto* s = std::get_if<Frustum>(&geometry))
    return std::max(circle_height(*s, 0, local), circle_height(*s, 1, local)) - n.dot(from);
  if (const auto* s = std::get_if<Ellipsoid>(&geometry))
    return s->radii.cwiseProduct(local).norm() - n.dot(from);
  if (const auto* s = std::get_if<Ellipse>(&geometry))
    return s->radii.cwiseProduct(local.head<2>()).norm() - n.dot(from);
  if (const auto* s = std::get_if<Halfspace>(&geometry)) {
    const Vec3 N = flattened(X.R * s->normal, axis);
    return (n - N.normalized()).norm() * size() + std::abs(N.normalized().dot(from));
  }
  double height = -std::numeric_limits<double>::infinity();
  for (const Vec3& v : polyhedron->vertices) height = std::max(height, local.dot(v));
  return height - n.dot(from);
}

}  // namespace cairn::record
