// Springs in place of constraints (E64 to E67): the law they stand for, the pieces it is made of,
// the factor that follows them, and the way to the exact answer.
#include <Eigen/Dense>
#include <algorithm>
#include <gtest/gtest.h>

#include "cairn/solver.hpp"
#include "problem/make_problem.hpp"
#include "problem/samples/sample_problems.hpp"
#include "solver/fallback/proximal_path.hpp"
#include "solver/one_island.hpp"

namespace cairn::test_proximal_path {
namespace {

using make::Random;
using Mode = solver::ProximalLaw::Mode;
using Numbers = std::vector<double>;

// Cubes that rest or slide on each other, and a chain that lies on the floor.
std::vector<Problem> samples() {
  return {problem::cube_pyramid(4, {}), problem::cube_pyramid(5, {.mu = 0.3, .kick = 0.5}),
          problem::link_chain(12, true, {.kick = 0.3})};
}

Numbers random_numbers(Random& random, int n, double size) {
  Numbers x(base::at(n));
  for (double& each : x) each = size * make::normal(random);
  return x;
}

double size_of(const Numbers& x) {
  return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

// A point where contacts are open, stick and slide, none of them near a corner.
struct Point {
  solver::ProximalLaw law;
  Numbers v, r0;

  Point(const solver::Island& island, Random& random, double stiffness) {
    r0 = random_numbers(random, island.rows, island.scale);
    for (const solver::Group& g : island.groups)
      if (is_unilateral(g.set.law))
        r0[base::at(g.first)] = island.scale * make::uniform(random, -1, 3);
    v = island.v_free;
    for (double& each : v) each += 0.1 * island.scale * make::normal(random);
    law.attach(island, r0, stiffness);
    law.look(v);
    law.find_modes();
  }
};

// r = R(r - k u) is Coulomb's law, whatever k is: it holds for the answer of another method, and
// for no other impulses.
TEST(ProximalLaw, HoldsWhereTheLawDoes) {
  Random random(3);
  for (const Problem& problem : samples()) {
    Solution solution;
    SolverWorkspace workspace;
    solve(problem, Auto{.tolerance = 1e-11}, workspace, solution);
    ASSERT_LE(solution.certificate.worst, 1e-11);
    const solver::Island island = island_of(problem);
    Numbers r(base::at(island.rows)), v(base::at(island.velocities)),
        F(base::at(island.velocities));
    for (const solver::Group& g : island.groups)
      for (int k = 0; k < g.rows; ++k)
        r[base::at(g.first + k)] = g.d * solution.lambda[problem.first_row[base::at(g.source)] + k];
    solver::velocities_from_impulses(island, r, v);
    solver::ProximalLaw law;
    for (const double stiffness : {0.1, 1.0, 100.0}) {
      const auto error = [&] {
        law.attach(island, r, stiffness);
        law.look(v);
        law.find_modes();
        law.balance(v, F);
        double worst = 0;
        for (std::size_t k = 0; k < r.size(); ++k)
          worst = std::max(worst, std::abs(law.impulses()[k] - r[k]));
        return worst / island.scale;
      };
      EXPECT_LE(error(), 1e-9 * (1 + stiffness));
      const Numbers kept = r;
      for (double& each : r) each += 0.01 * island.scale * make::normal(random);
      solver::velocities_from_impulses(island, r, v);
      EXPECT_GT(error(), 1e-4);
      r = kept;
      solver::velocities_from_impulses(island, r, v);
    }
  }
}

// Central differences of F are off by the square of the step and by rounding over it.
TEST(ProximalLaw, MatrixIsTheDerivative) {
  Random random(4);
  for (const Problem& problem : samples()) {
    const solver::Island island = island_of(problem);
    Point point(island, random, 20);
    const Numbers dv = random_numbers(random, island.velocities, island.scale);
    Numbers ahead(dv.size()), behind(dv.size()), image(dv.size()), v(dv.size());
    point.law.multiply(dv, image);
    const double t = 1e-6;
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t k = 0; k < v.size(); ++k) v[k] = point.v[k] + sign * t * dv[k];
      point.law.balance(v, sign > 0 ? ahead : behind);
    }
    double error = 0;
    for (std::size_t k = 0; k < v.size(); ++k)
      error = std::max(error, std::abs((ahead[k] - behind[k]) / (2 * t) - image[k]));
    EXPECT_LE(error, 1e-7 * size_of(image));
  }
}

// Up to the corner all modes stay as they are, behind it the one contact is in the other mode.
TEST(ProximalLaw, NextCornerIsTheFirst) {
  Random random(5);
  int met = 0;
  for (const Problem& problem : samples())
    for (int trial = 0; trial < 100; ++trial) {
      const solver::Island island = island_of(problem);
      Point point(island, random, 20);
      const Numbers dv = random_numbers(random, island.velocities, 0.1 * island.scale);
      const double most = 0.02;  // sliding contacts turn little on the way
      const solver::ProximalLaw::Corner corner = point.law.next_corner(dv, 0, most, -1);
      const auto modes_at = [&](double s) {
        Numbers v(dv.size());
        for (std::size_t k = 0; k < v.size(); ++k) v[k] = point.v[k] + s * dv[k];
        solver::ProximalLaw there;
        there.attach(island, point.r0, 20);
        there.look(v);
        there.find_modes();
        return there;
      };
      const solver::ProximalLaw before = modes_at(0.98 * corner.at),
                                behind = modes_at(1.02 * corner.at);
      for (std::size_t i = 0; i < island.groups.size(); ++i)
        EXPECT_EQ(before.mode(static_cast<int>(i)), point.law.mode(static_cast<int>(i)));
      if (corner.group < 0) continue;
      ++met;
      // Sliding ends where the tangent to |y_T| says, which lies below the curve: a little early.
      if (point.law.mode(corner.group) == Mode::slide && corner.to == Mode::stick)
        EXPECT_LT(behind.gap(corner.group, corner.to),
                  0.2 * point.law.gap(corner.group, corner.to));
      else
        EXPECT_EQ(behind.mode(corner.group), corner.to);
    }
  EXPECT_GE(met, 30);
}

// Of the corners that were passed on the way to a point the first is found, where its distance
// falls as it did on the way.
TEST(ProximalLaw, PassedCornersAreSeen) {
  Random random(8);
  int seen = 0, early = 0;
  for (const Problem& problem : samples())
    for (int trial = 0; trial < 100; ++trial) {
      const solver::Island island = island_of(problem);
      Point point(island, random, 20);
      const Numbers dv = random_numbers(random, island.velocities, 0.01 * island.scale);
      point.law.remember();
      EXPECT_GE(point.law.passed(-1).at, 1);
      Numbers v = point.v;
      for (std::size_t k = 0; k < v.size(); ++k) v[k] += dv[k];
      point.law.look(v);
      const solver::ProximalLaw::Corner passed = point.law.passed(-1);
      solver::ProximalLaw there = point.law;
      there.find_modes();
      int changed = 0;
      for (int i = 0; i < static_cast<int>(island.groups.size()); ++i)
        changed += there.mode(i) != point.law.mode(i) ? 1 : 0;
      EXPECT_EQ(passed.group >= 0, changed > 0);
      EXPECT_EQ(passed.at<1, changed> 0);
      if (passed.group < 0) continue;
      ++seen;
      EXPECT_NE(there.mode(passed.group), point.law.mode(passed.group));
      // Well before it none has been passed, where the distances fall evenly.
      for (std::size_t k = 0; k < v.size(); ++k) v[k] = point.v[k] + 0.6 * passed.at * dv[k];
      point.law.look(v);
      early += point.law.passed(-1).at < 1 ? 1 : 0;
    }
  EXPECT_GE(seen, 30);
  EXPECT_LE(early, seen / 20);
}

// Softening leaves velocities and impulses a solution: the forces at v do not change.
TEST(ProximalLaw, SofteningChangesNoImpulse) {
  Random random(6);
  const solver::Island island = island_of(problem::cube_pyramid(4, {}));
  Point point(island, random, 50);
  Numbers before(point.v.size()), after(point.v.size());
  point.law.balance(point.v, before);
  point.law.soften(random_numbers(random, island.velocities, island.scale), 0.1, -1);
  EXPECT_LT(*std::min_element(point.law.stiffness().begin(), point.law.stiffness().end()), 50);
  point.law.balance(point.v, after);
  for (std::size_t k = 0; k < before.size(); ++k)
    EXPECT_NEAR(after[k], before[k], 1e-12 * size_of(before));
}

// Contacts change their modes and all springs grow by a fifth: with the kept factor the answers are
// those of a new one, and the sign of a new one is that of the dense matrix.
TEST(UpdatedFactor, FollowsTheLaw) {
  Random random(7);
  for (const Problem& problem : samples()) {
    const solver::Island island = island_of(problem);
    Point point(island, random, 20);
    solver::UpdatedFactor kept, fresh;
    kept.attach(island);
    fresh.attach(island);
    ASSERT_TRUE(kept.factorize(point.law));
    int changed = 0;
    for (int i = 0; i < static_cast<int>(island.groups.size()) && changed < 8; i += 3)
      if (is_unilateral(island.groups[base::at(i)].set.law)) {
        point.law.set_mode(i, point.law.mode(i) == Mode::open ? Mode::stick : Mode::open);
        ++changed;
      }
    const Numbers right = random_numbers(random, island.velocities, 1);
    const auto error = [&](auto solve) {
      Numbers x = right, image(right.size());
      solve(x);
      point.law.multiply(x, image);
      for (std::size_t k = 0; k < image.size(); ++k) image[k] -= right[k];
      return size_of(image) / size_of(right);
    };
    // Corrections alone are exact while nothing else has changed.
    ASSERT_TRUE(kept.follow(point.law));
    EXPECT_LE(error([&](Numbers& x) { kept.solve(x); }), 1e-9);
    const Numbers stiffness = point.law.stiffness();
    double room = 1;
    EXPECT_GT(point.law.choose_growing(1e6, 100, room), 0);
    point.law.scale_growing(stiffness, 1.2);
    point.law.look(point.v);
    ASSERT_TRUE(kept.follow(point.law));
    EXPECT_GT(error([&](Numbers& x) { kept.solve(x); }), 1e-4);
    EXPECT_LE(error([&](Numbers& x) { EXPECT_TRUE(kept.solve_exactly(point.law, 1e-9, x)); }),
              1e-8);
    ASSERT_TRUE(fresh.factorize(point.law));
    EXPECT_LE(error([&](Numbers& x) { fresh.solve(x); }), 1e-11);
    Eigen::MatrixXd dense(island.velocities, island.velocities);
    Numbers unit(right.size(), 0.0), column(right.size());
    for (std::size_t k = 0; k < unit.size(); ++k) {
      unit[k] = 1;
      point.law.multiply(unit, column);
      unit[k] = 0;
      for (std::size_t j = 0; j < column.size(); ++j)
        dense(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k)) = column[j];
    }
    // The determinant itself may overflow: signs of the pivots of a dense elimination.
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(dense);
    auto sign = static_cast<int>(lu.permutationP().determinant());
    for (Eigen::Index k = 0; k < dense.rows(); ++k)
      if (lu.matrixLU()(k, k) < 0) sign = -sign;
    EXPECT_EQ(fresh.determinant_sign(), sign);
  }
}

