// One constraint alone: the impulse r with u = s + W r under the constraint's law, exactly (E40).
#pragma once

#include "solve/island.hpp"

namespace cairn {

// s: velocity if r were zero. r: in, the last impulse; out, the solution.
void solve_local(const Group& g, const double* s, double* r);

}  // namespace cairn
