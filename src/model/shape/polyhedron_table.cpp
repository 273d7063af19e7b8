// Reads shapes, writes polyhedra that are shared.
#include "model/shape/polyhedron_table.hpp"

#include <bit>

namespace cairn::model {
namespace {

struct Coordinates {
  std::vector<std::uint64_t> bits;

  template <class Vector>
  void add(const Vector& v, int dimensions) {
    for (int k = 0; k < dimensions; ++k) bits.push_back(std::bit_cast<std::uint64_t>(v[k]));
  }
};

std::vector<std::uint64_t> key_of(const Geometry& geometry) {
  Coordinates key{{geometry.index()}};
  if (const auto* box = std::get_if<Box>(&geometry)) key.add(box->size, 3);
  if (const auto* hull = std::get_if<Hull>(&geometry))
    for (const Vec3& v : hull->vertices) key.add(v, 3);
  if (const auto* polygon = std::get_if<Polygon>(&geometry))
    for (const Eigen::Vector2d& v : polygon->vertices) key.add(v, 2);
  return std::move(key.bits);
}

}  // namespace

Result<Polyhedron> polyhedron_of(const Geometry& geometry) {
  if (const auto* box = std::get_if<Box>(&geometry)) return box_polyhedron(box->size);
  if (const auto* hull = std::get_if<Hull>(&geometry)) return hull_polyhedron(hull->vertices);
  return polygon_polyhedron(std::get<Polygon>(geometry).vertices);
}

Result<const Polyhedron*> PolyhedronTable::find(const Geometry& geometry) {
  const bool box = std::holds_alternative<Box>(geometry);
  const bool polygon = std::holds_alternative<Polygon>(geometry);
  if (!box && !polygon && !std::holds_alternative<Hull>(geometry)) return nullptr;
  Key key = key_of(geometry);
  if (const auto entry = known_.find(key); entry != known_.end()) return entry->second;

  Result<Polyhedron> made = polyhedron_of(geometry);
  if (!made) {
    known_.emplace(std::move(key), tl::unexpected<Errors>(made.error()));
    return tl::unexpected<Errors>(std::move(made.error()));
  }
  Coordinates settled{{geometry.index()}};
  for (const Vec3& v : made->vertices) settled.add(v, polygon ? 2 : 3);
  const Polyhedron* result = nullptr;
  if (const auto same = known_.find(settled.bits); !box && same != known_.end() && same->second) {
    result = *same->second;
  } else {
    polyhedra_.push_back(std::move(*made));
    result = &polyhedra_.back();
  }
  known_.emplace(std::move(key), result);
  if (!box) known_.emplace(std::move(settled.bits), result);
  return result;
}

}  // namespace cairn::model
