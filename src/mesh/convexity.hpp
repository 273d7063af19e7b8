// Whether a mesh is its convex hull.
#pragma once

#include <optional>

#include "cairn/error.hpp"
#include "cairn/polyhedron.hpp"
#include "mesh/triangle_mesh.hpp"

namespace cairn::mesh {

// Of the size and of the volume: the digits that most programs write [-].
inline constexpr double convex_tolerance = 1e-6;

// What is lost if `hull`, the convex hull of its points, stands for the mesh; nothing: the mesh is
// convex to the tolerance, or it has no faces and no point inside the hull. `fix` is left empty.
std::optional<Error> difference_from_hull(const TriangleMesh& mesh, const Polyhedron& hull);

}  // namespace cairn::mesh
