// All basic solutions of a small problem by enumeration: the oracle of the solvers' tests.
#pragma once

#include "problem/make_problem.hpp"

namespace cairn {

// Velocities of all basic solutions, each once. Laws: nonnegative, and coulomb in the plane.
std::vector<VecX> enumerate_velocities(const Problem& problem);

}  // namespace cairn
