// solve() and certify() for the schemes. InternalError passes, so that the step as a whole is taken
// back.
#pragma once

#include "cairn/solver.hpp"

namespace cairn::solver {

void solve_unguarded(const Problem& problem, const SolverOptions& options,
                     SolverWorkspace& workspace, Solution& solution);

// certify() in the memory of the workspace.
Certificate certify(SolverWorkspace& workspace, const Problem& problem, const VecX& v,
                    const VecX& lambda);

}  // namespace cairn::solver
