// Every solver against the full enumeration of complementary bases on 10^4 random linear
// complementarity problems of at most twelve rows. Each choice of z_i = 0 or w_i = 0 is a linear
// system; the ones with z, w >= 0 are the basic solutions.
#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "cairn/solver.hpp"
#include "problem/make_problem.hpp"
#include "problem/reduced_judge.hpp"
#include "problem/sparse.hpp"

namespace cairn::test_reduced_oracle {
namespace {

using make::Random;
using Matrix = Eigen::MatrixXd;

const SolverOptions all_solvers[] = {Auto{}, Nsgs{.max_sweeps = 300}, Newton{}, Lemke{}};

ReducedProblem lcp(const Matrix& M, const VecX& q) {
  problem::SparseMatrix W{static_cast<int>(q.size()), static_cast<int>(q.size()), {}};
  for (int r = 0; r < W.rows; ++r)
    for (int c = 0; c < W.columns; ++c) W.entries.push_back({r, c, M(r, c)});
  return problem::make_reduced({static_cast<std::size_t>(q.size()), {.law = Law::nonnegative}}, W,
                               q);
}

// z of all basic solutions.
std::vector<VecX> enumerate(const Matrix& M, const VecX& q) {
  const auto n = static_cast<int>(q.size());
  std::vector<VecX> found;
  for (int bits = 0; bits < 1 << n; ++bits) {
    std::vector<int> in;
    for (int i = 0; i < n; ++i)
      if (bits >> i & 1) in.push_back(i);
    VecX z = VecX::Zero(n);
    if (!in.empty()) {
      const Eigen::PartialPivLU<Matrix> lu(M(in, in));
      const VecX pivots = lu.matrixLU().diagonal().cwiseAbs();
      if (!(pivots.minCoeff() > 1e-10 * pivots.maxCoeff())) continue;
      const VecX right = -q(in), x = lu.solve(right);
      z(in) = x;
    }
    const VecX w = M * z + q;
    const double eps = 1e-11 * (1 + z.norm() + q.norm());
    if (z.minCoeff() >= -eps && w.minCoeff() >= -eps) found.push_back(z);
  }
  return found;
}

ReducedSolution solved(const ReducedProblem& problem, const SolverOptions& options) {
  ReducedSolution solution;
  solve(problem, options, solution);
  // Never a false success: the second judge has to agree.
  if (solution.status == SolveStatus::solved) {
    EXPECT_LE(make::judge(problem, solution.lambda).worst(), 1.01e-8) << name(options);
  }
  return solution;
}

Matrix random_matrix(Random& random, int rows, int columns) {
  Matrix A(rows, columns);
  for (double& x : A.reshaped()) x = make::normal(random);
  return A;
}

// Mostly small ones: enumeration doubles with every row.
int random_size(Random& random, int trial) {
  return trial % 100 == 0 ? 12 : 1 + make::pick(random, 6);
}

TEST(ReducedOracle, PMatricesHaveOneSolution) {
  Random random(11);
  for (int trial = 0; trial < 4000; ++trial) {
    const int n = random_size(random, trial);
    const Matrix A = random_matrix(random, n, n), B = random_matrix(random, n, n);
    // Positive definite plus skew: a P matrix.
    const Matrix M = A * A.transpose() + 0.1 * Matrix::Identity(n, n) + B - B.transpose();
    const VecX q = make::random_vector(random, n);
    const std::vector<VecX> expected = enumerate(M, q);
    ASSERT_FALSE(expected.empty());
    for (const SolverOptions& options : all_solvers) {
      const ReducedSolution solution = solved(lcp(M, q), options);
      if (!std::holds_alternative<Nsgs>(options)) {
        EXPECT_EQ(solution.status, SolveStatus::solved) << trial << " " << name(options);
      }
      if (solution.status != SolveStatus::solved) continue;
      EXPECT_LE((solution.lambda - expected.front()).norm(), 1e-6 * (1 + expected.front().norm()))
          << trial << " " << name(options);
    }
    const ReducedSolution exact = solved(lcp(M, q), Lemke{});
    EXPECT_LE((exact.lambda - expected.front()).norm(), 1e-8 * (1 + expected.front().norm()));
  }
}

TEST(ReducedOracle, PositiveSemidefiniteProblemsHaveOneVelocity) {
  Random random(12);
  for (int trial = 0; trial < 3000; ++trial) {
    const int n = random_size(random, trial), rank = 1 + make::pick(random, n);
    const Matrix A = random_matrix(random, n, rank), M = A * A.transpose();
    // Feasible, hence solvable: q = w - M z with z, w >= 0.
    const VecX q =
        make::random_vector(random, n).cwiseAbs() - M * make::random_vector(random, n).cwiseAbs();
    const std::vector<VecX> expected = enumerate(M, q);
    for (const SolverOptions& options : all_solvers) {
      const ReducedSolution solution = solved(lcp(M, q), options);
      if (!std::holds_alternative<Nsgs>(options)) {
        EXPECT_EQ(solution.status, SolveStatus::solved) << trial << " " << name(options);
      }
      if (solution.status != SolveStatus::solved || expected.empty()) continue;
      const VecX w = M * expected.front() + q;
      EXPECT_LE((solution.w - w).norm(), 1e-6 * (1 + w.norm() + q.norm())) << name(options);
    }
  }
}

// Any matrix at all: solutions may be many or none. What is certified is right; where enumeration
// finds a solution `auto` nearly always does.
TEST(ReducedOracle, AnyMatrixIsSolvedOrToldHonestly) {
  Random random(13);
  int solvable = 0, missed = 0, none = 0, rays = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const int n = random_size(random, trial);
    Matrix M = random_matrix(random, n, n);
    if (trial % 3 == 0) M = M.array().round();  // degenerate, zeros on the diagonal
    const VecX q = trial % 3 == 0 ? VecX(make::random_vector(random, n).array().round())
                                  : make::random_vector(random, n);
    const std::vector<VecX> expected = enumerate(M, q);
    const ReducedProblem problem = lcp(M, q);
    // Many have no solution: a budget keeps the search for one short.
    for (const SolverOptions& options :
         {SolverOptions(Auto{.max_sweeps = 100, .max_iterations = 20}),
          SolverOptions(Nsgs{.max_sweeps = 100}), SolverOptions(Newton{.max_iterations = 30}),
          SolverOptions(Lemke{})}) {
      const ReducedSolution solution = solved(problem, options);
      if (!std::holds_alternative<Auto>(options)) continue;
      if (expected.empty()) {
        ++none;
        rays += solution.status == SolveStatus::ray ? 1 : 0;
      } else {
        ++solvable;
        missed += solution.status == SolveStatus::solved ? 0 : 1;
      }
    }
  }
  EXPECT_LE(missed, solvable / 200)
      << solvable << " solvable, " << none << " not, " << rays << " rays";
}

// Mixed problems: the free impulses eliminated by hand give the LCP that enumeration solves.
TEST(ReducedOracle, MixedProblemsAgreeWithTheirEliminatedForm) {
  Random random(14);
  for (int trial = 0; trial < 1000; ++trial) {
    const int n = 1 + make::pick(random, 3), m = 1 + make::pick(random, 5);
    const Matrix A = random_matrix(random, n + m, n + m), S = random_matrix(random, n + m, n + m);
    Matrix M = A * A.transpose() + 0.1 * Matrix::Identity(n + m, n + m) + S - S.transpose();
    // Every other one as in circuits: no resistance between the free impulses, a saddle.
    if (trial % 2) M.topLeftCorner(n, n) = (S - S.transpose()).topLeftCorner(n, n);
    const VecX q = make::random_vector(random, n + m);
    problem::SparseMatrix W{n + m, n + m, {}};
    for (int r = 0; r < n + m; ++r)
      for (int c = 0; c < n + m; ++c) W.entries.push_back({r, c, M(r, c)});
    std::vector<ReducedConstraint> list(static_cast<std::size_t>(n), {.law = Law::equality});
    list.resize(static_cast<std::size_t>(n + m), {.law = Law::nonnegative});
    const ReducedProblem problem = problem::make_reduced(list, W, q);
    const Eigen::FullPivLU<Matrix> lu(M.topLeftCorner(n, n));
    const bool regular = std::abs(lu.matrixLU()(n - 1, n - 1)) > 1e-6 * lu.maxPivot();
    for (const SolverOptions& options : {all_solvers[0], all_solvers[3]}) {
      const ReducedSolution solution = solved(problem, options);
      if (trial % 2 == 0) {
        EXPECT_EQ(solution.status, SolveStatus::solved) << trial << " " << name(options);
      }
      if (solution.status != SolveStatus::solved || !regular) continue;
      const Matrix schur =
          M.bottomRightCorner(m, m) - M.bottomLeftCorner(m, n) * lu.solve(M.topRightCorner(n, m));
      const VecX right = q.tail(m) - M.bottomLeftCorner(m, n) * lu.solve(q.head(n));
      double nearest = 1e300;
      for (const VecX& z : enumerate(schur, right))
        nearest = std::min(nearest, (z - solution.lambda.tail(m)).norm() / (1 + z.norm()));
      EXPECT_LE(nearest, 1e-5) << trial << " " << name(options);
    }
  }
}

}  // namespace
}  // namespace cairn::test_reduced_oracle