// From nothing to the exact answer.
TEST(ProximalPath, EndsAtTheAnswer) {
  for (const Problem& problem : samples()) {
    const solver::Island island = island_of(problem);
    ASSERT_TRUE(solver::proximal_path_takes(island));
    solver::ProximalPathBuffers buffers;
    Numbers r(base::at(island.rows), 0.0), v(base::at(island.velocities));
    const solver::IterationResult result = solver::follow_proximal_path(island, {}, buffers, r, v);
    EXPECT_LE(result.residual, 1e-8);
    EXPECT_NEAR(solver::residual(island, r, v), result.residual, 1e-12);
  }
}

TEST(ProximalPath, KeepsToItsLimitsAndTheBetterOfStartAndEnd) {
  const solver::Island island = island_of(problem::cube_pyramid(5, {.mu = 0.3, .kick = 0.5}));
  solver::ProximalPathBuffers buffers;
  Numbers r(base::at(island.rows), 0.0), v(base::at(island.velocities));
  solver::velocities_from_impulses(island, r, v);
  const double start = solver::residual(island, r, v);
  const solver::IterationResult few =
      solver::follow_proximal_path(island, {.factorisations = 12}, buffers, r, v);
  EXPECT_LE(few.iterations, 12 + 30);  // what has begun is ended
  EXPECT_LE(few.residual, start);
  EXPECT_NEAR(solver::residual(island, r, v), few.residual, 1e-12 * start);
  const Numbers kept = r;
  const solver::IterationResult none =
      solver::follow_proximal_path(island, {.products = 10}, buffers, r, v);
  EXPECT_EQ(none.iterations, 0);
  EXPECT_EQ(r, kept);
}

// Polygons as sections and the relaxed law have other pieces.
TEST(ProximalPath, RefusesOtherLaws) {
  Problem problem = problem::cube_pyramid(3, {});
  EXPECT_TRUE(solver::proximal_path_takes(island_of(problem)));
  problem.constraints[2].facets = 8;
  EXPECT_FALSE(solver::proximal_path_takes(island_of(problem)));
  problem = problem::cube_pyramid(3, {});
  problem.constraints[2].law = Law::coulomb_relaxed;
  EXPECT_FALSE(solver::proximal_path_takes(island_of(problem)));
}

}  // namespace
}  // namespace cairn::test_proximal_path
