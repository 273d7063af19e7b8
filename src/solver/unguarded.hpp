// solve() for the schemes: lets InternalError pass, so that the step as a whole is taken back.
#pragma once

#include "cairn/solver.hpp"

namespace cairn::solver {

void solve_unguarded(const Problem& problem, const SolverOptions& options,
                     SolverWorkspace& workspace, Solution& solution);

}  // namespace cairn::solver
