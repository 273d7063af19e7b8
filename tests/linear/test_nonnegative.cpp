// x >= 0, W x + r >= 0, x . (W x + r) = 0 for matrices of every rank.
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "linear/nonnegative.hpp"

namespace cairn::test_nonnegative {
namespace {

using linear::NonnegativeProblem;

double slack(const NonnegativeProblem& p, std::size_t i) {
  double sum = p.r[i];
  for (std::size_t k = 0; k < p.size(); ++k) sum += p.W(i, k) * p.x[k];
  return sum;
}

// W = G G^T with G of n rows and `rank` columns, r = G d - c, c >= 0 so small that a solution
// exists: with y = G^T x the conditions say that -y is the point nearest to d in a polyhedron that
// is not empty.
NonnegativeProblem random_problem(std::size_t n, std::size_t rank, unsigned seed) {
  std::mt19937 engine(seed);
  const auto number = [&] { return static_cast<double>(engine()) / 0x1p31 - 1; };
  std::vector<double> G(n * rank), d(rank);
  for (double& x : G) x = number();
  for (double& x : d) x = number();
  NonnegativeProblem p;
  p.begin(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t m = 0; m < rank; ++m) p.W(i, k) += G[i * rank + m] * G[k * rank + m];
    for (std::size_t m = 0; m < rank; ++m) p.r[i] += G[i * rank + m] * d[m];
  }
  return p;
}

// Rounding of the factor of a singular matrix is 1e-12 of its diagonal, by which it is made
// positive: slacks are zero to about that, times numbers near ten.
TEST(Nonnegative, SolutionsAreComplementary) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const std::size_t n = 1 + seed % 12, rank = 1 + seed % 7;
    NonnegativeProblem p = random_problem(n, rank, seed);
    ASSERT_TRUE(p.solve()) << seed;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_GE(p.x[i], 0) << seed;
      EXPECT_GE(slack(p, i), -1e-9) << seed;
      EXPECT_LE(std::abs(p.x[i] * slack(p, i)), 1e-8) << seed;
    }
  }
}

// (E730): columns that come when they are asked for give the same solution, bit by bit, and those
// of unknowns that stay zero and have slack are not asked for.
TEST(Nonnegative, ColumnsComeWhenTheyAreNeeded) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const std::size_t n = 1 + seed % 12, rank = 1 + seed % 7;
    NonnegativeProblem all = random_problem(n, rank, seed), some;
    some.begin(n);
    some.r = all.r;
    std::vector<char> asked(n, 0);
    ASSERT_TRUE(all.solve()) << seed;
    ASSERT_TRUE(some.solve([&](std::size_t i) {
      EXPECT_FALSE(asked[i]) << seed;
      asked[i] = 1;
      for (std::size_t k = 0; k < n; ++k) some.W(k, i) = all.W(k, i);
    })) << seed;
    EXPECT_EQ(some.x, all.x) << seed;
    std::size_t closing = 0;
    for (const char a : asked) closing += a ? 1u : 0u;
    EXPECT_EQ(closing, some.columns()) << seed;
    for (std::size_t i = 0; i < n; ++i) EXPECT_TRUE(asked[i] || some.x[i] == 0) << seed;
  }
  NonnegativeProblem open;
  open.begin(3);
  open.r = {1, 2, 3};
  ASSERT_TRUE(open.solve());
  EXPECT_EQ(open.columns(), 0u);
}

// Four legs of a table carry its weight, whichever share each has.
TEST(Nonnegative, EqualRowsShareThePush) {
  NonnegativeProblem p;
  p.begin(4);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 4; ++k) p.W(i, k) = 2;
    p.r[i] = -6;
  }
  ASSERT_TRUE(p.solve());
  double sum = 0;
  for (const double x : p.x) sum += x;
  EXPECT_NEAR(sum, 3, 1e-10);
}

// What cannot be moved keeps its slack and is left out.
TEST(Nonnegative, RowsWithoutMobilityAreLeftOut) {
  NonnegativeProblem p;
  p.begin(2);
  p.W(0, 0) = 1;
  p.r = {-1, -1};
  ASSERT_TRUE(p.solve());
  EXPECT_NEAR(p.x[0], 1, 1e-11);
  EXPECT_EQ(p.x[1], 0);
}

}  // namespace
}  // namespace cairn::test_nonnegative
