// The section of a friction cone that is no circle and no ellipse: a convex polygon (E247).
#pragma once

#include <array>
#include <string>
#include <vector>

namespace cairn {

using Corner = std::array<double, 2>;  // along t1 and t2

// Corners counter-clockwise, with the origin inside.
using FrictionPolygon = std::vector<Corner>;

constexpr int max_corners = 64;

// Sorts the corners counter-clockwise. Says what is wrong with the polygon: too few or too many
// corners, one that is none, or an edge that has the origin on its outer side or (nearly) on it;
// empty: nothing.
std::string make_convex(FrictionPolygon& polygon);

// Distance of the farthest corner from the origin.
double largest(const FrictionPolygon& polygon);

}  // namespace cairn
