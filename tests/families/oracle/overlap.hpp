// How deep two solids overlap, from support points alone: for every unit vector n the number
// n.(p_A(n) - p_B(-n)) bounds the depth from above, and the least of them is the depth.
#pragma once

#include "families/oracle/solid.hpp"

namespace cairn::families {

// The depth [m], negative if the solids are apart: an upper bound, and the depth itself to about
// 1e-6 of the solids' sizes. The search ends early at a bound of `enough`. `n` is where the search
// begins and what it found, from A to B; zero at first.
double depth(const Solid& a, const Pose& X_WA, const Solid& b, const Pose& X_WB, double enough,
             Vec3& n);

// The same by directions all over the sphere, for round bodies whose depth has several local minima
// over n. A hundred times the work.
double depth_by_scan(const Solid& a, const Pose& X_WA, const Solid& b, const Pose& X_WB,
                     double enough, Vec3& n);

}  // namespace cairn::families
