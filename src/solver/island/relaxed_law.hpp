// One constraint alone under the relaxed law (E40): the least of f(r) = r . W r / 2 + s . r over
// the friction cone, a convex problem, where it is on the boundary of the cone.
#pragma once

#include "solver/island/local_law.hpp"

namespace cairn::solver {

// s: velocity without the impulse of the constraint, not in K_mu*; the sticking impulse is outside
// K_mu and W is regular. r in: the last impulse, out: the new one. False if rounding spoils all
// ways.
bool slide_relaxed(const LocalConstraint& g, const double* s, double* r);

}  // namespace cairn::solver
