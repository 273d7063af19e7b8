// The friction cones: projection, derivative, dual cone, pyramids, slip bound.
//
// Legend: z any point, p its projection on K, g generators of K (edges of a pyramid, rays of a
// cone).
#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "problem/cone.hpp"
#include "problem/make_problem.hpp"

namespace cairn::test_cone {
namespace {

using make::normal;
using make::pick;
using make::Random;
using make::uniform;

constexpr double pi = std::numbers::pi;

problem::LawSet cone(int rows, double mu, int facets = 0) {
  return {.law = Law::coulomb,
          .rows = rows,
          .corners = problem::corners_of(rows, facets, nullptr),
          .mu = mu,
          .lo = 0,
          .hi = 0};
}

Vec3 projected(const problem::LawSet& set, const Vec3& z) {
  Vec3 p = Vec3::Zero();
  problem::project(set, z.data(), p.data());
  return p;
}

Vec3 ray(double mu, double angle) {
  return {1, mu * std::cos(angle), mu * std::sin(angle)};
}

// Generators of the cone; those of an exact spatial cone are a dense fan.
std::vector<Vec3> generators(const problem::LawSet& set) {
  if (set.rows == 2) return {ray(set.mu, 0), Vec3(1, -set.mu, 0)};
  std::vector<Vec3> rays;
  for (const Corner& c : set.corners) rays.push_back({1, set.mu * c[0], set.mu * c[1]});
  const int fan = set.corners.empty() ? 360 : 0;
  for (int i = 0; i < fan; ++i) rays.push_back(ray(set.mu, 2 * pi * i / fan));
  return rays;
}

Vec3 random_point(Random& random, int rows) {
  Vec3 z(normal(random), normal(random), rows == 3 ? normal(random) : 0);
  return std::exp2(pick(random, 21) - 10) * z;
}

double random_friction(Random& random) {
  return pick(random, 8) == 0 ? 0 : std::exp2(uniform(random, -6, 3));
}

// General polygons that the sets below refer to.
const std::vector<std::shared_ptr<const FrictionPolygon>>& general_polygons() {
  static const auto all = [] {
    Random random(11);
    std::vector<std::shared_ptr<const FrictionPolygon>> list;
    for (int i = 0; i < 200; ++i) list.push_back(make::random_polygon(random, 3 + i % 14));
    return list;
  }();
  return all;
}

std::vector<problem::LawSet> random_sets(Random& random) {
  std::vector<problem::LawSet> sets = {cone(2, random_friction(random)),
                                       cone(3, random_friction(random))};
  for (int k = 3; k <= 64; ++k) sets.push_back(cone(3, random_friction(random), k));
  for (int i = 0; i < 20; ++i) {
    sets.push_back(cone(3, random_friction(random)));
    sets.back().corners = *general_polygons()[base::at(pick(random, 200))];
  }
  return sets;
}

// Karush, Kuhn and Tucker for the nearest point of a cone: p in K, z - p orthogonal to p and in the
// polar cone. Rounding: a dozen operations on numbers of the size of z.
TEST(Cone, ProjectionIsTheNearestPoint) {
  Random random(1);
  for (int trial = 0; trial < 60; ++trial)
    for (const problem::LawSet& set : random_sets(random)) {
      const Vec3 z = random_point(random, set.rows), p = projected(set, z);
      const double size = z.norm(), rounding = 1e-14 * size;
      SCOPED_TRACE(testing::Message() << "rows " << set.rows << " corners " << set.corners.size()
                                      << " mu " << set.mu << " z " << z.transpose());
      EXPECT_GE(p[0], 0);
      EXPECT_LE(p.tail<2>().norm(), set.mu * p[0] + rounding);
      EXPECT_LE(std::abs(p.dot(z - p)), rounding * size);
      for (const Vec3& g : generators(set)) EXPECT_LE(g.dot(z - p), rounding * g.norm());
      // A projection leaves the set's points where they are.
      EXPECT_LE((projected(set, p) - p).norm(), rounding);
    }
}

// The same fact without theory: no sampled point of the cone is nearer to z.
TEST(Cone, NoSampledPointOfTheConeIsNearer) {
  Random random(2);
  for (int trial = 0; trial < 40; ++trial)
    for (const problem::LawSet& set : {cone(2, 0.3), cone(3, 0.7), cone(3, 1.5, 3), cone(3, 0.4, 4),
                                       cone(3, 0.8, 7), cone(3, 0.2, 16)}) {
      const Vec3 z = random_point(random, set.rows), p = projected(set, z);
      const double distance = (z - p).norm();
      const std::vector<Vec3> rays = generators(set);
      for (std::size_t i = 0; i < rays.size(); ++i)
        for (const double share : {0.0, 0.25, 0.5, 0.75})
          for (int step = 0; step <= 40; ++step) {
            const Vec3 along = (1 - share) * rays[i] + share * rays[(i + 1) % rays.size()];
            const Vec3 point = 0.05 * step * z.norm() * along;
            EXPECT_GE((z - point).norm(), distance * (1 - 1e-14));
          }
    }
}

// z = P_K(z) - P_K*(-z). The dual of the exact cone of mu is that of 1/mu. The dual of the pyramid
// has its edges across the facets, turned by pi/k and half a turn, with 1/(mu cos(pi/k)).
TEST(Cone, MoreauDecomposition) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial)
    for (const int k : {0, 3, 4, 5, 8, 17, 64}) {
      const double mu = std::exp2(uniform(random, -4, 3));
      const Vec3 z = random_point(random, 3);
      const double dual_mu = k == 0 ? 1 / mu : 1 / (mu * std::cos(pi / k));
      const double turn = k == 0 ? 0 : pi + pi / k;
      const Mat3 R = Eigen::AngleAxisd(turn, Vec3::UnitX()).toRotationMatrix();
      const Vec3 dual = R.transpose() * projected(cone(3, dual_mu, k), -(R * z));
      // The dual's edges are known to rounding times their length over their height.
      const double rounding = 1e-14 * z.norm() * (1 + dual_mu);
      EXPECT_LE((projected(cone(3, mu, k), z) - dual - z).norm(), rounding) << k << " " << mu;
    }
}

