// The work of solves is counted, logged and bounded (E314).
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

#include "cairn/solver.hpp"
#include "problem/samples/sample_problems.hpp"

namespace cairn::test_budget {
namespace {

const SolverOptions solvers[] = {Auto{}, Nsgs{}, Newton{}, Lemke{}, Admm{}, Ipm{}, Apgd{}, Bb{}};

Problem sliding_pyramid() {
  return problem::cube_pyramid(5, {.mu = 0.3, .facets = 4, .kick = 0.5});
}

Solution solved(const Problem& problem, const SolverOptions& options, WorkMeter* meter = nullptr) {
  SolverWorkspace workspace;
  workspace.set_meter(meter);
  Solution solution;
  solve(problem, options, workspace, solution);
  return solution;
}

// What the attempts took adds up to the work of the solve, and each begins where the best of those
// before it ended.
TEST(Budget, AttemptsAddUp) {
  const Problem problem = sliding_pyramid();
  for (const SolverOptions& options : solvers) {
    WorkMeter meter;
    const Solution solution = solved(problem, options, &meter);
    ASSERT_FALSE(solution.attempts.empty()) << name(options);
    EXPECT_GT(solution.work, 0) << name(options);
    EXPECT_EQ(meter.spent, solution.work) << name(options);
    EXPECT_FALSE(solution.out_of_budget) << name(options);
    double sum = 0, best = std::numeric_limits<double>::infinity();
    int iterations = 0;
    for (const SolveAttempt& a : solution.attempts) {
      sum += a.work;
      iterations += a.iterations;
      best = std::min(best, a.after);
      EXPECT_EQ(a.island, 0);
    }
    EXPECT_LE(sum, solution.work * (1 + 1e-12)) << name(options);
    EXPECT_GE(sum, 0.5 * solution.work) << name(options);
    EXPECT_EQ(iterations, solution.iterations) << name(options);
    // The estimate and the certificate agree within the floors of rounding.
    EXPECT_NEAR(best, solution.certificate.worst, 1e-9 + 0.05 * best) << name(options);
  }
}

// The limit is that of 200 constraints at the least. A solve ends with the first iteration beyond
// it, the same one in every run.
TEST(Budget, EndsASolveAtTheSameIterationEveryTime) {
  const Problem problem = problem::cube_pyramid(6, {.mu = 0.3, .kick = 0.5});
  const Nsgs options{.tolerance = 1e-30, .max_sweeps = 1000000};
  const double per_constraint = 50;
  VecX lambda;
  for (int run = 0; run < 2; ++run) {
    WorkMeter meter{.per_constraint = per_constraint};
    const Solution solution = solved(problem, options, &meter);
    const double size = std::max<double>(200, static_cast<double>(problem.constraints.size()));
    EXPECT_EQ(meter.limit, per_constraint * size);
    EXPECT_TRUE(meter.exhausted());
    EXPECT_TRUE(solution.out_of_budget);
    EXPECT_EQ(solution.status, SolveStatus::not_certified);
    EXPECT_LE(solution.work, meter.limit + 3.0 * static_cast<double>(problem.constraints.size()));
    EXPECT_TRUE(run == 0 || solution.lambda == lambda);
    lambda = solution.lambda;
  }
}

// A solve that begins when all is spent still has its share: the last problem of a step must not be
// left at its warm start.
TEST(Budget, LaterSolvesHaveAShare) {
  const Problem problem = problem::cube_pyramid(3, {});
  WorkMeter meter{.spent = 1e9, .per_constraint = 30000};
  const Solution solution = solved(problem, Auto{}, &meter);
  EXPECT_EQ(solution.status, SolveStatus::solved);
}

// Many islands that one method solves do not fill the log.
TEST(Budget, TheLogStaysShort) {
  Problem problem;
  const Problem cube = problem::cube_stack(std::vector{1.0}, {});
  for (int n = 0; n < 100; ++n) {
    const int bodies = static_cast<int>(problem.bodies.size()), rows = problem.rows();
    problem.bodies.push_back(cube.bodies[0]);
    problem.bodies.back().first = problem.velocities();
    problem.k.conservativeResize(problem.k.size() + cube.k.size());
    problem.k.tail(cube.k.size()) = cube.k;
    if (!problem.first_row.empty()) problem.first_row.pop_back();
    for (std::size_t i = 0; i < cube.constraints.size(); ++i) {
      Constraint c = cube.constraints[i];
      for (int& body : c.body)
        if (body >= 0) body += bodies;
      problem.constraints.push_back(c);
      problem.first_row.push_back(rows + cube.first_row[i]);
    }
    problem.first_row.push_back(rows + cube.rows());
  }
  const Solution solution = solved(problem, Auto{});
  EXPECT_EQ(solution.islands, 100);
  EXPECT_LE(solution.attempts.size(), 33u);
  EXPECT_EQ(static_cast<int>(solution.attempts.size()) + solution.attempts_left_out, 100);
}

}  // namespace
}  // namespace cairn::test_budget
