// Edges, components and the volume of a mesh.
#pragma once

#include <vector>

#include "mesh/triangle_mesh.hpp"
#include "model/shape/mass_properties.hpp"

namespace cairn::mesh {

// An edge of the surface, between points that count as one where their coordinates are equal.
struct Edge {
  std::int32_t low = 0, high = 0;     // points
  std::int32_t first = 0, count = 0;  // of its uses in Topology::uses
  std::int32_t forward = 0;           // how many of them run from low to high
};
struct EdgeUse {
  std::int32_t triangle = 0;
  bool forward = false;
};

struct Topology {
  std::vector<std::int32_t> ids;        // of points: the first one with the same coordinates
  std::vector<Edge> edges;              // sorted by low, high
  std::vector<EdgeUse> uses;            // edge by edge
  std::vector<std::int32_t> component;  // of each triangle, numbered by their first triangles
  std::int32_t components = 0;

  bool closed() const;    // every edge is used equally often in both senses
  bool manifold() const;  // no edge is used more than twice
};

// Triangles with two equal corners take no part: their component is -1.
Topology topology_of(const TriangleMesh& mesh);

// How often the triangles of a component wind around a point that is not on them: 1 inside a closed
// one, 0 outside.
double winding(const TriangleMesh& mesh, const Topology& topology, std::int32_t component,
               const Vec3& p);

// More components are not asked which of them lie inside which: that takes the square of their
// number.
inline constexpr std::size_t most_nesting = 64;

// Exact integrals over the tetrahedra between the middle of the mesh and its triangles (E930), for
// a closed mesh; negative masses where the surface is turned inside out.
model::MassProperties mass_of(const TriangleMesh& mesh, double density);

}  // namespace cairn::mesh
