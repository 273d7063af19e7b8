// Contacts with halfspaces and boxes: closed forms, features, and the table of pairs.
#include <array>
#include <gtest/gtest.h>

#include "collide/random_shapes.hpp"
#include "model/shape/pair_support.hpp"

namespace cairn::test_flat_pairs {
namespace {

using namespace testing;

std::vector<collide::ShapeContact> contacts(const Geometry& a, const Pose& A, const Geometry& b,
                                            const Pose& B) {
  std::vector<collide::ShapeContact> out;
  collide::collide_shapes(a, A, b, B, out);
  return out;
}

// gap = height of the centre - support height, for every shape and orientation; the lowest point
// touches the plane after moving by the gap.
TEST(Halfspace, LeastGapIsHeightMinusSupport) {
  Random random(5);
  for (int k = 0; k < 2000; ++k) {
    const std::array<Geometry, 5> shapes = {
        Point{}, Sphere{random.uniform(0.1, 2)},
        Box{{random.uniform(0.1, 2), random.uniform(0.1, 2), 1}},
        Capsule{random.uniform(0.1, 1), random.uniform(0.1, 3)},
        Ellipsoid{{random.logarithmic(0.01, 1), random.uniform(0.1, 2), 1}}};
    const Geometry& shape = shapes[static_cast<std::size_t>(k % 5)];
    const Pose wall{3 * random.unit(), random.rotation()}, X{3 * random.unit(), random.rotation()};
    const Halfspace halfspace{random.unit()};
    const Vec3 n = wall.R * halfspace.normal;
    double least = 1e300;
    for (const collide::ShapeContact& c : contacts(halfspace, wall, shape, X)) {
      least = std::min(least, c.gap);
      EXPECT_LE((c.n_W - n).norm(), 1e-15);
      EXPECT_LE((c.p_WB - c.p_WA - c.gap * n).norm(), 1e-14);
      EXPECT_NEAR(n.dot(c.p_WA - wall.p), 0, 1e-14);
    }
    EXPECT_NEAR(least, n.dot(X.p - wall.p) - support_height(shape, X, n), 1e-14);
  }
}

// Turned by theta an ellipse stands sqrt(a^2 sin^2 + b^2 cos^2) above the ground.
TEST(Halfspace, EllipseHasTheClosedFormHeight) {
  const double a = 2, b = 0.3;
  for (int k = 0; k < 50; ++k) {
    const double theta = 0.13 * k, height = 1.7;
    const Pose X{{0.4, height, 0.25}, exp_rotation({0, 0, theta})};
    const auto found = contacts(Halfspace{Vec3::UnitY()}, {}, Ellipse{{a, b}}, X);
    ASSERT_EQ(found.size(), 1u);
    const double h = std::hypot(a * std::sin(theta), b * std::cos(theta));
    EXPECT_NEAR(found[0].gap, height - h, 1e-15 * 8);
    EXPECT_EQ(found[0].n_W, Vec3(Vec3::UnitY()));
    EXPECT_EQ(found[0].p_WB.z(), 0.25);  // the plane of the ellipse
    EXPECT_EQ(found[0].p_WA.z(), 0.25);
  }
}

// A plane that is tilted out of the plane of motion bounds it along their line of intersection:
// z + x = 0 is met in the plane z = 1 at x = -1.
TEST(Halfspace, TiltedPlaneIsCutWithThePlaneOfMotion) {
  const Vec3 n = Vec3(1, 0, 1).normalized();
  const auto found = contacts(Halfspace{n}, {}, Disc{0.5}, {{2, 7, 1}, Quat::Identity()});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].gap, 3 - 0.5, 1e-15 * 4);
  EXPECT_NEAR((found[0].n_W - Vec3::UnitX()).norm(), 0, 1e-15);
  EXPECT_NEAR((found[0].p_WA - Vec3(-1, 7, 1)).norm(), 0, 1e-15 * 8);
  // The plane of motion itself bounds nothing.
  EXPECT_TRUE(
      contacts(Halfspace{Vec3::UnitZ()}, {}, Disc{0.5}, {{2, 7, 1}, Quat::Identity()}).empty());
}

TEST(Halfspace, CornersAndCapsKeepTheirNumbers) {
  const Pose X{{0, 0, 5}, exp_rotation({0.3, -0.4, 0.5})};
  const Box box{{1, 2, 3}};
  const auto corners = contacts(Halfspace{}, {}, box, X);
  ASSERT_EQ(corners.size(), 8u);
  for (const collide::ShapeContact& c : corners) {
    const Vec3 p = X.inverse() * c.p_WB;
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(p[i], (c.feature.b >> i & 1 ? 0.5 : -0.5) * box.size[i], 1e-15 * 8);
  }
  const auto caps = contacts(Halfspace{}, {}, Capsule{0.2, 2}, X);
  ASSERT_EQ(caps.size(), 2u);
  for (const collide::ShapeContact& c : caps) {
    const Vec3 end = X * Vec3(0, 0, c.feature.b == 0 ? -1 : 1);
    EXPECT_LE((c.p_WB - (end - Vec3(0, 0, 0.2))).norm(), 1e-15 * 8);
  }
}

