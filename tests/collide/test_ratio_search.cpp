// How the ratio metric is found: from any start, with few pivots, in linear time; and the cases
// where many events hold at once.
#include <gtest/gtest.h>

#include "collide/ratio/ratio.hpp"
#include "collide/ratio_oracle.hpp"

namespace cairn::test_ratio_search {
namespace {

using testing::PolyhedronPair;
using testing::Random;
using testing::random_pair;
using testing::SlowRatio;

// Everything that the header promises to be independent of the start.
void expect_same(const collide::Ratio& a, const collide::Ratio& b) {
  ASSERT_EQ(a.r, b.r);
  ASSERT_EQ(a.rho, b.rho);
  ASSERT_EQ(a.axis, b.axis);
  ASSERT_EQ(a.centre_distance, b.centre_distance);
  ASSERT_EQ(a.support, b.support);
  ASSERT_EQ(a.separation, b.separation);
  ASSERT_EQ(a.event, b.event);
  ASSERT_EQ(a.of_a, b.of_a);
  ASSERT_EQ(a.of_b, b.of_b);
  ASSERT_EQ(a.p_W, b.p_W);
  ASSERT_EQ(a.p_WA, b.p_WA);
  ASSERT_EQ(a.p_WB, b.p_WB);
  ASSERT_EQ(a.q_WA, b.q_WA);
  ASSERT_EQ(a.q_WB, b.q_WB);
}

struct Motion {
  Pose& X;
  Vec3 velocity, spin;
  void step() {
    X.p += velocity;
    X.R = (exp_rotation(spin) * X.R).normalized();
  }
};

class RatioSearchTest : public ::testing::TestWithParam<std::pair<bool, double>> {};

// Bodies that move by a hundredth of their size in a step: the last basis is often the next one.
TEST_P(RatioSearchTest, WarmStartsGiveTheSameBitsWithFewPivots) {
  const auto [planar, stretch] = GetParam();
  Random random(11);
  long pivots = 0, steps = 0;
  for (int i = 0; i < 200; ++i) {
    PolyhedronPair p = random_pair(random, stretch, planar);
    const double size = std::min(p.a.outer_radius, p.b.outer_radius);
    Vec3 velocity = 0.01 * size * random.unit(), spin = 0.01 * random.unit();
    if (planar) velocity.z() = 0, spin = Vec3(0, 0, spin.z());
    Motion motion{p.B, velocity, spin};
    collide::RatioBasis basis;
    for (int k = 0; k < 100; ++k, motion.step()) {
      const collide::Ratio warm = collide::ratio_metric(p.a, p.A, p.b, p.B, &basis);
      ASSERT_NO_FATAL_FAILURE(expect_same(warm, collide::ratio_metric(p.a, p.A, p.b, p.B)))
          << i << " " << k;
      basis = warm.basis;
      if (k > 0) pivots += warm.pivots, ++steps;
    }
  }
  EXPECT_LE(static_cast<double>(pivots), 1.0 * static_cast<double>(steps));
}

// Any basis, even one of other poses.
TEST_P(RatioSearchTest, TheStartChangesNoBit) {
  const auto [planar, stretch] = GetParam();
  Random random(12);
  for (int i = 0; i < 2000; ++i) {
    PolyhedronPair p = random_pair(random, stretch, planar);
    const collide::Ratio cold = collide::ratio_metric(p.a, p.A, p.b, p.B);
    for (int k = 0; k < 5; ++k) {
      Pose other{p.A.p + 3 * random.unit(), planar ? random.turn() : random.rotation()};
      const collide::RatioBasis start = collide::ratio_metric(p.a, p.A, p.b, other).basis;
      ASSERT_NO_FATAL_FAILURE(expect_same(cold, collide::ratio_metric(p.a, p.A, p.b, p.B, &start)))
          << i;
    }
  }
}

// The cost of the program: all facets once to begin with, once a pivot and once to see the end.
TEST_P(RatioSearchTest, EachPivotLooksAtEachFacetOnce) {
  const auto [planar, stretch] = GetParam();
  Random random(13);
  for (int i = 0; i < 2000; ++i) {
    const PolyhedronPair p = random_pair(random, stretch, planar);
    const int facets = static_cast<int>(p.a.faces.size() + p.b.faces.size());
    const collide::Ratio cold =
        collide::ratio_metric(p.a, p.A, p.b, p.B, nullptr, collide::RatioSearch::scan);
    ASSERT_EQ(cold.evaluations, (cold.pivots + 2) * facets);
    if (cold.basis.facets[0] < 0 || cold.basis.facets[1] < 0) continue;
    const collide::Ratio warm =
        collide::ratio_metric(p.a, p.A, p.b, p.B, &cold.basis, collide::RatioSearch::scan);
    if (warm.pivots > 0) continue;
    ASSERT_EQ(warm.evaluations, facets);
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, RatioSearchTest,
                         ::testing::Values(std::pair(true, 3.0), std::pair(true, 1000.0),
                                           std::pair(false, 3.0), std::pair(false, 1000.0)));

// Climbing from face to face finds what looking at all of them finds, and looks at few.
TEST(RatioSearch, ClimbingFindsTheSame) {
  Random random(14);
  for (const int n : {1, 2, 4, 7}) {
    const Polyhedron ball = model::geodesic(n);
    const int facets = 2 * static_cast<int>(ball.faces.size());
    long pivots = 0, evaluations = 0;
    for (int i = 0; i < 300; ++i) {
      const Polyhedron a = model::image(ball, testing::random_map(random, 5, false), Vec3::Zero()),
                       b = model::image(ball, testing::random_map(random, 5, false), random.unit());
      const Pose A{random.unit(), random.rotation()},
          B{2 * random.uniform(0, 1) * random.unit(), random.rotation()};
      const collide::Ratio scan = collide::ratio_metric(a, A, b, B, nullptr,
                                                        collide::RatioSearch::scan),
                           climb = collide::ratio_metric(a, A, b, B, nullptr,
                                                         collide::RatioSearch::climb);
      ASSERT_NO_FATAL_FAILURE(expect_same(scan, climb)) << n << " " << i;
      pivots += climb.pivots, evaluations += climb.evaluations;
    }
    // From the line of centres it is some steps over the surface: fewer than 4 n of each body,
    // while all steps together look at fewer facets than one glance at all of a large body.
    EXPECT_LE(pivots, 300L * (8 + 4 * n)) << n;
    if (n >= 4) {
      EXPECT_LT(evaluations, 300L * facets) << n;
    }
  }
}

// Boxes with parallel faces on a grid, by quarter turns: whatever the start, one answer; along a
// face normal, of A where faces meet; and the right one.
TEST(RatioSearch, ParallelFacesHaveOneAnswer) {
  Random random(15);
  const auto step = [&] { return std::floor(random.uniform(-8, 9)) / 4; };
  const auto side = [&] { return std::floor(random.uniform(1, 9)) / 4; };
  int on_faces = 0;
  for (int i = 0; i < 3000; ++i) {
    PolyhedronPair p{box_polyhedron(Vec3(side(), side(), side())),
                     box_polyhedron(Vec3(side(), side(), side())),
                     {},
                     {}};
    p.B.p = Vec3(step(), step(), step());
    if (p.B.p.norm() == 0) continue;
    const collide::Ratio cold = collide::ratio_metric(p.a, p.A, p.b, p.B);
    // Parallel boxes have the component |d_k| / (sum of half sides) along each axis k.
    const Vec3 half = p.a.vertices.back() + p.b.vertices.back();
    const Vec3 components = p.B.p.cwiseAbs().cwiseQuotient(half);
    ASSERT_EQ(cold.r, components.maxCoeff());
    ASSERT_EQ(cold.event, collide::RatioEvent::face_of_a);
    ASSERT_EQ(cold.axis.cwiseAbs().maxCoeff(), 1);
    for (int k = 0; k < 6; ++k) {
      const Pose other{Vec3(step(), step(), step()) + 0.1 * random.unit(), random.rotation()};
      const collide::RatioBasis start = collide::ratio_metric(p.a, p.A, p.b, other).basis;
      ASSERT_NO_FATAL_FAILURE(expect_same(cold, collide::ratio_metric(p.a, p.A, p.b, p.B, &start)))
          << i;
      ++on_faces;
    }
    // The point lies on both boxes, moved to touch.
    const Vec3 local = cold.p_WB - p.B.p;
    ASSERT_LE((cold.p_WA.cwiseAbs() - p.a.vertices.back()).maxCoeff(), 1e-15);
    ASSERT_LE((local.cwiseAbs() - p.b.vertices.back()).maxCoeff(), 1e-15);
  }
  EXPECT_GT(on_faces, 10000);
}

// Turned by any angle about the common normal of two faces: still along the face.
TEST(RatioSearch, FaceOnFaceIsAlongTheFace) {
  Random random(16);
  for (int i = 0; i < 3000; ++i) {
    const Polyhedron a = model::image(model::prism(5), random.uniform(0.5, 2) * Mat3::Identity(),
                                      Vec3::Zero()),
                     b = model::image(model::prism(3), random.uniform(0.5, 2) * Mat3::Identity(),
                                      Vec3::Zero());
    const Pose A{random.unit(), random.rotation()};
    const double reach = a.vertices.back().z() + b.vertices.back().z();
    const Pose B = A * Pose{Vec3(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3),
                                 reach * random.uniform(0.95, 1.05)),
                            random.turn()};
    const collide::Ratio cold = collide::ratio_metric(a, A, b, B);
    ASSERT_EQ(cold.event, collide::RatioEvent::face_of_a) << i;
    ASSERT_EQ(cold.of_a[0], 1) << i;
    ASSERT_LE((cold.axis - A.R * Vec3::UnitZ()).norm(), 1e-14);
    for (int k = 0; k < 4; ++k) {
      const Pose other{B.p + 0.2 * random.unit(),
                       (exp_rotation(0.2 * random.unit()) * B.R).normalized()};
      const collide::RatioBasis start = collide::ratio_metric(a, A, b, other).basis;
      ASSERT_NO_FATAL_FAILURE(expect_same(cold, collide::ratio_metric(a, A, b, B, &start))) << i;
    }
  }
}

// Equal centres: r = 0, the depth that of the shallowest face, the direction always the same. As
// the centres come apart all figures stay finite.
TEST(RatioSearch, EqualCentresHaveADepth) {
  const Polyhedron a = box_polyhedron(Vec3(2, 4, 6)), b = box_polyhedron(Vec3(1, 2, 1));
  const collide::Ratio same = collide::ratio_metric(a, {}, b, {});
  EXPECT_EQ(same.r, 0);
  EXPECT_EQ(collide::depth(same), 1.5);  // half of 2 + 1, along x
  EXPECT_EQ(same.axis, -Vec3::UnitX());
  EXPECT_TRUE(std::isfinite(same.rho));
  EXPECT_LT(same.rho, 0);
  for (double distance = 1; distance > 0; distance *= 0x1p-40) {
    const Pose B{distance * Vec3(0.6, 0.48, 0.64), Quat::Identity()};
    const collide::Ratio near = collide::ratio_metric(a, {}, b, B);
    EXPECT_NEAR(near.r, 0.6 * distance / 1.5, 1e-15 * distance);
    EXPECT_NEAR(collide::depth(near), 1.5 - 0.6 * distance, 1e-15);
    EXPECT_EQ(near.axis, Vec3::UnitX());
    for (const Vec3& each : {near.p_W, near.p_WA, near.p_WB, near.q_WA, near.q_WB})
      EXPECT_LE(each.norm(), 10);
    EXPECT_TRUE(std::isfinite(near.rho));
  }
}

// Needles of 1:1000 side by side, crossed and end to end.
TEST(RatioSearch, NeedlesAreBoxes) {
  const Polyhedron needle = box_polyhedron(Vec3(1, 1e-3, 1e-3));
  const collide::Ratio beside =
      collide::ratio_metric(needle, {}, needle, {Vec3(0, 2e-3, 0), Quat::Identity()});
  EXPECT_NEAR(beside.r, 2, 1e-12);
  EXPECT_NEAR(beside.separation, 1e-3, 1e-17);
  const collide::Ratio ends =
      collide::ratio_metric(needle, {}, needle, {Vec3(1.5, 0, 0), Quat::Identity()});
  EXPECT_NEAR(ends.r, 1.5, 1e-14);
  EXPECT_NEAR(ends.separation, 0.5, 1e-15);
  const Quat quarter = exp_rotation({0, 0, std::numbers::pi / 2});
  const collide::Ratio crossed =
      collide::ratio_metric(needle, {}, needle, {Vec3(0.1, 0.2, 5e-3), quarter});
  EXPECT_NEAR(crossed.r, 5, 1e-12);
  EXPECT_LE((crossed.axis - Vec3::UnitZ()).norm(), 1e-15);
}

// Planar bodies at different heights: points lie halfway, the plane alone counts.
TEST(RatioSearch, PlanarBodiesIgnoreTheirHeight) {
  const Polyhedron square = model::polygon(4);
  const Pose low{Vec3(0, 0, 1), Quat::Identity()}, high{Vec3(3, 0, 2), Quat::Identity()};
  const collide::Ratio ratio = collide::ratio_metric(square, low, square, high);
  EXPECT_NEAR(ratio.r, 1.5, 1e-15);
  for (const Vec3& each : {ratio.p_W, ratio.p_WA, ratio.p_WB, ratio.q_WA, ratio.q_WB})
    EXPECT_NEAR(each.z(), 1.5, 1e-15);
  EXPECT_EQ(ratio.axis.z(), 0);
}

}  // namespace
}  // namespace cairn::test_ratio_search
