// What rested in the step before goes on resting: contacts with impulses are held as before, and
// the impulses of that step are corrected to rounding, with a factor that is kept while the matrix
// stays (E1020 to E1022).
#pragma once

#include "solver/direct/held_system.hpp"

namespace cairn::solver {

// The factor in `lu` is that of the matrix with these entries, bit by bit.
struct HoldOnBuffers : HeldBuffers {
  std::vector<double> kept;            // all that the matrix depends on; empty: there is no factor
  std::vector<double> trial, moving;   // per row
  std::vector<double> v, zero, force;  // per velocity
};

// Improves r and v in place, v being the velocities of r; leaves them as they are, with an infinite
// residual, where that does not lead to rounding. Iterations are factorisations, the kept one
// counted like a new one.
IterationResult hold_on(const Island& island, HoldOnBuffers& buffers, std::vector<double>& r,
                        std::vector<double>& v);

}  // namespace cairn::solver
