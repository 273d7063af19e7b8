#include <gtest/gtest.h>
#include <random>

#include "cairn/math.hpp"
#include "solver/pivot/pivoting.hpp"

namespace cairn::test_pivoting {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// w = M z + q as rows w - M z = q.
solver::PairedSystem system_of(const Matrix& M, const Vector& q) {
  solver::PairedSystem s;
  s.begin(0, static_cast<int>(q.size()));
  for (int i = 0; i < M.rows(); ++i) {
    s.rhs[static_cast<std::size_t>(i)] = q[i];
    for (int j = 0; j < M.cols(); ++j)
      if (M(i, j) != 0) s.entries.push_back({i, j, -M(i, j)});
  }
  return s;
}

double violation(const Matrix& M, const Vector& q, const std::vector<double>& answer) {
  const Vector z = Eigen::Map<const Vector>(answer.data(), q.size()), w = M * z + q;
  return z.cwiseMin(w).lpNorm<Eigen::Infinity>();
}

TEST(Pivoting, SolvesRandomPMatricesFromAnyBasis) {
  std::mt19937 random(1);
  std::bernoulli_distribution coin;
  solver::PathBuffers buffers;
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + trial % 30;
    Matrix B = Matrix::Random(n, n), S = Matrix::Random(n, n);
    const Matrix M = B * B.transpose() + 0.1 * Matrix::Identity(n, n) + S - S.transpose();
    const Vector q = Vector::Random(n);
    std::vector<char> start(static_cast<std::size_t>(n));
    for (char& s : start) s = trial % 2 != 0 && coin(random);
    std::uint64_t seed = 1;
    int pivots = 0;
    ASSERT_EQ(solver::follow_path(system_of(M, q), start, seed, 10000, buffers, pivots),
              solver::PathEnd::solved);
    EXPECT_LE(violation(M, q, buffers.z), 1e-10) << trial;
  }
}

TEST(Pivoting, TheRightBasisNeedsNoPivot) {
  const Matrix M = (Matrix(2, 2) << 2, 1, 1, 2).finished();
  const Vector q = (Vector(2) << -4, 1).finished();  // z = (2, 0), w = (0, 3)
  solver::PathBuffers buffers;
  std::uint64_t seed = 1;
  int pivots = 0;
  EXPECT_EQ(solver::follow_path(system_of(M, q), {1, 0}, seed, 100, buffers, pivots),
            solver::PathEnd::solved);
  EXPECT_EQ(pivots, 0);
  EXPECT_EQ(buffers.z, (std::vector<double>{2, 0}));
}

TEST(Pivoting, ARayIsTold) {
  // w = -z - 1 has no solution.
  const Matrix M = -Matrix::Identity(1, 1);
  const Vector q = -Vector::Ones(1);
  solver::PathBuffers buffers;
  std::uint64_t seed = 1;
  int pivots = 0;
  EXPECT_EQ(solver::follow_path(system_of(M, q), {0}, seed, 100, buffers, pivots),
            solver::PathEnd::ray);
}

TEST(Pivoting, ASingularStartIsTold) {
  solver::PathBuffers buffers;
  std::uint64_t seed = 1;
  int pivots = 0;
  EXPECT_EQ(solver::follow_path(system_of(Matrix::Ones(2, 2), -Vector::Ones(2)), {1, 1}, seed, 100,
                                buffers, pivots),
            solver::PathEnd::singular);
}

// Free variables: minimise x^2/2 over x >= 1 has x = 1 with multiplier 1.
TEST(Pivoting, TakesFreeVariables) {
  solver::PairedSystem s;
  s.begin(1, 1);
  s.entries = {{0, 0, 1}, {0, 1, -1}, {1, 0, -1}};  // x - z = 0,  w - x = -1
  s.rhs = {0, -1};
  solver::PathBuffers buffers;
  std::uint64_t seed = 1;
  int pivots = 0;
  EXPECT_EQ(solver::follow_path(s, {0}, seed, 100, buffers, pivots), solver::PathEnd::solved);
  EXPECT_NEAR(buffers.x[0], 1, 1e-15);
  EXPECT_NEAR(buffers.z[0], 1, 1e-15);
}

}  // namespace
}  // namespace cairn::test_pivoting
