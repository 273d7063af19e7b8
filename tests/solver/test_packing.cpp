// Projected gradients in the layout of packings (E61 to E63): the layout against the operator that
// all methods share, the answers against those of other methods, and what it refuses.
#include <algorithm>
#include <gtest/gtest.h>

#include "cairn/solver.hpp"
#include "problem/make_problem.hpp"
#include "problem/samples/sample_problems.hpp"
#include "solver/gradient/packed_gradients.hpp"
#include "solver/island/primal_coupling.hpp"
#include "solver/one_island.hpp"

namespace cairn::test_packing {
namespace {

using make::Random;

// Impulses inside and on the cones, and some outside.
std::vector<double> random_impulses(Random& random, const solver::Island& island) {
  std::vector<double> r(static_cast<std::size_t>(island.rows));
  for (double& x : r) x = make::normal(random);
  return r;
}

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double each : x) most = std::max(most, std::abs(each));
  return most;
}

// g = u / e and x = e r: the product, taken back to the island's scaling, is the coupling's own.
// Both are sums of some hundred terms, of which none is larger than the largest product of a row of
// W with r.
TEST(Packing, ProductIsThatOfTheCoupling) {
  Random random(5);
  for (const int rows : {1, 2, 5, 6}) {  // cubes above each other; 15 * 8 + 6 * 4 contacts with 6
    const solver::Island island = island_of(problem::cube_pyramid(rows, {}));
    solver::PrimalCoupling coupling;
    coupling.attach(island);
    solver::PackedContacts packing;
    ASSERT_TRUE(packing.attach(island));
    const std::vector<double> r = random_impulses(random, island);
    std::vector<double> u, back = r;
    solver::PackedVector x, g;
    packing.load(r, x);
    packing.multiply(x, g);
    coupling.multiply(r, u);
    const double size = 100 * largest(r) + largest(u);
    for (std::size_t i = 0; i < island.groups.size(); ++i) {
      const solver::Group& group = island.groups[i];
      const double normal = std::sqrt(group.W[0][0]),
                   tangential = std::sqrt(0.5 * (group.W[1][1] + group.W[2][2]));
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(g.row[k][i] * (k == 0 ? normal : tangential), u[3 * i + k], 1e-15 * size);
    }
    packing.store(x, back);
    for (std::size_t k = 0; k < r.size(); ++k) EXPECT_NEAR(back[k], r[k], 1e-15 * std::abs(r[k]));
    // The rounding floors differ, and are at most this share of the speed (E311, E312).
    double hidden = 0;
    for (const solver::Group& group : island.groups) hidden = std::max(hidden, group.gauge.hidden);
    EXPECT_NEAR(packing.residual(x, g), coupling.residual(r, u),
                (1e-13 + hidden / (2 * island.tolerance)) * coupling.residual(r, u));
  }
}

// A step of length zero projects: what it gives is in the cone, and nothing in the cone moves.
TEST(Packing, ProjectionIsThatOfTheLaw) {
  Random random(6);
  const solver::Island island = island_of(problem::cube_pyramid(5, {.mu = 0.7}));
  solver::PackedContacts packing;
  ASSERT_TRUE(packing.attach(island));
  for (int trial = 0; trial < 20; ++trial) {
    solver::PackedVector y, g, x, again;
    packing.load(random_impulses(random, island), y);
    packing.multiply(y, g);
    const std::vector<double> none(packing.size(), 0.0);
    packing.project(y, g, none, 0, x);
    packing.project(x, g, none, 0, again);
    for (std::size_t i = 0; i < island.groups.size(); ++i) {
      const solver::Group& group = island.groups[i];
      problem::LawSet scaled = group.set;
      scaled.mu *= std::sqrt(0.5 * (group.W[1][1] + group.W[2][2]) / group.W[0][0]);
      const double z[3] = {y.row[0][i], y.row[1][i], y.row[2][i]};
      const double size = std::abs(z[0]) + std::abs(z[1]) + std::abs(z[2]);
      double p[3];
      problem::project(scaled, z, p);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(x.row[k][i], p[k], 8e-16 * size);
        EXPECT_NEAR(again.row[k][i], x.row[k][i], 8e-16 * size);
      }
    }
  }
}