// Central differences: error h^2 / t^2 from curvature at the distance t from the axis, 1e-16 / h
// from rounding; with h = 1e-6 and t > 0.05 below 1e-9. Points whose neighbours lie on another
// piece are left out.
TEST(Cone, DerivativeMatchesCentralDifferences) {
  Random random(4);
  int compared = 0, total = 0;
  const double h = 1e-6;
  for (int trial = 0; trial < 100; ++trial)
    for (const problem::LawSet& set : random_sets(random)) {
      const Vec3 z(normal(random), normal(random), set.rows == 3 ? normal(random) : 0);
      if (z.tail<2>().norm() < 0.05) continue;
      ++total;
      double D[max_rows][max_rows], other[max_rows][max_rows];
      problem::project_derivative(set, z.data(), D);
      bool smooth = true;
      Mat3 differences = Mat3::Zero();
      for (int c = 0; c < set.rows; ++c) {
        const Vec3 step = h * Vec3::Unit(c);
        for (const double sign : {-1.0, 1.0}) {
          const Vec3 near = z + sign * step;
          problem::project_derivative(set, near.data(), other);
          for (int i = 0; i < set.rows; ++i)
            for (int j = 0; j < set.rows; ++j)
              smooth = smooth && std::abs(D[i][j] - other[i][j]) < 1e-3;
        }
        differences.col(c) = (projected(set, z + step) - projected(set, z - step)) / (2 * h);
      }
      if (!smooth) continue;
      ++compared;
      for (int i = 0; i < set.rows; ++i)
        for (int j = 0; j < set.rows; ++j) {
          EXPECT_NEAR(D[i][j], differences(i, j), 1e-9) << set.corners.size() << " " << set.mu;
          EXPECT_NEAR(D[i][j], D[j][i], 1e-15);
        }
    }
  EXPECT_GT(compared, 0.99 * total);
}

