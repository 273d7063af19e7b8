// Cylinders and cones against all bounded spatial shapes and halfspaces: signed distance, normals,
// witness points, gradients and patches against closed forms, a slow search and differences.
#include <gtest/gtest.h>
#include <map>

#include "collide/random_shapes.hpp"

namespace cairn {
namespace {

using collide::ShapeContact;
using testing::Random;

Frustum cylinder(double radius, double length) {
  return {radius, radius, length};
}

Frustum random_frustum(Random& random) {
  Frustum s{random.logarithmic(0.05, 1), 0, random.logarithmic(0.02, 2)};
  const double kind = random.uniform(0, 3);
  if (kind < 1) s.top_radius = s.radius;
  if (kind > 2) s.top_radius = random.logarithmic(0.05, 1);
  return s;
}

Geometry random_partner(Random& random, int kind) {
  switch (kind) {
    case 0:
      return random_frustum(random);
    case 1:
      return Box{{random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1)}};
    case 2:
      return testing::random_hull(random, 12, {0.5, 0.4, 0.6});
    case 3:
      return Capsule{random.uniform(0.05, 0.4), random.uniform(0.1, 1)};
    case 4:
      return Ellipsoid{{random.uniform(0.2, 0.7), random.uniform(0.2, 0.7), 0.4}};
    case 5:
      return Sphere{random.uniform(0.05, 0.5)};
    default:
      return Point{};
  }
}

std::vector<ShapeContact> contacts(const Geometry& a, const Pose& A, const Geometry& b,
                                   const Pose& B) {
  std::vector<ShapeContact> out;
  collide::collide_shapes(a, A, b, B, out);
  return out;
}

ShapeContact deepest(const std::vector<ShapeContact>& all) {
  return *std::min_element(all.begin(), all.end(),
                           [](const auto& x, const auto& y) { return x.gap < y.gap; });
}

// How far p is outside the frustum, by the planes of its section.
double outside(const Frustum& s, const Pose& X, const Vec3& p_W) {
  const Vec3 p = X.inverse() * p_W;
  const double taper = s.radius - s.top_radius, slant = std::hypot(s.length, taper);
  return std::max(
      std::abs(p.z()) - s.length / 2,
      ((p.head<2>().norm() - s.radius) * s.length + (p.z() + s.length / 2) * taper) / slant);
}

// Gap and normal against the best of many directions; the normal and both points against the
// definition: g(n) = gap is an upper bound of nothing larger, the points are support points.
TEST(FrustumPairs, DistanceDepthAndNormal) {
  Random random(900);
  testing::SlowDistance slow(false);
  std::map<int, int> compared;
  for (int i = 0; i < 1400; ++i) {
    const int kind = i % 7;
    const Frustum a = random_frustum(random);
    const Geometry b = random_partner(random, kind);
    const Pose A{random.unit(), random.rotation()};
    const double reach = random.uniform(0, 1.6);
    const Pose B{A.p + reach * random.unit(), random.rotation()};
    const auto found = contacts(a, A, b, B);
    ASSERT_FALSE(found.empty());
    const ShapeContact c = deepest(found);
    const double size = 4;
    // A lower bound of the signed distance, attained along n.
    EXPECT_NEAR(testing::separation(a, A, b, B, c.n_W), c.gap, 1e-9 * size) << i;
    EXPECT_GE(c.gap, slow(a, A, b, B) - 1e-9 * size) << i << " kind " << kind;
    EXPECT_LE((c.p_WB - c.p_WA - c.gap * c.n_W).norm(), 1e-13 * size);
    EXPECT_LE(std::abs(outside(a, A, c.p_WA)), 1e-12 * size) << i << " kind " << kind;
    ++compared[kind];
  }
  for (int kind = 0; kind < 7; ++kind) EXPECT_EQ(compared[kind], 200);
}

// The same where they all but touch, as in a simulation: shifted along the normal to a wanted gap,
// to rounding, with both points on the surfaces and the normal in both cones.
TEST(FrustumPairs, TouchingPairsToRounding) {
  Random random(901);
  int compared = 0;
  for (int i = 0; i < 1400; ++i) {
    const int kind = i % 7;
    const Frustum a = random_frustum(random);
    const Geometry b = random_partner(random, kind);
    const Pose A{random.unit(), random.rotation()};
    Pose B{A.p + random.uniform(0.8, 2) * random.unit(), random.rotation()};
    const ShapeContact apart = deepest(contacts(a, A, b, B));
    if (apart.gap < 1e-3) continue;
    for (const double wanted : {1e-3, 1e-6, 1e-9, 0.0, -1e-9, -1e-6, -1e-4}) {
      Pose moved = B;
      moved.p -= (apart.gap - wanted) * apart.n_W;
      const std::vector<ShapeContact> found = contacts(a, A, b, moved);
      const ShapeContact c = deepest(found);
      const double size = 4;
      // Shallow overlaps past what is sharp end with the search (E902), not with Newton's method.
      const double room = (wanted >= 0 ? 1e-12 : 1e-11) * size;
      // Overlapping there may be a shorter way out, past what is sharp. Points of a patch may be
      // deeper than the best one by 1e-9, ends on a side by 1e-7.
      if (wanted >= 0)
        EXPECT_NEAR(c.gap, wanted, 1e-9 * size) << i << " kind " << kind;
      else
        EXPECT_GE(c.gap, wanted - 1e-7 * size) << i << " kind " << kind;
      EXPECT_LE(std::abs(outside(a, A, c.p_WA)), room) << i << " kind " << kind;
      if (c.feature == Features{0, 0}) {
        EXPECT_LE(testing::support_height(a, A, c.n_W) - c.n_W.dot(c.p_WA - A.p), room)
            << i << " kind " << kind << " at " << wanted;
        EXPECT_LE(testing::support_height(b, moved, -c.n_W) + c.n_W.dot(c.p_WB - moved.p), room)
            << i << " kind " << kind << " at " << wanted;
      }
      // Points of a patch lie on both surfaces too, along a normal of one of the two.
      for (const ShapeContact& other : found) {
        EXPECT_LE(std::abs(outside(a, A, other.p_WA)), room) << i << " kind " << kind;
        EXPECT_LE((other.p_WB - other.p_WA - other.gap * other.n_W).norm(), 1e-12);
        EXPECT_LE(
            std::min(testing::support_height(a, A, other.n_W) - other.n_W.dot(other.p_WA - A.p),
                     testing::support_height(b, moved, -other.n_W) +
                         other.n_W.dot(other.p_WB - moved.p)),
            room)
            << i << " kind " << kind;
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 4000);
}

// Largest triangle of the points over the area of a disc.
double spanned(const std::vector<ShapeContact>& all, double radius) {
  double most = 0;
  for (const auto& p : all)
    for (const auto& q : all)
      for (const auto& r : all)
        most = std::max(most, 0.5 * (q.p_WB - p.p_WB).cross(r.p_WB - p.p_WB).norm());
  return most / (std::numbers::pi * radius * radius);
}

// An end that lies flat: fixed points of the rim, whatever is under it; an inscribed triangle of
// at least 0.35 of the disc.
TEST(FrustumPairs, AnEndOnAFaceHasAPatchOfFixedPoints) {
  const Quat turned = exp_rotation({0, 0, 0.3});
  const double half = 0.4;
  for (const Geometry& under :
       {Geometry(Halfspace{}), Geometry(Box{{4, 4, 2}}), Geometry(cylinder(2, 2))}) {
    const double top = std::holds_alternative<Halfspace>(under) ? 0 : 1;
    for (const double tilt : {0.0, 1e-12, 1e-9}) {
      const Pose X{{0.1, 0.2, top + half}, (exp_rotation({tilt, 0, 0}) * turned).normalized()};
      std::vector<ShapeContact> found;
      collide::collide_shapes(under, {}, cylinder(0.5, 2 * half), X, found);
      EXPECT_GE(spanned(found, 0.5), 0.35);
      int fixed = 0;
      for (const ShapeContact& c : found) {
        if (c.gap > 0.1) continue;  // the upper rim
        EXPECT_NEAR(c.gap, 0, 1e-9);
        EXPECT_LE((c.n_W - Vec3::UnitZ()).norm(), 2e-9);
        if ((c.feature.b >> 8) == 1 && (c.feature.b & 0xff) >= 8) ++fixed;
      }
      EXPECT_EQ(fixed, 8);
    }
  }
}

// Half over the border of a box: corners of the patch where the rim crosses the edge.
TEST(FrustumPairs, AnEndOverABorderIsCutThere) {
  const Pose X{{1, 0, 1.4}, Quat::Identity()};
  const auto found = contacts(cylinder(0.5, 0.8), X, Box{{2, 4, 2}}, {});
  double farthest = 0, most = 0;
  for (const ShapeContact& c : found) {
    EXPECT_LE(c.p_WA.x(), 1 + 1e-12);
    farthest = std::max(farthest, c.p_WA.x());
    most = std::max(most, std::abs(c.p_WA.y()));
  }
  EXPECT_NEAR(farthest, 1, 1e-12);
  EXPECT_NEAR(most, 0.5, 1e-12);
  EXPECT_GE(found.size(), 3u);
}

// Lying: two points, whose numbers do not change while it rolls.
TEST(FrustumPairs, ARollingCylinderKeepsItsTwoPoints) {
  const Quat lying = exp_rotation({std::numbers::pi / 2, 0, 0});
  for (const Geometry& under : {Geometry(Halfspace{}), Geometry(Box{{40, 4, 2}})}) {
    const double top = std::holds_alternative<Halfspace>(under) ? 0 : 1;
    std::vector<Features> first;
    for (int k = 0; k < 100; ++k) {
      const double x = 0.1 * k - 5;
      const Pose X{{x, 0, top + 0.5}, (exp_rotation({0, x / 0.5, 0}) * lying).normalized()};
      std::vector<ShapeContact> found;
      collide::collide_shapes(under, {}, cylinder(0.5, 1), X, found);
      std::vector<Features> features;
      for (const ShapeContact& c : found) {
        if (c.gap > 0.1) continue;
        EXPECT_NEAR(c.gap, 0, 1e-14);
        EXPECT_NEAR(c.p_WA.x(), x, 1e-14);
        EXPECT_NEAR(std::abs(c.p_WA.y()), 0.5, 1e-14);
        features.push_back(c.feature);
      }
      ASSERT_EQ(features.size(), 2u) << k;
      if (k == 0) first = features;
      EXPECT_EQ(features, first) << k;
    }
  }
}

// On its rim: one point, the lowest one.
TEST(FrustumPairs, ATiltedCylinderStandsOnItsRim) {
  const double tilt = 0.6, r = 0.5, half = 0.7;
  const Quat R = exp_rotation({0, tilt, 0});
  const double low = -half * std::cos(tilt) - r * std::sin(tilt);
  const auto found = contacts(cylinder(r, 2 * half), {{0, 0, 1 - low}, R}, Box{{8, 8, 2}}, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].gap, 0, 1e-14);
  const Vec3 expected(-half * std::sin(tilt) + r * std::cos(tilt), 0, 1);
  EXPECT_LE((found[0].p_WA - expected).norm(), 1e-14);
}

// Side by side: both ends of the overlap; crossing: one point.
TEST(FrustumPairs, SidesOfCylinders) {
  const Quat lying = exp_rotation({std::numbers::pi / 2, 0, 0});  // along y
  const auto parallel =
      contacts(cylinder(0.5, 2), {{0, 0, 0}, lying}, cylinder(0.3, 1), {{0.8, 0.4, 0}, lying});
  double lo = 1, hi = -1;
  for (const ShapeContact& c : parallel) {
    EXPECT_NEAR(c.gap, 0, 1e-14);
    EXPECT_LE((c.n_W - Vec3::UnitX()).norm(), 1e-14);
    lo = std::min(lo, c.p_WA.y());
    hi = std::max(hi, c.p_WA.y());
  }
  EXPECT_NEAR(lo, -0.1, 1e-14);
  EXPECT_NEAR(hi, 0.9, 1e-14);
  const auto crossing = contacts(cylinder(0.5, 2), {{0, 0, 0}, lying}, cylinder(0.3, 3),
                                 {{0, 0, 0.81}, exp_rotation({0, std::numbers::pi / 2, 0})});
  ASSERT_EQ(crossing.size(), 1u);
  EXPECT_NEAR(crossing[0].gap, 0.01, 1e-14);
  EXPECT_LE((crossing[0].n_W - Vec3::UnitZ()).norm(), 1e-14);
  EXPECT_LE((crossing[0].p_WA - Vec3(0, 0, 0.5)).norm(), 1e-14);
}

}  // namespace
}  // namespace cairn