// Of a convex law the velocities are unique, and the energy of their error is at most what the
// residual allows: |v - v'| is of the order of the root of the tolerance times the scale.
TEST(Packing, GradientsFindTheVelocitiesOfTheConvexLaw) {
  const Problem problem = problem::cube_pyramid(6, {.law = Law::coulomb_relaxed});
  const solver::Island island = island_of(problem);
  solver::PackedBuffers buffers;
  ASSERT_TRUE(buffers.packing.attach(island));
  std::vector<double> r(static_cast<std::size_t>(island.rows), 0.0), v, exact = r, v_exact;
  const solver::IterationResult result =
      solver::packed_apgd({.tolerance = 1e-10, .iterations = 100000}, buffers, r);
  EXPECT_LE(result.residual, 1e-10);
  solver::velocities_from_impulses(island, r, v);
  solver::NsgsBuffers sweeps;
  EXPECT_LE(
      solver::nsgs(island, {.tolerance = 1e-10, .sweeps = 100000}, sweeps, exact, v_exact).residual,
      1e-10);
  double error = 0, scale = 0;
  for (const solver::IslandBody& body : island.bodies)
    for (int k = 0; k < body.size; ++k) {
      const auto at = static_cast<std::size_t>(body.first + k);
      error += body.mass[k] * (v[at] - v_exact[at]) * (v[at] - v_exact[at]);
      scale += body.mass[k] * island.v_free[at] * island.v_free[at];
    }
  EXPECT_LE(error, 2 * 1e-10 * static_cast<double>(island.rows) * scale);
}

// Coulomb's law: the residual that the method claims is that of its impulses.
TEST(Packing, SpectralStepsMeetCoulombsLaw) {
  for (const double mu : {0.2, 0.5, 1.0}) {
    const solver::Island island = island_of(problem::cube_pyramid(4, {.mu = mu}));
    solver::PackedBuffers buffers;
    ASSERT_TRUE(buffers.packing.attach(island));
    std::vector<double> r(static_cast<std::size_t>(island.rows), 0.0), v;
    const solver::IterationResult result =
        solver::packed_spectral({.tolerance = 1e-5, .iterations = 20000}, buffers, r);
    EXPECT_LE(result.residual, 1e-5) << mu;
    solver::velocities_from_impulses(island, r, v);
    double hidden = 0;
    for (const solver::Group& group : island.groups) hidden = std::max(hidden, group.gauge.hidden);
    EXPECT_NEAR(solver::residual(island, r, v), result.residual,
                1e-13 + hidden / (2 * island.tolerance) * result.residual);
  }
}

TEST(Packing, RefusesWhatItCannotLayOut) {
  solver::PackedContacts packing;
  EXPECT_FALSE(
      packing.attach(island_of(problem::cube_pyramid(3, {.facets = 8}))));    // no round cones
  EXPECT_FALSE(packing.attach(island_of(problem::link_chain(4, true, {}))));  // joints
  solver::Island coupled = island_of(problem::cube_pyramid(3, {}));
  EXPECT_TRUE(packing.attach(coupled));
  const auto pair =
      std::find_if(coupled.groups.begin(), coupled.groups.end(),
                   [](const solver::Group& g) { return g.body[0] >= 0 && g.body[1] >= 0; });
  ASSERT_NE(pair, coupled.groups.end());
  pair->J[0][1][2] += 0.5;  // centres that feel other than opposite forces
  EXPECT_FALSE(packing.attach(coupled));
  pair->J[0][1][2] = -pair->J[1][1][2];
  EXPECT_TRUE(packing.attach(coupled));
  coupled.inertia.rest.emplace_back();  // a mass that is not diagonal
  EXPECT_FALSE(packing.attach(coupled));
}

}  // namespace
}  // namespace cairn::test_packing
