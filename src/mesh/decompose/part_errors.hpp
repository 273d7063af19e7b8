// How far a convex part reaches out of the mesh that it stands for.
#pragma once

#include "cairn/polyhedron.hpp"
#include "mesh/surface_tree.hpp"

namespace cairn::mesh {

// The largest distance of a point of the part from the solid that the tree's closed surface
// encloses: a bound that exceeds it by at most `accuracy` [m]. Parts that stay below `enough` get
// that at most: the search ends there.
double distance_out_of(const Polyhedron& part, const SurfaceTree& solid, double accuracy,
                       double enough = 0);

}  // namespace cairn::mesh
