// A solve allocates nothing once its buffers have grown, whatever the solver.
#include <gtest/gtest.h>

#include "cairn/solver.hpp"
#include "counted_allocations.hpp"
#include "problem/samples/sample_problems.hpp"

namespace cairn::test_allocation {
namespace {

TEST(Allocation, NoneAfterWarmUp) {
  const std::vector<double> masses(6, 1.0);
  const Problem stack = problem::cube_stack(masses, {.facets = 4}),
                chain = problem::link_chain(8, true, {.facets = 4});
  const SolverOptions solvers[] = {Auto{}, Nsgs{}, Newton{}, Lemke{}, Admm{}, Ipm{}, Apgd{}, Bb{}};
  for (const SolverOptions& options : solvers) {
    SolverWorkspace workspace;
    Solution solution;
    const auto solve_both = [&] {
      for (const Problem* problem : {&stack, &chain}) {
        solution.lambda.setZero(problem->rows());
        solve(*problem, options, workspace, solution);
        solve(*problem, options, workspace, solution);  // warm, which takes other ways
      }
    };
    solve_both();
    solve_both();
    const std::size_t before = allocations;
    EXPECT_GT(before, 0u);                       // the counter counts
    solve(chain, options, workspace, solution);  // the last problem again: vectors keep their size
    EXPECT_EQ(allocations - before, 0u) << name(options);
  }
}

// `auto` on a wall of 325 cubes, which it takes for a packing: certified under both laws, and
// without memory of its own once the buffers have grown, whichever law came last.
TEST(Allocation, NoneInPackingsUnderEitherLaw) {
  const Problem exact = problem::cube_pyramid(25, {}),
                relaxed = problem::cube_pyramid(25, {.law = Law::coulomb_relaxed});
  SolverWorkspace workspace;
  Solution solution;
  const auto solve_both = [&](bool judged) {
    for (const Problem* problem : {&exact, &relaxed}) {
      solution.lambda.setZero(problem->rows());
      solve(*problem, Auto{.tolerance = 1e-4}, workspace, solution);
      EXPECT_EQ(solution.status, SolveStatus::solved);
      if (judged) {
        EXPECT_LE(certify(*problem, solution.v, solution.lambda).worst, 1e-4);
      }
    }
  };
  solve_both(true);
  const std::size_t before = allocations;
  EXPECT_GT(before, 0u);
  solve_both(false);
  EXPECT_EQ(allocations - before, 0u);
}

}  // namespace
}  // namespace cairn::test_allocation
