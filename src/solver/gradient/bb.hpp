// Spectral projected gradients with the step lengths of Barzilai and Borwein (E45).
#pragma once

#include "solver/gradient/first_order.hpp"

namespace cairn::solver {

struct BbBuffers {
  std::vector<double> u, sigma, trial, u_trial, step, u_step, best, history;
};

// Improves r in place; leaves the best iterate seen.
IterationResult bb(Coupling& coupling, const FirstOrderLimits& limits, BbBuffers& buffers,
                   std::vector<double>& r);

}  // namespace cairn::solver
