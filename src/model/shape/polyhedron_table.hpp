// The polyhedra of a model while it is built: each list of points is worked out once, equal results
// are one.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include "cairn/polyhedron.hpp"
#include "cairn/shape.hpp"

namespace cairn::model {

// Of a box, hull or polygon.
Result<Polyhedron> polyhedron_of(const Geometry& geometry);

class PolyhedronTable {
 public:
  // The polyhedron of a box, hull or polygon, which stays where it is; null for any other shape.
  // The error is that of the points. A hull of the vertices of a polyhedron found before is that
  // one.
  Result<const Polyhedron*> find(const Geometry& geometry);

 private:
  using Key = std::vector<std::uint64_t>;  // the type's number, then the bits of all coordinates
  std::list<Polyhedron> polyhedra_;
  std::map<Key, Result<const Polyhedron*>> known_;
};

}  // namespace cairn::model
