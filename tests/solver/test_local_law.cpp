// One constraint alone: the local solve must meet the law to rounding.
//
// Legend: W = J A^-1 J^T of the constraint, s velocity without impulse, u = s + W r.
#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "problem/make_problem.hpp"
#include "solver/island/island.hpp"

namespace cairn::test_local_law {
namespace {

using make::Random;

solver::LocalConstraint constraint(const Eigen::MatrixXd& W, const problem::LawSet& set) {
  solver::LocalConstraint g;
  g.set = set;
  g.rows = set.rows;
  for (int r = 0; r < g.rows; ++r)
    for (int c = 0; c < g.rows; ++c) g.W[r][c] = W(r, c);
  return g;
}

// |r - P(r - u_hat)|, the natural map of the law.
double natural_map(const problem::LawSet& set, const Eigen::MatrixXd& W, const VecX& s,
                   const VecX& r) {
  VecX u = s + W * r, p(set.rows);
  u[0] += problem::slip_bound(set, u.data());
  const VecX z = r - u;
  problem::project(set, z.data(), p.data());
  return (r - p).norm();
}

VecX solved(const problem::LawSet& set, const Eigen::MatrixXd& W, const VecX& s) {
  VecX r = VecX::Zero(set.rows);
  solver::solve_local(constraint(W, set), s.data(), r.data());
  return r;
}

// Rounding of u = s + W r with numbers of the size of s and r, times the condition of W.
double rounding(const Eigen::MatrixXd& W, const VecX& s, const VecX& r) {
  const double condition = W.norm() * W.inverse().norm();
  return 1e-14 * condition * (s.norm() + W.norm() * r.norm() + r.norm());
}

problem::LawSet coulomb(int rows, double mu, int facets, Law law = Law::coulomb) {
  return {.law = law,
          .rows = rows,
          .corners = problem::corners_of(rows, facets, nullptr),
          .mu = mu,
          .lo = 0,
          .hi = 0};
}

// `general`: corners of random polygons, new ones for each trial.
void expect_law_holds(Random& random, int rows, int facets, Law law = Law::coulomb, double skew = 0,
                      int general = 0) {
  int stuck = 0, slid = 0, open = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    Eigen::MatrixXd W = make::random_spd(random, rows);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < i; ++j) {
        const double x = skew * make::normal(random);
        W(i, j) += x;
        W(j, i) -= x;
      }
    const VecX s = std::exp2(make::pick(random, 41) - 20) * make::random_vector(random, rows);
    // Sliding is decided by the normal row as long as friction cannot jam it: mu |w_nT| < w_nn.
    const double coupling = W.row(0).tail(rows - 1).norm();
    const double mu = make::uniform(random, 0, 1) * std::min(2.0, W(0, 0) / coupling);
    problem::LawSet set = coulomb(rows, mu, facets, law);
    const auto polygon = general > 0 ? make::random_polygon(random, general) : nullptr;
    if (polygon) set.corners = *polygon;
    const VecX r = solved(set, W, s);
    ASSERT_LE(natural_map(set, W, s, r), rounding(W, s, r))
        << "rows " << rows << " facets " << facets << " mu " << mu << "\nW\n"
        << W << "\ns " << s.transpose() << "\nr " << r.transpose();
    const double slip = (s + W * r).tail(rows - 1).norm();
    open += r[0] == 0;
    stuck += r[0] > 0 && slip <= 1e-10 * s.norm();
    slid += r[0] > 0 && slip > 1e-10 * s.norm();
  }
  EXPECT_GT(open, 500);
  EXPECT_GT(stuck, 100);
  EXPECT_GT(slid, 500);
}

TEST(LocalLaw, PlanarCoulomb) {
  Random random(1);
  expect_law_holds(random, 2, 0);
}

TEST(LocalLaw, ExactCone) {
  Random random(2);
  expect_law_holds(random, 3, 0);
}

// W of other programs: unsymmetric in the third digit.
TEST(LocalLaw, UnsymmetricBlocks) {
  Random random(7);
  expect_law_holds(random, 2, 0, Law::coulomb, 1e-3);
  expect_law_holds(random, 3, 0, Law::coulomb, 1e-3);
  expect_law_holds(random, 3, 8, Law::coulomb, 1e-3);
}

TEST(LocalLaw, Pyramids) {
  Random random(3);
  for (const int facets : {3, 4, 5, 8, 16, 64}) expect_law_holds(random, 3, facets);
}

