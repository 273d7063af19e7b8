// Small-block arithmetic and islands against dense algebra and search.
#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "linear/blocks.hpp"
#include "problem/islands.hpp"
#include "problem/make_problem.hpp"

namespace cairn::test_blocks {
namespace {

using make::Random;

// Backward error of Gauss-Jordan with pivoting: |A X - I| <= c n eps cond(A), c of the order of
// ten.
TEST(Blocks, InverseTimesMatrixIsOne) {
  Random random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const int n = 1 + make::pick(random, 6);
    Eigen::MatrixXd A(n, n), X(n, n);
    for (double& x : A.reshaped()) x = make::normal(random);
    linear::BodyBlock a, inverse;
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) a[r][c] = A(r, c);
    ASSERT_TRUE(linear::invert(a, n, inverse));
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) X(r, c) = inverse[r][c];
    const double condition = A.norm() * X.norm();
    const double eps = std::numeric_limits<double>::epsilon();
    EXPECT_LE((A * X - Eigen::MatrixXd::Identity(n, n)).norm(), 10 * n * eps * condition);
  }
}

TEST(Blocks, InverseNeedsRowExchanges) {
  linear::BodyBlock a = {{0, 2}, {4, 0}}, inverse;
  ASSERT_TRUE(linear::invert(a, 2, inverse));
  EXPECT_EQ(inverse[0][0], 0);
  EXPECT_EQ(inverse[0][1], 0.25);
  EXPECT_EQ(inverse[1][0], 0.5);
  EXPECT_EQ(inverse[1][1], 0);
}

TEST(Blocks, SingularAndNotFiniteBlocksAreRefused) {
  linear::BodyBlock singular = {{1, 2}, {2, 4}}, zero = {}, inverse;
  EXPECT_FALSE(linear::invert(singular, 2, inverse));
  EXPECT_FALSE(linear::invert(zero, 3, inverse));
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    linear::BodyBlock a = {{bad, 0}, {0, 1}}, b = {{1, 0}, {0, bad}};
    EXPECT_FALSE(linear::invert(a, 2, inverse));
    EXPECT_FALSE(linear::invert(b, 2, inverse));
  }
}

// w = J v + b and p = J^T lambda are those of the dense matrices.
TEST(Blocks, ProductsAreThoseOfTheDenseMatrices) {
  Random random(2);
  for (int trial = 0; trial < 100; ++trial) {
    Problem problem;
    for (int b = 0; b < 3; ++b) {
      const int size = 1 + make::pick(random, 6);
      make::add_body(problem, make::random_spd(random, size), make::random_vector(random, size));
    }
    for (int i = 0; i < 4; ++i) {
      const int a = make::pick(random, 3);
      Constraint& c = make::add(problem, Law::equality, 1 + make::pick(random, 3), a,
                                make::pick(random, 2) == 0 ? -1 : (a + 1) % 3);
      make::fill_random(random, problem, c);
      for (int r = 0; r < c.rows; ++r) c.b[r] = make::normal(random);
    }
    const make::Dense d = make::dense(problem);
    const VecX v = make::random_vector(random, problem.velocities());
    const VecX lambda = make::random_vector(random, problem.rows());
    VecX w(problem.rows()), p = VecX::Zero(problem.velocities());
    for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
      const Constraint& c = problem.constraints[i];
      linear::constraint_velocity(problem, c, v.data(), true, w.data() + problem.first_row[i]);
      for (int side = 0; side < 2; ++side) {
        const int body = c.body[base::at(side)];
        if (body < 0) continue;
        const ProblemBody& b = problem.bodies[base::at(body)];
        linear::add_transposed(c.J[side], c.rows, b.size, lambda.data() + problem.first_row[i],
                               p.data() + b.first);
      }
    }
    EXPECT_LE((w - d.J * v - d.b).norm(), 1e-14 * (1 + w.norm()));
    EXPECT_LE((p - d.J.transpose() * lambda).norm(), 1e-14 * (1 + p.norm()));
  }
}

// Two bodies are in one island exactly when a path of constraints joins them; the transitive
// closure of the graph says so.
TEST(Islands, AreTheComponentsOfTheGraph) {
  Random random(3);
  problem::Islands islands;  // reused, as the solver does
  for (int trial = 0; trial < 300; ++trial) {
    Problem problem;
    const int n = 1 + make::pick(random, 12);
    for (int i = 0; i < n; ++i) make::add_body(problem, {1}, VecX::Zero(1));
    Eigen::MatrixXi joined = Eigen::MatrixXi::Identity(n, n);
    for (int i = make::pick(random, 14); i > 0; --i) {
      const int a = make::pick(random, n + 1) - 1, b = make::pick(random, n + 1) - 1;
      make::add(problem, Law::nonnegative, 1, a, b);
      if (a >= 0 && b >= 0) joined(a, b) = joined(b, a) = 1;
    }
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) joined(i, j) |= joined(i, k) & joined(k, j);

    problem::find_islands(problem, islands);
    int next = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        EXPECT_EQ(islands.of_body[base::at(i)] == islands.of_body[base::at(j)], joined(i, j) == 1);
      // Numbered in the order of their first bodies.
      EXPECT_LE(islands.of_body[base::at(i)], next);
      next = std::max(next, islands.of_body[base::at(i)] + 1);
    }
    EXPECT_EQ(islands.count, next);
    for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
      const auto& body = problem.constraints[i].body;
      const int any = std::max(body[0], body[1]);
      EXPECT_EQ(islands.of_constraint[i], any < 0 ? -1 : islands.of_body[base::at(any)]);
    }
  }
}

}  // namespace
}  // namespace cairn::test_blocks