// The pyramid's edges lie on the cone, the first along t1, and its facets' middles at the height
// cos(pi/k) of the circle.
TEST(Cone, PyramidsAreInscribedWithTheFirstEdgeAlongT1) {
  for (int k = 3; k <= 64; ++k)
    for (const double mu : {0.01, 0.3, 1.0, 5.0}) {
      const problem::LawSet set = cone(3, mu, k), exact = cone(3, mu);
      const Vec3 first(1, mu, 0);
      EXPECT_LE((projected(set, first) - first).norm(), 1e-15 * first.norm());
      for (int i = 0; i < k; ++i) {
        const Vec3 edge = ray(mu, 2 * pi * i / k);
        EXPECT_LE((projected(set, edge) - edge).norm(), 1e-15 * (1 + mu));
        EXPECT_LE((projected(exact, edge) - edge).norm(), 1e-15 * (1 + mu));
        const Vec3 inside = ray(mu * std::cos(pi / k) * (1 - 1e-12), (2 * i + 1) * pi / k);
        const Vec3 outside = ray(mu * std::cos(pi / k) * (1 + 1e-9), (2 * i + 1) * pi / k);
        EXPECT_EQ(projected(set, inside), inside);
        EXPECT_GT((projected(set, outside) - outside).norm(),
                  0.5e-9 * mu / std::sqrt(1 + mu * mu) * std::cos(pi / k));
      }
    }
}

// Without friction the cone is a ray; a pull gives nothing, in whatever row count and pyramid.
TEST(Cone, WithoutFrictionOnlyThePushIsLeft) {
  for (const problem::LawSet& set : {cone(2, 0), cone(3, 0), cone(3, 0, 3), cone(3, 0, 8)})
    for (const double t : {0.0, 1.0, -2.0}) {
      EXPECT_EQ(projected(set, Vec3(-1, t, 0)), Vec3::Zero());
      EXPECT_EQ(projected(set, Vec3(1, t, 0)), Vec3(1, 0, 0));
      EXPECT_EQ(projected(set, Vec3(0, t, 0)), Vec3::Zero());
      const double w[3] = {1, t, 0};
      EXPECT_EQ(problem::slip_bound(set, w), 0);
    }
}

TEST(Cone, SimpleLawsProjectOnTheirSets) {
  double p = 7;
  const double z = -0.5;
  problem::project({.law = Law::nonnegative}, &z, &p);
  EXPECT_EQ(p, 0);
  problem::project({.law = Law::box, .lo = -0.25, .hi = 1}, &z, &p);
  EXPECT_EQ(p, -0.25);
  problem::project({.law = Law::box, .lo = -1, .hi = 1}, &z, &p);
  EXPECT_EQ(p, z);
  problem::project({.law = Law::equality}, &z, &p);
  EXPECT_EQ(p, z);
}

// sigma is the largest friction power over the section of the cone at height one; the section's
// corners suffice for pyramids, a fan of 3600 rays is within (pi/3600)^2 / 2 = 4e-7 for the circle.
TEST(Cone, SlipBoundIsTheLargestFrictionPower) {
  Random random(5);
  for (int trial = 0; trial < 100; ++trial)
    for (const problem::LawSet& set : random_sets(random)) {
      const Vec3 w = random_point(random, set.rows);
      double most = 0;
      std::vector<Vec3> rays = generators(set);
      const bool exact = set.rows == 3 && set.corners.empty();
      for (int i = 0; exact && i < 3600; ++i) rays.push_back(ray(set.mu, 2 * pi * i / 3600));
      for (const Vec3& g : rays) most = std::max(most, -g.tail<2>().dot(w.tail<2>()));
      const double size = set.mu * w.tail<2>().norm();
      const double sampling = exact ? 4e-7 : 1e-14;
      EXPECT_NEAR(problem::slip_bound(set, w.data()), most, sampling * size) << set.corners.size();
    }
}