TEST(LocalLaw, GeneralPolygons) {
  Random random(13);
  for (const int corners : {3, 4, 5, 9, 20}) {
    expect_law_holds(random, 3, 0, Law::coulomb, 0, corners);
    expect_law_holds(random, 3, 0, Law::coulomb_relaxed, 0, corners);
  }
}

// The relaxed law, a convex problem, in all its forms.
TEST(LocalLaw, RelaxedCones) {
  Random random(7);
  expect_law_holds(random, 2, 0, Law::coulomb_relaxed);
  expect_law_holds(random, 3, 0, Law::coulomb_relaxed);
  for (const int facets : {3, 4, 8, 64}) expect_law_holds(random, 3, facets, Law::coulomb_relaxed);
}

// Any friction at all has a solution: the problem is convex.
TEST(LocalLaw, RelaxedLawNeverJams) {
  Random random(8);
  for (int trial = 0; trial < 5000; ++trial) {
    const int rows = 2 + make::pick(random, 2);
    const Eigen::MatrixXd W = make::random_spd(random, rows);
    const VecX s = make::random_vector(random, rows);
    const double mu = std::exp2(make::uniform(random, -8, 8));
    const problem::LawSet set = coulomb(rows, mu, 0, Law::coulomb_relaxed);
    const VecX r = solved(set, W, s);
    // The cone's boundary turns by 1/mu for the same change of r_n where mu is large.
    ASSERT_LE(natural_map(set, W, s, r), (1 + mu) * rounding(W, s, r)) << rows << " mu " << mu;
  }
}

// Friction large enough to jam the contact: mu |w_nT| > w_nn. Solutions exist, though no longer
// only one.
TEST(LocalLaw, JammingFriction) {
  Random random(4);
  for (int trial = 0; trial < 5000; ++trial) {
    const int rows = 2 + make::pick(random, 2);
    const Eigen::MatrixXd W = make::random_spd(random, rows);
    const VecX s = make::random_vector(random, rows);
    const problem::LawSet set = coulomb(rows, std::exp2(make::uniform(random, 0, 5)), 0);
    const VecX r = solved(set, W, s);
    ASSERT_LE(natural_map(set, W, s, r), rounding(W, s, r)) << "rows " << rows << " mu " << set.mu;
  }
}

TEST(LocalLaw, WithoutFriction) {
  Random random(5);
  for (int trial = 0; trial < 1000; ++trial) {
    const Eigen::MatrixXd W = make::random_spd(random, 3);
    const VecX s = make::random_vector(random, 3);
    const VecX r = solved(coulomb(3, 0, 0), W, s);
    EXPECT_NEAR(r[0], s[0] < 0 ? -s[0] / W(0, 0) : 0, rounding(W, s, r));
    EXPECT_EQ(r.tail(2).norm(), 0);
  }
}

// Closed forms of the one-row laws.
TEST(LocalLaw, OneRow) {
  const Eigen::MatrixXd W = Eigen::MatrixXd::Constant(1, 1, 2);
  const auto one = [&](const problem::LawSet& set, double s) {
    return solved(set, W, VecX::Constant(1, s))[0];
  };
  EXPECT_EQ(one({.law = Law::nonnegative}, -3), 1.5);
  EXPECT_EQ(one({.law = Law::nonnegative}, 3), 0);
  EXPECT_EQ(one({.law = Law::equality}, 3), -1.5);
  EXPECT_EQ(one({.law = Law::box, .lo = -1, .hi = 0.5}, 3), -1);
  EXPECT_EQ(one({.law = Law::box, .lo = -1, .hi = 0.5}, 1), -0.5);
  EXPECT_EQ(one({.law = Law::box, .lo = -1, .hi = 0.5}, -3), 0.5);
}

// Three equality rows: u = 0.
TEST(LocalLaw, Equality) {
  Random random(6);
  for (int trial = 0; trial < 1000; ++trial) {
    const int rows = 1 + make::pick(random, 3);
    const Eigen::MatrixXd W = make::random_spd(random, rows);
    const VecX s = make::random_vector(random, rows);
    const VecX r = solved({.law = Law::equality, .rows = rows}, W, s);
    EXPECT_LE((s + W * r).norm(), rounding(W, s, r));
  }
}

}  // namespace
}  // namespace cairn::test_local_law
