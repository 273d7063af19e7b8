// Rolling and torsional friction in problems (E240 to E243): the local law, all solvers on random
// balls, and answers known in closed form.
#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "cairn/solution_set.hpp"
#include "cairn/solver.hpp"
#include "problem/make_problem.hpp"
#include "solver/island/local_law.hpp"

namespace cairn::test_discs {
namespace {

using make::Random;

// W r + s = u: inside the disc u = 0, on its edge u = -alpha r.
TEST(Disc, LocalLawIsExact) {
  Random random(1);
  for (int trial = 0; trial < 500; ++trial) {
    solver::LocalConstraint g;
    g.rows = 2;
    g.set = {.law = Law::disc,
             .rows = 2,
             .corners = {},
             .mu = 0,
             .lo = 0,
             .hi = make::uniform(random, 0, 2)};
    const Eigen::MatrixXd W = make::random_spd(random, 2);
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 2; ++c) g.W[r][c] = W(r, c);
    const Eigen::Vector2d s = 2 * make::random_vector(random, 2);
    Eigen::Vector2d r = Eigen::Vector2d::Zero();
    solver::solve_local(g, s.data(), r.data());
    const Eigen::Vector2d u = W * r + s;
    EXPECT_LE(r.norm(), g.set.hi * (1 + 1e-15));
    if (r.norm() < g.set.hi * (1 - 1e-12)) {
      EXPECT_LE(u.norm(), 1e-13 * s.norm());
    } else {
      EXPECT_LE(std::abs(u.x() * r.y() - u.y() * r.x()), 1e-12 * s.norm() * r.norm());
      EXPECT_LE(u.dot(r), 1e-13 * s.norm());
    }
  }
}

struct Arms {
  Vec3 n, t1, t2;
};

// Rows of a point at `arm` from the centre of a free body of six velocities, in world axes.
void point_rows(Constraint& c, int side, const Vec3& arm, const Arms& a, double sign) {
  const Vec3 axes[3] = {a.n, a.t1, a.t2};
  for (int r = 0; r < c.rows; ++r) {
    const Vec3 turn = arm.cross(axes[r]);
    for (int k = 0; k < 3; ++k) {
      c.J[side][r][k] = sign * axes[r][k];
      c.J[side][r][3 + k] = sign * turn[k];
    }
  }
}
void spin_rows(Constraint& c, int side, const Vec3& first, const Vec3& second, double sign) {
  for (int k = 0; k < 3; ++k) {
    c.J[side][0][3 + k] = sign * first[k];
    if (c.rows == 2) c.J[side][1][3 + k] = sign * second[k];
  }
}

// A row of balls with unit mass and radius that lie on a floor and against each other, pushed about
// at random: friction, rolling and torsional friction at every contact.
Problem balls(Random& random, int count, double mu, double rolling, double torsion) {
  Problem problem;
  for (int i = 0; i < count; ++i) {
    VecX v = make::random_vector(random, 6);
    v[2] = -std::abs(v[2]) - 0.5;
    make::add_body(problem, {1, 1, 1, 0.4, 0.4, 0.4}, v);
  }
  std::vector<std::pair<int, Arms>> contacts;
  const auto add = [&](int a, int b, const Vec3& n) {
    const Arms arms = {n, n.unitOrthogonal(), n.cross(n.unitOrthogonal())};
    Constraint& c = make::add(problem, Law::coulomb, 3, a, b);
    c.mu = mu;
    point_rows(c, 0, -n, arms, 1);
    if (b >= 0) point_rows(c, 1, n, arms, -1);
    contacts.emplace_back(static_cast<int>(problem.constraints.size()) - 1, arms);
  };
  for (int i = 0; i < count; ++i) {
    add(i, -1, Vec3::UnitZ());
    if (i > 0) add(i, i - 1, Vec3::UnitX());
  }
  for (const auto& [tie, arms] : contacts) {
    const auto body = problem.constraints[base::at(tie)].body;
    for (const int rows : {1, 2}) {
      Constraint& c = make::add(problem, Law::disc, rows, body[0], body[1]);
      c.mu = rows == 1 ? torsion : rolling;
      c.tie = tie;
      for (int side = 0; side < (body[1] < 0 ? 1 : 2); ++side)
        spin_rows(c, side, rows == 1 ? arms.n : arms.t1, arms.t2, side == 0 ? 1 : -1);
    }
  }
  return problem;
}

// auto solves them all; the others, which may fail on Coulomb's law as well, nearly all.
TEST(Disc, EverySolverThatTakesItSolvesBalls) {
  Random random(7);
  const std::vector<std::pair<SolverOptions, int>> solvers = {
      {Auto{}, 30}, {Nsgs{}, 30}, {Newton{}, 27}, {Admm{}, 27},
      {Ipm{}, 27},  {Apgd{}, 27}, {Bb{}, 27}};
  std::vector<int> solved(solvers.size(), 0);
  for (int trial = 0; trial < 30; ++trial) {
    const Problem problem = balls(random, 1 + trial % 5, make::uniform(random, 0.1, 0.8),
                                  make::uniform(random, 0, 0.3), make::uniform(random, 0, 0.3));
    for (std::size_t k = 0; k < solvers.size(); ++k) {
      ASSERT_TRUE(accepts(solvers[k].first, problem));
      SolverWorkspace workspace;
      Solution solution;
      solve(problem, solvers[k].first, workspace, solution);
      EXPECT_EQ(certify(problem, solution.v, solution.lambda).within(1e-8),
                solution.status == SolveStatus::solved);
      solved[k] += solution.status == SolveStatus::solved;
    }
  }
  for (std::size_t k = 0; k < solvers.size(); ++k)
    EXPECT_GE(solved[k], solvers[k].second) << name(solvers[k].first);
}

// One ball: the normal impulse does not depend on friction about the contact, so that the radii are
// known, and what turns is turned back by rho p at the most.
TEST(Disc, OneBallInClosedForm) {
  Random random(9);
  for (int trial = 0; trial < 100; ++trial) {
    const double rolling = make::uniform(random, 0, 1), torsion = make::uniform(random, 0, 1);
    Problem problem = balls(random, 1, 0, rolling, torsion);
    SolverWorkspace workspace;
    Solution solution;
    solve(problem, Auto{}, workspace, solution);
    ASSERT_EQ(solution.status, SolveStatus::solved);
    const double p = -problem.k[2];  // stops the fall
    EXPECT_NEAR(solution.lambda[0], p, 1e-12);
    // Frictionless: the spin loses rho p / I, about the normal and across it.
    const double spin = problem.k[5] / 0.4, turn = std::hypot(problem.k[3], problem.k[4]) / 0.4;
    EXPECT_NEAR(std::abs(solution.v[5]), std::max(0.0, std::abs(spin) - torsion * p / 0.4), 1e-12);
    EXPECT_NEAR(std::hypot(solution.v[3], solution.v[4]), std::max(0.0, turn - rolling * p / 0.4),
                1e-12);
  }
}

TEST(Disc, WhoCannotTakeItSaysSo) {
  Random random(3);
  Problem problem = balls(random, 2, 0.5, 0.1, 0.1);
  const Result<void> lemke = accepts(Lemke{}, problem);
  ASSERT_FALSE(lemke);
  SolverWorkspace workspace;
  Solution solution;
  solve(problem, Auto{}, workspace, solution);
  const auto intervals = impulse_intervals(problem, solution.v, solution.lambda);
  ASSERT_FALSE(intervals);
  EXPECT_EQ(intervals.error()[0].code, ErrorCode::unsupported);
  EXPECT_FALSE(find_jamming(problem, solution.v, solution.lambda));
  EXPECT_FALSE(least_norm(problem, solution.v, solution.lambda));
}

// A wrong answer is not certified: too much friction about the contact, too little of it.
TEST(Disc, CertificateSeesEveryFault) {
  Random random(5);
  Problem problem = balls(random, 1, 0.5, 0.2, 0.2);
  SolverWorkspace workspace;
  Solution good;
  solve(problem, Auto{}, workspace, good);
  ASSERT_EQ(good.status, SolveStatus::solved);
  const make::Dense d = make::dense(problem);
  for (int row = 3; row < 6; ++row)  // torsion, rolling, rolling
    for (const double change : {-1e-4, 1e-4}) {
      VecX lambda = good.lambda;
      lambda[row] += change;
      const VecX v = d.v_free + d.A.inverse() * d.J.transpose() * lambda;
      const Certificate c = certify(problem, v, lambda);
      EXPECT_GT(c.worst, 1e-6) << row;
      EXPECT_LE(c.momentum, 1e-14);
    }
  // The radius follows the impulse it is tied to: with another normal impulse the rest is wrong.
  VecX lambda = good.lambda;
  lambda[0] *= 0.5;
  EXPECT_GT(certify(problem, good.v, lambda).cone, 1e-3);
}

}  // namespace
}  // namespace cairn::test_discs
