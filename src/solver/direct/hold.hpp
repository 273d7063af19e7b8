// What rests: every contact that is closed is held like a joint, one linear system, and those that
// would have to pull are let go (E60). Exact where nothing slides, which from a cold start is most
// of what stacks and mechanisms do.
#pragma once

#include "solver/direct/held_system.hpp"

namespace cairn::solver {

struct HoldBuffers : HeldBuffers {
  std::vector<double> y;                   // per unknown of the factor
  std::vector<double> z, ahead, p, trial;  // per row
  std::vector<double> v, load;             // per velocity
};

// Improves r and v in place, v being the velocities of r; leaves them as they are where something
// has to slide. Iterations are factorisations.
IterationResult hold(const Island& island, HoldBuffers& buffers, std::vector<double>& r,
                     std::vector<double>& v);

}  // namespace cairn::solver
