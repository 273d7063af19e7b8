// The ratio metric against all events of all features, its bounds and its derivatives (E130 to
// E136).
#include <gtest/gtest.h>

#include "collide/ratio/ratio.hpp"
#include "collide/ratio_oracle.hpp"

namespace cairn::test_ratio {
namespace {

using testing::PolyhedronPair;
using testing::Random;
using testing::random_pair;
using testing::SlowRatio;

collide::Ratio metric(const PolyhedronPair& p, const collide::RatioBasis* start = nullptr,
                      collide::RatioSearch search = collide::RatioSearch::automatic) {
  return collide::ratio_metric(p.a, p.A, p.b, p.B, start, search);
}

class RatioOracle : public ::testing::TestWithParam<std::pair<bool, double>> {};

// r = max of the component functions over all events. Positions are up to 4, so the centres carry
// errors of some 1e-15 and r those over the height of the bodies along the axis.
TEST_P(RatioOracle, IsTheLargestComponentOfAllEvents) {
  const auto [planar, stretch] = GetParam();
  Random random(1);
  const int pairs = planar ? 100000 : stretch > 100 ? 40000 : 60000;
  for (int i = 0; i < pairs; ++i) {
    const PolyhedronPair p = random_pair(random, stretch, planar);
    const SlowRatio slow(p);
    const collide::Ratio fast = metric(p);
    const double error = std::abs(fast.r - slow.r()) * std::min(1.0, 1 / slow.r());
    ASSERT_LE(error * std::min(1.0, fast.support), 1e-13) << i << " " << fast.r << " " << slow.r();
    ASSERT_LE(error, 1e-9) << i;
    // The sign by separating planes; what is closer to touching than rounding has none.
    if (std::abs(slow.signed_depth()) > 1e-14) {
      ASSERT_EQ(fast.rho > 0, slow.signed_depth() > 0) << i << " " << slow.signed_depth();
    }
    ASSERT_EQ(fast.rho > 0, fast.separation > 0);
    ASSERT_NEAR(fast.axis.norm(), 1, 1e-14);  // as the quaternions are
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, RatioOracle,
                         ::testing::Values(std::pair(true, 3.0), std::pair(true, 1000.0),
                                           std::pair(false, 3.0), std::pair(false, 1000.0)));

// The points of the event: p_WA on A, p_WB on B, apart by rho times the distance of the centres,
// and scaled about the centres they are one; q_WA and q_WB stand across from each other.
TEST_P(RatioOracle, PointsLieOnBothBodies) {
  const auto [planar, stretch] = GetParam();
  Random random(2);
  for (int i = 0; i < 20000; ++i) {
    const PolyhedronPair p = random_pair(random, stretch, planar);
    const collide::Ratio ratio = metric(p);
    const Vec3 d = ratio.x_WB - ratio.x_WA;
    // Slender bodies far from each other: points are as accurate as d/r, whose error is that of the
    // heights over their sum.
    const double size = p.a.outer_radius + p.b.outer_radius + 8;
    const double error = 1e-15 * 16 * size * (1 + (size + d.norm()) / ratio.support);
    const auto on = [&](const Polyhedron& body, const Pose& X, const Vec3& point) {
      const Vec3 local = X.inverse() * point;
      double top = -1e300;
      for (const auto& f : body.faces) top = std::max(top, f.normal.dot(local) - f.offset);
      return std::abs(top);
    };
    ASSERT_LE(on(p.a, p.A, ratio.p_WA), error) << i;
    ASSERT_LE(on(p.b, p.B, ratio.p_WB), error) << i;
    ASSERT_LE((ratio.p_WB - ratio.p_WA - ratio.rho * d).norm(), error) << i;
    const double scale = std::max(1.0, ratio.r);
    ASSERT_LE((ratio.x_WA + ratio.r * (ratio.p_WA - ratio.x_WA) - ratio.p_W).norm(), error * scale);
    ASSERT_LE((ratio.x_WB + ratio.r * (ratio.p_WB - ratio.x_WB) - ratio.p_W).norm(), error * scale);
    ASSERT_LE((ratio.q_WB - ratio.q_WA - ratio.separation * ratio.axis).norm(), error) << i;
  }
}

// (4) of Hart 2007 and the sharp form of (5), E133: s is the distance of bodies apart and
// Minkowski's depth of bodies that overlap, D the distance of the centres, h the least height of
// both bodies.
TEST_P(RatioOracle, IsEquivalentToTheEuclideanMetric) {
  const auto [planar, stretch] = GetParam();
  Random random(3);
  int apart = 0, overlapping = 0;
  for (int i = 0; i < 10000; ++i) {
    const PolyhedronPair p = random_pair(random, stretch, planar);
    const SlowRatio slow(p);
    const collide::Ratio ratio = metric(p);
    const double D = (ratio.x_WB - ratio.x_WA).norm(), h = slow.least_support();
    const double error = 1e-13 * (1 + 1 / (ratio.r * h));
    if (slow.signed_depth() > 0) {
      const double s = slow.distance();
      ASSERT_GE(ratio.rho, s / D - error) << i;
      ASSERT_LE(ratio.rho, s / (h + s) + error) << i;
      ++apart;
    } else {
      const double s = -slow.signed_depth();
      ASSERT_LE(ratio.rho, -s / D + error * (1 + s / D)) << i;
      ASSERT_GE(collide::depth(ratio), s - 1e-14) << i;
      if (s >= h) continue;  // nothing is promised
      ASSERT_GE(ratio.rho, -s / (h - s) * (1 + error / (h - s)) - error) << i;
      ++overlapping;
    }
    const collide::RatioBound bound = collide::ratio_bound(p.a, p.A, p.b, p.B);
    ASSERT_LE(bound.rho, ratio.rho + error * (1 + std::abs(ratio.rho)));
    ASSERT_LE(bound.separation, ratio.separation + 1e-13);
    ASSERT_LE(bound.distance, (slow.signed_depth() > 0 ? slow.distance() : 0) + 1e-13);
  }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(overlapping, 1000);
}

// Central differences with step e are wrong by e^2 times a third derivative and by rounding over e.
class RatioGradients : public ::testing::TestWithParam<bool> {};
TEST_P(RatioGradients, AreThoseOfTheFunctions) {
  const bool planar = GetParam();
  constexpr double stretch = 3;  // a difference quotient needs round bodies
  Random random(4);
  constexpr double e = 0x1p-16;
  int checked = 0;
  for (int i = 0; i < 4000; ++i) {
    PolyhedronPair p = random_pair(random, stretch, planar);
    const SlowRatio slow(p);
    const collide::Ratio ratio = metric(p);
    // Far from the kinks between two events, where the function is smooth.
    if (slow.second() > 0.98 * slow.r() || ratio.r < 0.1 || ratio.r > 10) continue;
    if (ratio.support < 0.5) continue;
    ++checked;
    const PolyhedronPair at = p;
    const auto moved = [&](int k, double by) {
      p = at;
      Pose& X = k < 6 ? p.A : p.B;
      const Vec3 step = by * Vec3::Unit(k % 3), center = X * (k < 6 ? p.a : p.b).center;
      if (k % 6 < 3) {
        X.p += step;
      } else {
        const Quat turn = exp_rotation(step);
        X = {center + turn * (X.p - center), turn * X.R};
      }
      return metric(p);
    };
    const auto entry = [](const collide::RatioGradient& g, int k) {
      const Vec3* parts[] = {&g.x1, &g.theta1, &g.x2, &g.theta2};
      return (*parts[k / 3])[k % 3];
    };
    for (int k = 0; k < 12; ++k) {
      if (planar && k % 6 >= 2 && k % 6 != 5) continue;
      const collide::Ratio up = moved(k, e), down = moved(k, -e);
      ASSERT_NEAR((up.r - down.r) / (2 * e), entry(collide::gradient_of_r(ratio), k),
                  1e-7 * (1 + ratio.r))
          << i << " " << k;
      ASSERT_NEAR((up.rho - down.rho) / (2 * e), entry(collide::gradient_of_rho(ratio), k),
                  1e-7 * (1 + 1 / std::pow(ratio.r, 4)))
          << i << " " << k;
      ASSERT_NEAR((up.separation - down.separation) / (2 * e),
                  entry(collide::gradient_of_separation(ratio), k), 1e-7)
          << i << " " << k;
    }
  }
  EXPECT_GT(checked, 300);
}

INSTANTIATE_TEST_SUITE_P(Pairs, RatioGradients, ::testing::Bool());

// Exchanging the bodies turns the axis. Scaling by a power of two scales lengths and changes no bit
// else.
TEST_P(RatioOracle, KeepsItsSymmetries) {
  const auto [planar, stretch] = GetParam();
  Random random(5);
  for (int i = 0; i < 5000; ++i) {
    const PolyhedronPair p = random_pair(random, stretch, planar);
    const collide::Ratio ratio = metric(p), swapped = collide::ratio_metric(p.b, p.B, p.a, p.A);
    const double error = 1e-14 * (1 + 8 / ratio.support);
    ASSERT_NEAR(swapped.r, ratio.r, error * std::max(1.0, ratio.r));
    ASSERT_NEAR(swapped.separation, ratio.separation, 1e-14 * 8);
    ASSERT_LE((swapped.axis + ratio.axis).norm(), 1e-8);

    constexpr double s = 0x1p-20;
    const Mat3 M = s * Mat3::Identity();
    PolyhedronPair small{model::image(p.a, M, Vec3::Zero()), model::image(p.b, M, Vec3::Zero()),
                         p.A, p.B};
    // The images' normals come from their corners; those of the originals must, too.
    PolyhedronPair large{model::image(p.a, Mat3::Identity(), Vec3::Zero()),
                         model::image(p.b, Mat3::Identity(), Vec3::Zero()), p.A, p.B};
    small.A.p *= s, small.B.p *= s;
    const collide::Ratio tiny = metric(small), big = metric(large);
    ASSERT_EQ(tiny.r, big.r);
    ASSERT_EQ(tiny.rho, big.rho);
    ASSERT_EQ(tiny.axis, big.axis);
    ASSERT_EQ(tiny.separation, s * big.separation);
    ASSERT_EQ(tiny.p_W, s * big.p_W);
    ASSERT_EQ(tiny.q_WA, s * big.q_WA);
    ASSERT_EQ(tiny.pivots, big.pivots);
  }
}

}  // namespace
}  // namespace cairn::test_ratio
