// The oracle's depth against closed forms and against a sweep of directions.
#include <gtest/gtest.h>

#include "families/oracle/overlap.hpp"
#include "families/random.hpp"

namespace cairn::families::test_overlap {
namespace {

Solid solid(const Geometry& geometry) {
  return make_solid({geometry, {}, "default"});
}

double depth_at(const Solid& a, const Solid& b, const Vec3& p, const Quat& R = Quat::Identity()) {
  Vec3 n = Vec3::Zero();
  return depth(a, {}, b, {p, R}, -1e300, n);
}

TEST(FamilyOracle, BoxesOverlapByTheLeastSide) {
  const Solid a = solid(Box{Vec3(2, 4, 6)}), b = solid(Box{Vec3(1, 1, 1)});
  EXPECT_NEAR(depth_at(a, b, Vec3(1.4, 0.3, 0.2)), 0.1, 1e-14);
  EXPECT_NEAR(depth_at(a, b, Vec3(0, 2.3, 0)), 0.2, 1e-14);
  EXPECT_NEAR(depth_at(a, b, Vec3(1.75, 0, 0)), -0.25, 1e-14);
}

TEST(FamilyOracle, BallsFindFacesEdgesAndCorners) {
  const Solid box = solid(Box{Vec3(2, 2, 2)}), ball = solid(Sphere{0.5});
  EXPECT_NEAR(depth_at(box, ball, Vec3(1.4, 0.2, 0.1)), 0.1, 1e-9);
  EXPECT_NEAR(depth_at(box, ball, Vec3(1.3, 1.4, 0.1)), 0.0, 1e-9);
  EXPECT_NEAR(depth_at(box, ball, Vec3(2, 3, 3)), 0.5 - 3, 1e-8);
}

TEST(FamilyOracle, EllipsoidsAndCapsulesAlongTheirAxes) {
  const Solid e = solid(Ellipsoid{Vec3(1, 2, 3)}), c = solid(Capsule{0.1, 1});
  EXPECT_NEAR(depth_at(e, e, Vec3(1.9, 0, 0)), 0.1, 1e-8);
  EXPECT_NEAR(depth_at(e, c, Vec3(0, 0, 3.55)), 0.05, 1e-8);
  EXPECT_NEAR(depth_at(c, c, Vec3(0.15, 0, 0), Quat(Eigen::AngleAxisd(1, Vec3::UnitX()))), 0.05,
              1e-8);
}

TEST(FamilyOracle, HalfspacesHoldWhatIsBelowTheirPlane) {
  const Solid floor = solid(Halfspace{}), e = solid(Ellipsoid{Vec3(1, 2, 3)});
  EXPECT_NEAR(depth_at(floor, e, Vec3(5, 7, 2.5)), 0.5, 1e-14);
}

TEST(FamilyOracle, InnerRadiusIsHalfTheLeastWidth) {
  EXPECT_EQ(solid(Box{Vec3(2, 0.5, 6)}).inner, 0.25);
  EXPECT_EQ(solid(Ellipsoid{Vec3(1, 2, 3)}).inner, 1);
  // A regular tetrahedron with edges sqrt(8): the distance of opposite edges is 2, the height 2.31.
  const Hull tetrahedron{{Vec3(1, 1, 1), Vec3(1, -1, -1), Vec3(-1, 1, -1), Vec3(-1, -1, 1)}};
  EXPECT_NEAR(solid(tetrahedron).inner, 1, 1e-12);
}

// No direction of a sweep bounds the depth of an overlap better than what was found.
TEST(FamilyOracle, FindsNoLessThanASweepOfDirections) {
  Random random(7, 0, 0);
  const auto shape = [&]() -> Geometry {
    const Vec3 size = Vec3::Constant(0.3) + 0.7 * (random.in_box(Vec3::Ones()).cwiseAbs());
    switch (random.whole(0, 4)) {
      case 0:
        return Box{size};
      case 1:
        return Sphere{size.x()};
      case 2:
        return Capsule{0.3 * size.x(), size.y()};
      case 3:
        return Ellipsoid{size};
      default: {
        Hull hull;
        for (int i = 0; i < 12; ++i) hull.vertices.push_back(random.direction().cwiseProduct(size));
        return hull;
      }
    }
  };
  for (int pair = 0; pair < 200; ++pair) {
    const Solid a = solid(shape()), b = solid(shape());
    const Pose A{Vec3::Zero(), random.orientation()};
    const Pose B{random.direction() * random.between(0.2, 2.2), random.orientation()};
    Vec3 n = Vec3::Zero();
    const double found = depth(a, A, b, B, -1e300, n);
    EXPECT_NEAR(n.dot(support(a, A, n) - support(b, B, -n)), found, 1e-12);
    if (found <= 0) continue;  // apart: any separating direction will do
    for (int k = 0; k < 500; ++k) {
      const Vec3 m = random.direction();
      EXPECT_LE(found, m.dot(support(a, A, m) - support(b, B, -m)) + 1e-6);
    }
  }
}

}  // namespace
}  // namespace cairn::families::test_overlap
