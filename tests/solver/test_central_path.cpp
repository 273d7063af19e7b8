// Exact friction along the central path, without any help from other methods.
#include <gtest/gtest.h>

#include "problem/files/problem_file.hpp"
#include "problem/make_problem.hpp"
#include "solver/fallback/central_path.hpp"

namespace cairn::test_central_path {
namespace {

// Residual of the path's answer on the one island of the problem.
double follow(const Problem& problem, double tolerance) {
  problem::Islands islands;
  problem::find_islands(problem, islands);
  double worst = 0;
  for (int i = 0; i < islands.count; ++i) {
    solver::Island island;
    solver::make_island(problem, islands, i, island);
    EXPECT_TRUE(solver::path_takes(island, {}));
    solver::CentralPathBuffers buffers;
    std::vector<double> r(static_cast<std::size_t>(island.rows), 0.0), v;
    const double found =
        solver::follow_central_path(island, {.tolerance = tolerance}, buffers, r, v).residual;
    EXPECT_EQ(found, solver::residual(island, r, v));
    worst = std::max(worst, found);
  }
  return worst;
}

// Two bodies and the ground, three to eight contacts with friction up to 2 in space and in the
// plane, joints among them: with friction this high the law is far from monotone, and a solution
// need not be unique.
TEST(CentralPath, EndsAtASolutionOfRandomProblems) {
  make::Random random(11);
  int missed = 0;
  constexpr int problems = 200;
  for (int n = 0; n < problems; ++n) {
    Problem problem;
    for (int i = 0; i < 2; ++i)
      make::add_body(problem, make::random_spd(random, 6), make::random_vector(random, 6));
    const int contacts = 3 + make::pick(random, 6);
    for (int i = 0; i < contacts; ++i) {
      const bool joint = make::pick(random, 8) == 0;
      Constraint& c = make::add(problem, joint ? Law::equality : Law::coulomb,
                                joint ? 1 : 2 + make::pick(random, 2), i % 2,
                                make::pick(random, 2) ? 1 - i % 2 : -1);
      make::fill_random(random, problem, c);
      c.mu = joint ? 0 : make::uniform(random, 0, 2);
      for (int r = 0; r < c.rows; ++r) c.b[r] = 0;
    }
    if (!(follow(problem, 1e-10) <= 1e-10)) ++missed;
  }
  EXPECT_EQ(missed, 0);
}

// A kept problem of a stack that slides, with redundant contacts.
TEST(CentralPath, SlidingStack) {
  const Result<Problem> problem = problem::read_problem(
      CAIRN_SOURCE_DIR "/tests/problems/space/pyramid-of-four-mu0.8-h0.01-48.json");
  ASSERT_TRUE(problem);
  EXPECT_LE(follow(*problem, 1e-8), 1e-8);
}

TEST(CentralPath, RefusesWhatItCannotRoundOff) {
  make::Random random(1);
  Problem problem;
  make::add_body(problem, make::random_spd(random, 6), make::random_vector(random, 6));
  Constraint& c = make::add(problem, Law::coulomb, 3, 0);
  make::fill_random(random, problem, c);
  c.mu = 0.5;
  c.facets = 8;
  problem::Islands islands;
  problem::find_islands(problem, islands);
  solver::Island island;
  solver::make_island(problem, islands, 0, island);
  EXPECT_FALSE(solver::path_takes(island, {}));
}

}  // namespace
}  // namespace cairn::test_central_path
