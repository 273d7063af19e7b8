// Accelerated projected gradients: Nesterov's momentum with adaptive restart (E46).
#pragma once

#include "solver/gradient/first_order.hpp"

namespace cairn::solver {

struct ApgdBuffers {
  std::vector<double> u, sigma, y, u_y, next, u_next, change, best;
};

// Improves r in place; leaves the best iterate seen.
IterationResult apgd(Coupling& coupling, const FirstOrderLimits& limits, ApgdBuffers& buffers,
                     std::vector<double>& r);

}  // namespace cairn::solver
