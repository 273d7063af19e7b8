// Reads a shape, its body's kind and free directions, writes errors or the normalised shape.
#include "model/shape/shape_checks.hpp"

#include <cmath>

#include "model/shape/mass_properties.hpp"

namespace cairn::model {
namespace {

// Sine of the angle between the plane of a planar shape and the plane of motion that is still
// rounding [-].
constexpr double parallel_tolerance = 1e-9;

template <class Vector>
bool all_positive(const Vector& lengths, const std::string& path, Checks& checks) {
  bool good = true;
  for (int i = 0; i < lengths.size(); ++i)
    good &= checks.positive(lengths[i], path + "[" + std::to_string(i) + "]", "m");
  return good;
}

bool check_sizes(Point&, const std::string&, Checks&) {
  return true;
}
bool check_sizes(Sphere& s, const std::string& path, Checks& checks) {
  return checks.positive(s.radius, path + ".radius", "m");
}
bool check_sizes(Disc& s, const std::string& path, Checks& checks) {
  return checks.positive(s.radius, path + ".radius", "m");
}
bool check_sizes(Box& s, const std::string& path, Checks& checks) {
  return all_positive(s.size, path + ".size", checks);
}
bool check_sizes(Ellipsoid& s, const std::string& path, Checks& checks) {
  return all_positive(s.radii, path + ".radii", checks);
}
bool check_sizes(Ellipse& s, const std::string& path, Checks& checks) {
  return all_positive(s.radii, path + ".radii", checks);
}
bool check_sizes(Capsule& s, const std::string& path, Checks& checks) {
  const bool radius = checks.positive(s.radius, path + ".radius", "m");
  return checks.positive(s.length, path + ".length", "m") && radius;
}
bool check_sizes(Frustum& s, const std::string& path, Checks& checks) {
  // One of the two ends may be a point.
  bool good = true;
  if (s.radius == 0 && s.top_radius > 0)
    good = checks.positive(s.top_radius, path + ".top_radius", "m");
  else
    good = checks.positive(s.radius, path + ".radius", "m") &&
           (s.top_radius == 0 || checks.positive(s.top_radius, path + ".top_radius", "m"));
  return checks.positive(s.length, path + ".length", "m") && good;
}
bool check_sizes(Halfspace& s, const std::string& path, Checks& checks) {
  const bool good = s.normal.allFinite() && s.normal != Vec3::Zero();
  s.normal = checks.direction(s.normal, path + ".normal");
  return good;
}

bool check_sizes(Hull&, const std::string&, Checks&) {
  return true;
}
bool check_sizes(Polygon&, const std::string&, Checks&) {
  return true;
}

// Gives a hull or polygon the vertices of its polyhedron.
bool settle_vertices(Geometry& geometry, const std::string& path, PolyhedronTable& polyhedra,
                     Checks& checks) {
  auto* hull = std::get_if<Hull>(&geometry);
  auto* polygon = std::get_if<Polygon>(&geometry);
  if (!hull && !polygon) return true;
  const auto found = polyhedra.find(geometry);
  if (!found) {
    for (const Error& e : found.error())
      checks.error(path + ".vertices" + e.path, e.code, e.what, e.got, e.allowed, e.fix);
    return false;
  }
  const std::vector<Vec3>& vertices = (*found)->vertices;
  if (hull) hull->vertices = vertices;
  if (polygon) {
    polygon->vertices.clear();
    for (const Vec3& v : vertices) polygon->vertices.emplace_back(v.head<2>());
  }
  return true;
}

bool moves_in_plane(const FreeDirections& dof, const Vec3& z_W) {
  return dof.rotation == RotationKind::one &&
         !dof.translations[static_cast<std::size_t>(dof.axis)] &&
         z_W.cross(Vec3::Unit(dof.axis)).norm() <= parallel_tolerance;
}

double placed_reach(const Box& box, const Pose& X_CS) {
  double largest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 sign(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, corner & 4 ? 0.5 : -0.5);
    largest = std::max(largest, (X_CS * Vec3(sign.cwiseProduct(box.size))).norm());
  }
  return largest;
}

double placed_reach(const Capsule& capsule, const Pose& X_CS) {
  const Vec3 end(0, 0, 0.5 * capsule.length);
  return std::max((X_CS * end).norm(), (X_CS * Vec3(-end)).norm()) + capsule.radius;
}

// The farthest point of a circle lies in the plane through its axis and the origin of C.
double placed_reach(const Frustum& s, const Pose& X_CS) {
  const Vec3 p_S = X_CS.R.conjugate() * X_CS.p;
  const double across = p_S.head<2>().norm(), half = 0.5 * s.length;
  return std::max(std::hypot(across + s.radius, p_S.z() - half),
                  std::hypot(across + s.top_radius, p_S.z() + half));
}

double placed_reach(const Hull& hull, const Pose& X_CS) {
  double largest = 0;
  for (const Vec3& v : hull.vertices) largest = std::max(largest, (X_CS * v).norm());
  return largest;
}

// In the plane of the polygon.
double placed_reach(const Polygon& polygon, const Pose& X_CS) {
  const Eigen::Vector2d p_S = (X_CS.R.conjugate() * X_CS.p).head<2>();
  double largest = 0;
  for (const Eigen::Vector2d& v : polygon.vertices) largest = std::max(largest, (p_S + v).norm());
  return largest;
}

}  // namespace

