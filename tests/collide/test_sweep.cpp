// The swept test against dense samples of random paths (E302 to E304).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>

#include "collide/sweep_oracle.hpp"

namespace cairn::test_sweep {
namespace {

using namespace testing;

constexpr double share = 0.05;

// Kinds that have a contact function for each other; 0 to 5 and 8 are in space, 6, 7 and 9 planar.
bool can_meet(int a, int b) {
  const auto planar = [](int kind) { return kind == 6 || kind == 7 || kind == 9; };
  const auto wall = [](int kind) { return kind == 5; };
  if (wall(a) && wall(b)) return false;
  return wall(a) || wall(b) || planar(a) == planar(b);
}

// No sample is deeper than the bound, and none beyond the limit comes before the first violation.
void expect_bound(const SweptPair& pair, const std::string& what) {
  if (!collide::can_collide(pair.shape(0).geometry, pair.shape(1).geometry) && !pair.flat()) return;
  const double radius = pair.inner_radius(), limit = share * radius;
  collide::SweepSummary summary;
  const auto findings = sweep(pair, share, &summary);
  const Sampled found = sample(pair, limit, 200);
  const double rounding = 1e-9;
  EXPECT_LE(found.depth, summary.worst * radius + rounding) << what;
  if (findings.empty()) {
    EXPECT_LE(found.depth, limit + rounding) << what;
    return;
  }
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_GE(findings[0].depth, limit) << what;
  EXPECT_LE(findings[0].easy, findings[0].tau) << what;
  EXPECT_LE(findings[0].tau, found.first + 1e-12) << what;
}

TEST(Sweep, BoundsTheDepthOfRandomPairs) {
  Random random(20);
  for (int a = 0; a < shape_kinds; ++a)
    for (int b = a; b < shape_kinds; ++b)
      for (int k = 0; k < 6 && can_meet(a, b); ++k)
        expect_bound(random_swept_pair(random, a, b, {}), fmt::format("{} {} {}", a, b, k));
}

// Up to the time `easy` the depth is at most half of the limit.
TEST(Sweep, KeepsHalfOfTheLimitUpToTheEasyTime) {
  Random random(21);
  int found = 0;
  for (int k = 0; k < 200; ++k) {
    SweptPair pair = random_swept_pair(random, 1, 2, {20, 4});
    const auto findings = sweep(pair, share);
    if (findings.empty() || findings[0].easy == 0) continue;
    ++found;
    for (collide::BodyPath& path : pair.paths) {
      path.shift_W *= findings[0].easy;
      path.turn_B *= findings[0].easy;
    }
    const double limit = share * pair.inner_radius();
    EXPECT_LE(sample(pair, limit, 100).depth, 0.5 * limit * (1 + 1e-6)) << k;
  }
  EXPECT_GT(found, 10);
}

// A blade that turns by 2 pi is at both ends where a ball does not touch it.
TEST(Sweep, SeesAFullTurn) {
  SweptPair pair = swept_pair(Box{{4, 0.1, 1}}, {}, Sphere{0.1}, {});
  pair.paths[1].start.p = Vec3(0, 1, 0);
  EXPECT_TRUE(sweep(pair, share).empty());
  pair.paths[0].turn_B = Vec3(0, 0, 2 * std::numbers::pi);
  const auto findings = sweep(pair, share);
  ASSERT_EQ(findings.size(), 1u);
  // The side of the blade reaches the ball before a quarter of the turn.
  EXPECT_GT(findings[0].tau, 0.2);
  EXPECT_LT(findings[0].tau, 0.25);
}

// A body that passes another one at a distance has no overlap, however fast it turns.
TEST(Sweep, FreesBodiesThatPassEachOther) {
  SweptPair pair = swept_pair(Box{{1, 0.1, 0.1}}, {}, Box{{1, 0.1, 0.1}}, {});
  pair.paths[1].start.p = Vec3(-50, 1.2, 0);
  pair.paths[1].shift_W = Vec3(100, 0, 0);
  pair.paths[0].turn_B = Vec3(30, 0, 0);
  pair.paths[1].turn_B = Vec3(0, 12, 0);
  EXPECT_TRUE(sweep(pair, share).empty());
}

}  // namespace
}  // namespace cairn::test_sweep