// The box is the intersection of six halfspaces; outside, the closest point is the clamped one and
// no point of the surface is closer; inside, the distance is the least depth below a face.
TEST(Box, BallAgainstDenseSamplesOfTheSurface) {
  Random random(17);
  for (int k = 0; k < 500; ++k) {
    const Vec3 size(random.uniform(0.5, 2), random.uniform(0.5, 2), random.uniform(0.5, 2));
    const Pose X{random.unit(), random.rotation()};
    const Vec3 c_S = random.uniform(0.1, 2) * random.unit();
    const bool inside = (c_S.cwiseAbs().array() < 0.5 * size.array()).all();
    const double r = random.uniform(0, 1);
    const auto found = contacts(Box{size}, X, Sphere{r}, {X * c_S, random.rotation()});
    ASSERT_EQ(found.size(), 1u);
    const collide::ShapeContact& c = found[0];
    EXPECT_LE((c.p_WB - c.p_WA - c.gap * c.n_W).norm(), 1e-14);
    const Vec3 p = X.inverse() * c.p_WA;
    EXPECT_NEAR((p.cwiseAbs() - 0.5 * size).maxCoeff(), 0, 1e-14);  // on the surface
    // No sampled point of the surface is closer to the centre.
    double closest = 1e300;
    for (int axis = 0; axis < 3; ++axis)
      for (int side = -1; side <= 1; side += 2)
        for (int i = -20; i <= 20; ++i)
          for (int j = -20; j <= 20; ++j) {
            Vec3 q = 0.5 * size;
            q[axis] *= side;
            q[(axis + 1) % 3] *= i / 20.0;
            q[(axis + 2) % 3] *= j / 20.0;
            closest = std::min(closest, (q - c_S).norm());
          }
    // Samples lie at most half a cell apart from any point: 1/40 of an edge, squared over the
    // distance at the top.
    const double distance = inside ? -(c.gap + r) : c.gap + r;
    EXPECT_GE(distance, 0);
    EXPECT_LE(distance, closest + 1e-14);
    EXPECT_GE(distance, closest - size.norm() / 40);
  }
}

TEST(Box, PointInTheMiddleLeavesThroughTheNearestFace) {
  const auto found = contacts(Box{{4, 1, 2}}, {}, Point{}, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].gap, -0.5);
  EXPECT_EQ(found[0].n_W, Vec3(0, 1, 0));
  EXPECT_EQ(found[0].p_WA, Vec3(0, 0.5, 0));
}

TEST(PairTable, KnowsItsPairs) {
  const std::array<Geometry, 11> all = {
      Point{}, Sphere{1},       Box{{1, 1, 1}}, Capsule{1, 1}, Ellipsoid{{1, 1, 1}}, Halfspace{},
      Disc{1}, Ellipse{{1, 1}}, Hull{},         Polygon{},     Frustum{1, 1, 1}};
  // Rows and columns in the order of `all`; x: a function, -: nothing to compute, blank: not there.
  // Two shapes with polyhedra have no function in this table.
  const std::array<std::string, 11> expected = {
      "-xxxxxxxxxx", "xxxxxxxxxxx", "xx xxx    x", "xxxxxxxxxxx", "xxxxxx  x x", "xxxxx-xxxxx",
      "xx x xxx x ", "xx x xxx x ", "xx xxx    x", "xx x xxx   ", "xxxxxx  x x"};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j) {
      EXPECT_EQ(collide::can_collide(all[i], all[j]), expected[i][j] == 'x') << i << " " << j;
      EXPECT_EQ(collide::never_touch(all[i], all[j]), expected[i][j] == '-') << i << " " << j;
      // What scenes are refused for is what the finder has no contacts for.
      const auto flat_faced = [](const Geometry& g) {
        return std::holds_alternative<Box>(g) || std::holds_alternative<Hull>(g) ||
               std::holds_alternative<Polygon>(g);
      };
      const bool events =
          flat_faced(all[i]) && flat_faced(all[j]) && is_planar(all[i]) == is_planar(all[j]);
      const model::PairSupport support = model::pair_support(all[i], all[j]);
      EXPECT_EQ(support == model::PairSupport::contact, events || expected[i][j] == 'x');
      EXPECT_EQ(support == model::PairSupport::never, expected[i][j] == '-');
    }
}

}  // namespace
}  // namespace cairn::test_flat_pairs