bool check_shape(ShapeDescription& shape, const std::string& path, BodyKind kind,
                 const FreeDirections& dof, const Quat& R_WB, PolyhedronTable& polyhedra,
                 Checks& checks) {
  bool good = std::visit([&](auto& geometry) { return check_sizes(geometry, path, checks); },
                         shape.geometry);
  good &= settle_vertices(shape.geometry, path, polyhedra, checks);
  good &= checks.magnitude(shape.X_BS.p, path + ".position", "m");
  shape.X_BS.R = checks.rotation(shape.X_BS.R, path + ".orientation");
  if (kind != BodyKind::dynamic) return good;

  const std::string type = type_name(shape.geometry);
  if (std::holds_alternative<Halfspace>(shape.geometry)) {
    checks.error(path, ErrorCode::conflict, "a halfspace has no mass and cannot move freely",
                 "\"" + type + "\"", "on fixed bodies and bodies with a motion",
                 "write \"fixed\": true, or use a box");
    return false;
  }
  const Vec3 z_W = R_WB * (shape.X_BS.R * Vec3::UnitZ());
  if (is_planar(shape.geometry) && !moves_in_plane(dof, z_W)) {
    checks.error(path, ErrorCode::wrong_dimension,
                 "a planar shape needs a body that moves in the plane across the shape's z axis",
                 "\"" + type + "\"",
                 "one free rotation, about the shape's z axis, and no free translation along it",
                 "write \"dof\": \"x y rz\", or use a sphere or an ellipsoid");
    return false;
  }
  return good;
}

double farthest_point(const Geometry& geometry, const Pose& X_CS) {
  if (const Box* box = std::get_if<Box>(&geometry)) return placed_reach(*box, X_CS);
  if (const Capsule* capsule = std::get_if<Capsule>(&geometry)) return placed_reach(*capsule, X_CS);
  if (const Frustum* s = std::get_if<Frustum>(&geometry)) return placed_reach(*s, X_CS);
  if (const Hull* hull = std::get_if<Hull>(&geometry)) return placed_reach(*hull, X_CS);
  if (const Polygon* polygon = std::get_if<Polygon>(&geometry)) return placed_reach(*polygon, X_CS);
  const Vec3 p_S = X_CS.R.conjugate() * X_CS.p;
  const double offset = is_planar(geometry) ? p_S.head<2>().norm() : p_S.norm();
  return offset + bounding_radius(geometry);
}

}  // namespace cairn::model
