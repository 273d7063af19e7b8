// Contacts of frusta with other bounded spatial shapes, by support functions.
#include <optional>

#include "cairn/check.hpp"
#include "collide/convex/manifold.hpp"
#include "collide/pairs/pair_functions.hpp"

namespace cairn::collide {
namespace {

// The polyhedron of a box or hull that comes without one.
std::optional<Polyhedron> missing_polyhedron(const PlacedShape& s) {
  if (s.polyhedron) return std::nullopt;
  if (const auto* box = std::get_if<Box>(&s.geometry)) return box_polyhedron(box->size);
  if (const auto* hull = std::get_if<Hull>(&s.geometry)) {
    Result<Polyhedron> made = hull_polyhedron(hull->vertices);
    CAIRN_CHECK(made.has_value());
    return std::move(*made);
  }
  return std::nullopt;
}

}  // namespace

void collide_convex(const PlacedShape& a, const PlacedShape& b, std::vector<ShapeContact>& out) {
  const std::optional<Polyhedron> made = missing_polyhedron(b);
  const Vec3 common = a.X_W.p;
  const Convex A = make_convex(a.geometry, a.X_W, common, a.polyhedron);
  const Convex B = make_convex(b.geometry, b.X_W, common, made ? &*made : b.polyhedron);
  append_manifold(A, B, meet(A, B), common, out);
}

}  // namespace cairn::collide
