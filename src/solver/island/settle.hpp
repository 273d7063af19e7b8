// Velocities that are nothing but rounding (E444).
#pragma once

#include "solver/island/island.hpp"

namespace cairn::solver {

// Sets the velocities of bodies to zero that are below the rounding of what they are added up from,
// r being the impulses of v.
void settle(const Island& island, const std::vector<double>& r, std::vector<double>& v);

}  // namespace cairn::solver
