// The proximal augmented Lagrangian of (E42) in the impulses, for problems of which W alone is
// known (E50).
#pragma once

#include "linear/pivoted_lu.hpp"
#include "solver/newton/newton.hpp"
#include "solver/reduced/reduced_island.hpp"

namespace cairn::solver {

struct ReducedNewtonBuffers {
  linear::PivotedLU lu;
  std::vector<int> place;                    // of each group in the active system, or -1
  std::vector<double> z, r_plus, g, dy, ud;  // per row
  std::vector<double> sigma;                 // per group
  std::vector<double> y, y_trial, u_trial, x, best, before;
};

// Improves r and u = W r + q in place; leaves the best iterate seen.
IterationResult newton(const ReducedIsland& island, const NewtonLimits& limits,
                       ReducedNewtonBuffers& buffers, std::vector<double>& r,
                       std::vector<double>& u);

}  // namespace cairn::solver
