// The basic contact units of two polyhedra that decide their ratio metric, as a list (E503).
#pragma once

#include <vector>

#include "cairn/distance.hpp"
#include "collide/placed.hpp"
#include "collide/ratio/ratio.hpp"

namespace cairn::collide {

// Units whose own r is that of the metric to rounding and whose features meet within both scaled
// bodies: faces of A with vertices of B, vertices of A with faces of B, pairs of edges, each by
// number.
std::vector<RatioUnit> ratio_units(const Placed& a, const Placed& b, const Ratio& ratio);

}  // namespace cairn::collide
