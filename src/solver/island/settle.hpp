// Velocities that are nothing but rounding (E444).
#pragma once

#include "solver/island/island.hpp"

namespace cairn::solver {

// Sets the velocities of bodies to zero that are rounding of the terms which they are the sum of,
// half of what the certificate hides of them. v are those of r.
void settle(const Island& island, const std::vector<double>& r, std::vector<double>& v);

// Would settle() set the velocities of all bodies to zero?
bool settles(const Island& island, const std::vector<double>& r, const std::vector<double>& v);

}  // namespace cairn::solver
