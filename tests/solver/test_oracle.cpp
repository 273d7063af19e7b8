// Every solver against the full enumeration of complementary bases on small problems.
#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "cairn/solver.hpp"
#include "solver/enumeration.hpp"

namespace cairn::test_oracle {
namespace {

using make::Dense;
using make::Random;

// Bodies of three velocities with `contacts` random contacts; every third one repeats an earlier
// row or adds two of them up if `redundant`: W is then singular. b_n >= 0 lets v = 0 meet every
// row, so that a solution exists.
Problem random_problem(Random& random, int contacts, int rows, bool redundant) {
  Problem problem;
  const int bodies = 1 + make::pick(random, 4);
  for (int i = 0; i < bodies; ++i)
    make::add_body(problem, std::exp2(make::pick(random, 9) - 4) * make::random_spd(random, 3),
                   make::random_vector(random, 3));
  for (int i = 0; i < contacts; ++i) {
    const int a = make::pick(random, bodies), b = make::pick(random, bodies);
    Constraint& c =
        make::add(problem, rows == 1 ? Law::nonnegative : Law::coulomb, rows, a, a == b ? -1 : b);
    make::fill_random(random, problem, c);
    if (rows == 2) c.mu = make::uniform(random, 0, 1);
    if (make::pick(random, 2) == 0) c.b[0] = make::uniform(random, 0, 0.5);
    if (redundant && i > 0 && i % 3 == 1) {
      const Constraint earlier = problem.constraints[base::at(make::pick(random, i))];
      c.body = earlier.body;
      std::copy(&earlier.J[0][0][0], &earlier.J[0][0][0] + sizeof(c.J) / sizeof(double),
                &c.J[0][0][0]);
    }
  }
  return problem;
}

const std::vector<SolverOptions>& solvers() {
  static const std::vector<SolverOptions> all = {Auto{.tolerance = 1e-11}, Nsgs{.tolerance = 1e-11},
                                                 Newton{.tolerance = 1e-11},
                                                 Lemke{.tolerance = 1e-11}};
  return all;
}

struct Tally {
  std::array<int, 4> solved = {};
  int unique = 0, total = 0;
};

// Solves with all; every accepted answer is judged again, and compared where the velocity is
// unique.
void compare(const Problem& problem, Tally& tally) {
  const Dense d = make::dense(problem);
  const std::vector<VecX> exact = enumerate_velocities(problem);
  ASSERT_FALSE(exact.empty());
  ++tally.total;
  tally.unique += exact.size() == 1 ? 1 : 0;
  for (std::size_t i = 0; i < solvers().size(); ++i) {
    SolverWorkspace workspace;
    Solution solution;
    solve(problem, solvers()[i], workspace, solution);
    if (solution.status != SolveStatus::solved) continue;
    ++tally.solved[i];
    EXPECT_LE(certify(problem, solution.v, solution.lambda).worst, 1e-11);
    if (exact.size() > 1) continue;
    // Relative to what the velocity is the sum of: in a jammed problem it is itself zero.
    const VecX terms = d.v_free.cwiseAbs() +
                       (d.A.inverse() * d.J.transpose()).cwiseAbs() * solution.lambda.cwiseAbs();
    EXPECT_LE((solution.v - exact[0]).norm(), 1e-8 * terms.norm())
        << name(solvers()[i]) << " in problem " << tally.total;
  }
}

// auto has to solve all of them; a method alone must reach the tolerance nearly always, and says so
// when it does not.
void expect_solved(const Tally& tally) {
  EXPECT_EQ(tally.solved[0], tally.total) << "auto";
  EXPECT_EQ(tally.solved[3], tally.total) << "lemke";
  EXPECT_GE(tally.solved[1], 0.95 * tally.total) << "nsgs";
  EXPECT_GE(tally.solved[2], 0.95 * tally.total) << "newton";
}

TEST(Oracle, FrictionlessContacts) {
  Random random(1);
  Tally tally;
  for (int trial = 0; trial < 1000; ++trial)
    compare(random_problem(random, 1 + make::pick(random, 12), 1, false), tally);
  EXPECT_EQ(tally.unique, tally.total);  // a convex problem: the velocity is unique
  expect_solved(tally);
}

TEST(Oracle, RedundantFrictionlessContacts) {
  Random random(2);
  Tally tally;
  for (int trial = 0; trial < 400; ++trial)
    compare(random_problem(random, 4 + make::pick(random, 9), 1, true), tally);
  EXPECT_EQ(tally.unique, tally.total);
  expect_solved(tally);
}

TEST(Oracle, PlanarFriction) {
  Random random(3);
  Tally tally;
  for (int trial = 0; trial < 400; ++trial)
    compare(random_problem(random, 1 + make::pick(random, 4), 2, false), tally);
  EXPECT_GT(tally.unique, 0.9 * tally.total);
  expect_solved(tally);
}

TEST(Oracle, RedundantPlanarFriction) {
  Random random(4);
  Tally tally;
  for (int trial = 0; trial < 200; ++trial)
    compare(random_problem(random, 2 + make::pick(random, 3), 2, true), tally);
  EXPECT_GT(tally.unique, 0.9 * tally.total);
  expect_solved(tally);
}

}  // namespace
}  // namespace cairn::test_oracle
