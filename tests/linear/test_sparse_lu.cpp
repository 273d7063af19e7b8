#include <gtest/gtest.h>
#include <random>

#include "cairn/math.hpp"
#include "linear/sparse_lu.hpp"

namespace cairn::test_sparse_lu {
namespace {

using Matrix = Eigen::MatrixXd;

Matrix random_sparse(int n, int per_row, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-1, 1);
  std::uniform_int_distribution<int> place(0, n - 1);
  Matrix A = Matrix::Zero(n, n);
  // A permutation keeps it regular, with entries of very different size.
  std::vector<int> order(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), random);
  for (int i = 0; i < n; ++i) {
    A(i, order[static_cast<std::size_t>(i)]) = std::pow(10.0, 3 * value(random));
    for (int k = 0; k < per_row; ++k) A(i, place(random)) += value(random);
  }
  return A;
}

void load(const Matrix& A, linear::SparseLU& lu) {
  lu.begin(static_cast<int>(A.rows()));
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j) lu.add(i, j, A(i, j));
}

double backward_error(const Matrix& A, const Eigen::VectorXd& x, const Eigen::VectorXd& b) {
  return (A * x - b).lpNorm<Eigen::Infinity>() /
         (A.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs()).maxCoeff();
}

Eigen::VectorXd solve(linear::SparseLU& lu, const Eigen::VectorXd& b) {
  std::vector<double> x(b.data(), b.data() + b.size());
  lu.solve(x);
  return Eigen::Map<Eigen::VectorXd>(x.data(), b.size());
}

TEST(SparseLU, SolvesWithSmallBackwardError) {
  std::mt19937 random(1);
  linear::SparseLU lu;
  for (const int n : {1, 2, 7, 40, 200}) {
    const Matrix A = random_sparse(n, 3, random);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
    load(A, lu);
    ASSERT_TRUE(lu.factorize()) << n;
    EXPECT_LE(backward_error(A, solve(lu, b), b), 1e-13) << n;
  }
}

TEST(SparseLU, ReplacesColumns) {
  std::mt19937 random(2);
  std::uniform_int_distribution<int> place(0, 59);
  Matrix A = random_sparse(60, 3, random);
  linear::SparseLU lu;
  load(A, lu);
  ASSERT_TRUE(lu.factorize());
  int replaced = 0;
  while (!lu.worn()) {
    const int column = place(random);
    const Eigen::VectorXd a = Eigen::VectorXd::Random(60), y = solve(lu, a);
    if (std::abs(y[column]) < 1e-2 * y.lpNorm<Eigen::Infinity>()) continue;  // nearly dependent
    ASSERT_TRUE(lu.replace(column, {y.data(), 60}));
    A.col(column) = a;
    ++replaced;
    const Eigen::VectorXd b = Eigen::VectorXd::Random(60), x = solve(lu, b);
    EXPECT_LE(backward_error(A, x, b), 1e-10) << replaced;
  }
  EXPECT_GE(replaced, 20);
}

TEST(SparseLU, TellsSingularFromIllScaled) {
  linear::SparseLU lu;
  Matrix A = Matrix::Identity(5, 5);
  A(3, 3) = 1e-9;
  load(A, lu);
  EXPECT_TRUE(lu.factorize());
  A.row(3) = A.row(1) + A.row(2);
  load(A, lu);
  EXPECT_FALSE(lu.factorize());
}

// Arrow matrices have no fill if the tip is eliminated last.
TEST(SparseLU, FindsTheOrderWithoutFill) {
  const int n = 3000;
  linear::SparseLU lu;
  lu.begin(n);
  for (int i = 0; i < n; ++i) lu.add(i, i, 4.0);
  for (int i = 1; i < n; ++i) {
    lu.add(0, i, 1e-2);
    lu.add(i, 0, 1e-2);
  }
  ASSERT_TRUE(lu.factorize());
  EXPECT_LE(lu.fill(), 2 * n);
}

}  // namespace
}  // namespace cairn::test_sparse_lu