// w + sigma e_n lies in K* exactly when w_n >= 0: that is what makes the law Coulomb's.
TEST(Cone, SlipBoundPutsOpeningVelocitiesIntoTheDualCone) {
  Random random(6);
  for (int trial = 0; trial < 50; ++trial)
    for (const problem::LawSet& set : random_sets(random)) {
      if (set.mu == 0) continue;
      Vec3 w = random_point(random, set.rows);
      const double size = w.norm() * (1 + set.mu);
      double least = std::numeric_limits<double>::infinity();
      const Vec3 w_hat = w + problem::slip_bound(set, w.data()) * Vec3::UnitX();
      for (const Vec3& g : generators(set)) least = std::min(least, g.dot(w_hat));
      // The least of g . w_hat is w_n itself; the fan of 360 rays misses it by (pi/360)^2 / 2.
      EXPECT_NEAR(least, w[0], (set.rows == 3 && set.corners.empty() ? 4e-5 : 1e-14) * size);
    }
}

TEST(Cone, SlipGradientMatchesCentralDifferences) {
  Random random(7);
  const double h = 1e-6;
  int compared = 0, total = 0;
  for (int trial = 0; trial < 100; ++trial)
    for (const problem::LawSet& set : random_sets(random)) {
      const Vec3 w(normal(random), normal(random), set.rows == 3 ? normal(random) : 0);
      if (w.tail<2>().norm() < 0.05) continue;
      ++total;
      Vec3 tau, near;
      problem::slip_gradient(set, w.data(), tau.data());
      Vec3 differences = Vec3::Zero();
      bool smooth = true;
      for (int c = 0; c < set.rows; ++c) {
        const Vec3 plus = w + h * Vec3::Unit(c), minus = w - h * Vec3::Unit(c);
        differences[c] =
            (problem::slip_bound(set, plus.data()) - problem::slip_bound(set, minus.data())) /
            (2 * h);
        for (const Vec3* x : {&plus, &minus}) {
          problem::slip_gradient(set, x->data(), near.data());
          smooth = smooth && (near - tau).norm() < 1e-3 * (1 + set.mu);
        }
      }
      if (!smooth) continue;
      ++compared;
      EXPECT_LE((tau - differences).norm(), 1e-9 * (1 + set.mu));  // as for the projection
    }
  EXPECT_GT(compared, 0.99 * total);
}

// The point of a disc next to z, and its derivative by differences.
TEST(Disc, ProjectionAndDerivative) {
  const problem::LawSet set{
      .law = Law::disc, .rows = 2, .corners = {}, .mu = 0, .lo = 0, .hi = 0.5};
  const double inside[2] = {0.3, -0.2}, outside[2] = {3, 4}, h = 1e-6;
  double p[max_rows] = {}, D[max_rows][max_rows];
  problem::project(set, inside, p);
  EXPECT_EQ(p[0], 0.3);
  EXPECT_EQ(p[1], -0.2);
  problem::project(set, outside, p);
  EXPECT_NEAR(p[0], 0.3, 1e-16);
  EXPECT_NEAR(p[1], 0.4, 1e-16);
  for (const double* z : {inside, outside}) {
    problem::project_derivative(set, z, D);
    for (int k = 0; k < 2; ++k) {
      double up[2] = {z[0], z[1]}, down[2] = {z[0], z[1]}, a[2], b[2];
      up[k] += h;
      down[k] -= h;
      problem::project(set, up, a);
      problem::project(set, down, b);
      for (int i = 0; i < 2; ++i) EXPECT_NEAR(D[i][k], (a[i] - b[i]) / (2 * h), 1e-9);
    }
  }
}

}  // namespace
}  // namespace cairn::test_cone
