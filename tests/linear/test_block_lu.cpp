// Sparse block LU against dense LU, on unsymmetric values, saddle points and chains.
#include <Eigen/Dense>
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include "linear/block_lu.hpp"
#include "problem/make_problem.hpp"

namespace cairn::test_block_lu {
namespace {

using make::Random;

// A block matrix with its dense copy.
struct Matrix {
  std::vector<int> sizes, offsets;
  std::vector<char> late;
  std::vector<std::pair<int, int>> edges;
  Eigen::MatrixXd dense;

  void finish_sizes() {
    int total = 0;
    for (const int size : sizes) {
      offsets.push_back(total);
      total += size;
    }
    dense = Eigen::MatrixXd::Zero(total, total);
  }
  auto block(int i, int j) {
    return dense.block(offsets[base::at(i)], offsets[base::at(j)], sizes[base::at(i)],
                       sizes[base::at(j)]);
  }
  bool load(linear::BlockLU& lu, bool symmetric = false) const {
    lu.begin(sizes, late);
    for (const auto& [i, j] : edges) lu.connect(i, j);
    lu.analyze();
    lu.zero();
    const auto copy = [&](int i, int j, linear::BodyBlock& target) {
      for (int r = 0; r < sizes[base::at(i)]; ++r)
        for (int c = 0; c < sizes[base::at(j)]; ++c)
          target[r][c] += dense(offsets[base::at(i)] + r, offsets[base::at(j)] + c);
    };
    for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
      copy(i, i, lu.diagonal(i));
      for (int r = 0; r < sizes[base::at(i)] && symmetric; ++r)  // is not looked at
        std::fill(lu.diagonal(i)[r] + r + 1, lu.diagonal(i)[r] + sizes[base::at(i)],
                  std::numeric_limits<double>::quiet_NaN());
    }
    for (const auto& [i, j] : edges) {
      EXPECT_TRUE(lu.has(i, j) && lu.has(j, i));
      if (!symmetric || lu.is_below(i, j)) copy(i, j, lu.block(i, j));
      if (!symmetric || lu.is_below(j, i)) copy(j, i, lu.block(j, i));
    }
    return lu.factorize(symmetric);
  }
};

// Forward error: condition number times the rounding of an elimination without pivoting between
// blocks, whose growth is bounded for the matrices made here; a factor of 100 covers both.
void expect_solves(const Matrix& m, linear::BlockLU& lu, Random& random) {
  ASSERT_TRUE(m.load(lu));
  const auto n = static_cast<int>(m.dense.rows());
  const VecX right = make::random_vector(random, n);
  VecX x = right;
  lu.solve(m.offsets, x.data());
  const Eigen::PartialPivLU<Eigen::MatrixXd> exact(m.dense);
  const VecX expected = exact.solve(right);
  const double tolerance = 100 * std::numeric_limits<double>::epsilon() / exact.rcond();
  EXPECT_LE((x - expected).norm(), tolerance * expected.norm());
}

// The order of elimination is kept while nodes and edges are the same, and only then.
TEST(BlockLU, OtherGraphsOnTheSameNodes) {
  Random random(11);
  Matrix chain;
  chain.sizes = {3, 6, 1, 4, 6};
  chain.late.assign(5, 0);
  chain.finish_sizes();
  for (int i = 0; i < 5; ++i)
    chain.block(i, i) =
        20 * Eigen::MatrixXd::Identity(chain.sizes[base::at(i)], chain.sizes[base::at(i)]);
  Matrix star = chain, wider = chain;
  wider.sizes[2] = 2;
  wider.offsets.clear();
  wider.finish_sizes();
  for (int i = 0; i < 5; ++i)
    wider.block(i, i) =
        20 * Eigen::MatrixXd::Identity(wider.sizes[base::at(i)], wider.sizes[base::at(i)]);
  const auto connect = [&](Matrix& m, int i, int j) {
    m.edges.emplace_back(i, j);
    for (int r = 0; r < m.sizes[base::at(i)]; ++r) {
      m.block(i, j).row(r) = make::random_vector(random, m.sizes[base::at(j)]);
      m.block(j, i).col(r) = make::random_vector(random, m.sizes[base::at(j)]);
    }
  };
  for (int i = 1; i < 5; ++i) {
    connect(chain, i - 1, i);
    connect(wider, i - 1, i);
    connect(star, 0, i);
  }
  Matrix late = chain;
  late.late[0] = 1;
  linear::BlockLU lu;
  for (const Matrix* m : {&chain, &star, &chain, &chain, &wider, &late, &star, &late, &chain})
    expect_solves(*m, lu, random);
}

// Of a symmetric matrix the half below the diagonal is enough; and the blocks of the inverse in the
// pattern are those of the dense inverse.
TEST(BlockLU, HalfOfASymmetricMatrixAndBlocksOfTheInverse) {
  Random random(7);
  linear::BlockLU lu;
  for (int trial = 0; trial < 100; ++trial) {
    Matrix m;
    const int n = 2 + make::pick(random, 10);
    for (int i = 0; i < n; ++i) m.sizes.push_back(1 + make::pick(random, 6));
    m.late.assign(base::at(n), 0);
    m.finish_sizes();
    for (int i = 1; i < n; ++i) m.edges.emplace_back(i, make::pick(random, i));
    for (const auto& [i, j] : m.edges) {
      for (int r = 0; r < m.sizes[base::at(i)]; ++r)
        for (int c = 0; c < m.sizes[base::at(j)]; ++c)
          m.block(i, j)(r, c) = make::normal(random) / (6 * n);
      m.block(j, i) = m.block(i, j).transpose();
    }
    m.dense.diagonal().setOnes();
    ASSERT_TRUE(m.load(lu, true));
    const VecX right = make::random_vector(random, static_cast<int>(m.dense.rows()));
    VecX x = right;
    lu.solve(m.offsets, x.data());
    const Eigen::MatrixXd inverse = m.dense.inverse();
    EXPECT_LE((x - inverse * right).norm(), 1e-13 * right.norm());  // condition number near one
    lu.invert_pattern();
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const linear::BodyBlock* Z = lu.inverse(i, j);
        ASSERT_EQ(Z != nullptr, i == j || lu.has(i, j));
        for (int r = 0; Z && r < m.sizes[base::at(i)]; ++r)
          for (int c = 0; c < m.sizes[base::at(j)]; ++c)
            EXPECT_NEAR((*Z)[r][c], inverse(m.offsets[base::at(i)] + r, m.offsets[base::at(j)] + c),
                        1e-13);
      }
  }
}

