// Compares volumes, and the depths of the mesh's points below the surface of the hull.
#include "mesh/convexity.hpp"

#include <cmath>
#include <fmt/format.h>

#include "mesh/diagnosis.hpp"
#include "model/shape/mass_properties.hpp"

namespace cairn::mesh {
namespace {

// Depths of points below the surface. The deepest value of polar.(x - center) over the faces is
// that of a convex function on the polar body: climbing from face to neighbour finds it.
class Depth {
 public:
  explicit Depth(const Polyhedron& hull) : hull_(hull) {}

  double operator()(const Vec3& p) {
    const Vec3 r = p - hull_.center;
    double best = value(face_, r);
    for (bool climbs = true; climbs;) {
      climbs = false;
      for (const int next : hull_.neighbors(face_)) {
        const double there = value(next, r);
        if (!(there > best)) continue;
        best = there;
        face_ = next;
        climbs = true;
        break;
      }
    }
    const Polyhedron::Face& f = hull_.faces[static_cast<std::size_t>(face_)];
    return f.offset - f.normal.dot(p);
  }

 private:
  double value(int face, const Vec3& r) const {
    return hull_.polar[static_cast<std::size_t>(face)].dot(r);
  }
  const Polyhedron& hull_;
  int face_ = 0;
};

}  // namespace

std::optional<Error> difference_from_hull(const TriangleMesh& mesh, const Polyhedron& hull) {
  const double hull_volume = model::mass_properties(hull, 1).mass;
  Error error;
  error.code = ErrorCode::not_convex;
  std::size_t inner = 0;
  Depth depth(hull);
  for (const Vec3& p : mesh.points)
    if (depth(p) > convex_tolerance * hull.outer_radius) ++inner;
  if (mesh.triangles.empty()) {
    // A cloud of points stands for its hull where each point is a corner of it.
    if (inner == 0) return std::nullopt;
    error.what = "points lie inside their convex hull";
    error.got = fmt::format("{} of {} points, no faces", inner, mesh.points.size());
    error.allowed = "points on their hull, or a convex mesh with faces";
    return error;
  }
  const Diagnosis d = diagnose(mesh, Crossings::skip);
  if (!d.closed()) {
    error.code = ErrorCode::not_closed;
    error.what = "faces of the mesh do not form a closed surface, so that it has no volume";
    error.got = d.faults();
    error.allowed = "every edge in two faces that run along it in opposite senses";
    return error;
  }
  if (inner == 0 &&
      std::abs(std::abs(d.solid.mass) - hull_volume) <= convex_tolerance * hull_volume)
    return std::nullopt;
  error.what = "mesh is not convex";
  error.got = fmt::format("a volume of {:.9g} m^3, {} of {} vertices inside the hull",
                          std::abs(d.solid.mass), inner, mesh.points.size());
  error.allowed = fmt::format("the volume of its convex hull, {:.9g} m^3, to {}", hull_volume,
                              convex_tolerance);
  return error;
}

}  // namespace cairn::mesh
