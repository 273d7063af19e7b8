// Cylinders and cones against all bounded spatial shapes and halfspaces: signed distance, normals,
// witness points, gradients and patches against closed forms, a slow search and differences.
#include <gtest/gtest.h>
#include <map>

#include "collide/random_shapes.hpp"

namespace cairn {
namespace {

using collide::ShapeContact;
using testing::Random;

[[maybe_unused]] Frustum cylinder(double radius, double length) {
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

}  // namespace
}  // namespace cairn