// Blocks on the diagonal that outweigh the rest: I + noise, noise of rows below one.
TEST(BlockLU, UnsymmetricValuesOnSymmetricPatterns) {
  Random random(1);
  linear::BlockLU lu;  // reused for all, as the solver does
  for (int trial = 0; trial < 300; ++trial) {
    Matrix m;
    const int n = 1 + make::pick(random, 15);
    for (int i = 0; i < n; ++i) m.sizes.push_back(1 + make::pick(random, 6));
    m.late.assign(base::at(n), 0);
    m.finish_sizes();
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j)
        if (make::pick(random, 4) == 0) m.edges.emplace_back(i, j);
    for (const auto& [i, j] : m.edges)
      for (const auto& [a, b] : {std::pair(i, j), std::pair(j, i)})
        for (int r = 0; r < m.sizes[base::at(a)]; ++r)
          for (int c = 0; c < m.sizes[base::at(b)]; ++c) m.block(a, b)(r, c) = make::normal(random);
    for (int i = 0; i < n; ++i)
      for (int r = 0; r < m.sizes[base::at(i)]; ++r)
        for (int c = 0; c < m.sizes[base::at(i)]; ++c) m.block(i, i)(r, c) = make::normal(random);
    const double size = m.dense.cwiseAbs().rowwise().sum().maxCoeff();
    m.dense += 1.5 * size * Eigen::MatrixXd::Identity(m.dense.rows(), m.dense.cols());
    expect_solves(m, lu, random);
  }
}

// [M J^T; J 0]: the rows of bilateral constraints have no pivot of their own and go late. A tree of
// bodies, one joint of at most three rows for each but the first, so that J has full rank.
TEST(BlockLU, SaddlePointsOfJointTrees) {
  Random random(2);
  linear::BlockLU lu;
  for (int trial = 0; trial < 200; ++trial) {
    Matrix m;
    const int bodies = 2 + make::pick(random, 12);
    for (int i = 0; i < bodies; ++i) m.sizes.push_back(6);
    for (int i = 1; i < bodies; ++i) m.sizes.push_back(1 + make::pick(random, 3));
    m.late.assign(m.sizes.size(), 0);
    m.finish_sizes();
    for (int i = 0; i < bodies; ++i) m.block(i, i) = make::random_spd(random, 6);
    for (int i = 1; i < bodies; ++i) {
      const int joint = bodies + i - 1, parent = make::pick(random, i);
      m.late[base::at(joint)] = 1;
      for (const int body : {i, parent}) {
        m.edges.emplace_back(joint, body);
        Eigen::MatrixXd J(m.sizes[base::at(joint)], 6);
        for (double& x : J.reshaped()) x = make::normal(random);
        m.block(joint, body) = J;
        m.block(body, joint) = J.transpose();
      }
    }
    expect_solves(m, lu, random);
  }
}

// Chains in any order of their nodes fill nothing in: the factor has the blocks of the matrix, so
// that its cost grows with the length alone.
TEST(BlockLU, ChainsFillNothingIn) {
  Random random(3);
  for (const int n : {2, 3, 10, 100}) {
    Matrix m;
    m.sizes.assign(base::at(n), 3);
    m.late.assign(base::at(n), 0);
    m.finish_sizes();
    std::vector<int> order(base::at(n));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (int i = 0; i < n; ++i) m.block(i, i) = 4 * make::random_spd(random, 3);
    for (int i = 1; i < n; ++i) {
      const int a = order[base::at(i - 1)], b = order[base::at(i)];
      m.edges.emplace_back(a, b);
      for (double& x : m.block(a, b).reshaped()) x = 0.3 * make::normal(random);
      for (double& x : m.block(b, a).reshaped()) x = 0.3 * make::normal(random);
    }
    linear::BlockLU lu;
    expect_solves(m, lu, random);
    int blocks = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) blocks += lu.has(i, j) ? 1 : 0;
    EXPECT_EQ(blocks, n - 1);
  }
}

TEST(BlockLU, SingularMatrixIsRefused) {
  Matrix m;
  m.sizes = {2, 2};
  m.late = {0, 0};
  m.finish_sizes();
  m.block(0, 0).setIdentity();
  linear::BlockLU lu;
  EXPECT_FALSE(m.load(lu));
}

}  // namespace
}  // namespace cairn::test_block_lu
