// Settled packings of spheres with exact friction to the last digits, where first-order methods and
// Newton's stall (E64 to E67): `auto` from nothing and from the impulses of the step before.
#include <gtest/gtest.h>

#include "bench/packing.hpp"
#include "cairn/solver.hpp"

namespace cairn {
namespace {

TEST(Packings, SettledSpheresAreSolvedToEightDigits) {
  SolverWorkspace workspace;
  for (const int seed : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE(seed);
    const Packing packing = settled_spheres(5, 80, static_cast<std::uint64_t>(seed), 1e-4);
    for (const bool warm : {false, true}) {
      Solution solution;
      if (warm) solution.lambda = packing.warm;
      solve(packing.problem, Auto{.tolerance = 1e-8}, workspace, solution);
      EXPECT_EQ(solution.status, SolveStatus::solved);
      EXPECT_LE(certify(packing.problem, solution.v, solution.lambda).worst, 1e-8);
    }
  }
}

// 343 spheres are a packing for `auto`, whose factor is nearly dense.
TEST(Packings, LargerOnesToo) {
  SolverWorkspace workspace;
  for (const int seed : {2, 4}) {
    SCOPED_TRACE(seed);
    const Packing packing = settled_spheres(7, 100, static_cast<std::uint64_t>(seed), 1e-4);
    Solution solution;
    solve(packing.problem, Auto{.tolerance = 1e-8}, workspace, solution);
    EXPECT_EQ(solution.status, SolveStatus::solved);
    EXPECT_LE(certify(packing.problem, solution.v, solution.lambda).worst, 1e-8);
  }
}

}  // namespace
}  // namespace cairn
