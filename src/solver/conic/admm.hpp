// Alternating directions: a linear solve and a projection in turn, on one factorisation (E47).
#pragma once

#include "solver/gradient/first_order.hpp"

namespace cairn::solver {

struct AdmmBuffers {
  std::vector<ThetaBlock> theta;
  std::vector<double> x, z, y, u, sigma, share, z_last, best;
};

struct AdmmLimits {
  double tolerance = 1e-8;
  int iterations = 1000;
  int patience = 0;  // iterations that have to gain a decade; 0: any number
};

// Improves r in place; leaves the best iterate seen.
IterationResult admm(Coupling& coupling, const AdmmLimits& limits, AdmmBuffers& buffers,
                     std::vector<double>& r);

}  // namespace cairn::solver
