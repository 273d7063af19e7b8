// The swept test against dense samples of random paths (E302 to E304).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>

#include "collide/finder.hpp"
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

// Boxes that drift, jump and come back: the pairs are those of a search without memory, and those
// of fewer boxes where their number changes.
TEST(FatPairs, AreThoseOfAFreshSearch) {
  Random random(30);
  collide::FatPairs kept;
  std::vector<std::pair<int, int>> found, expected;
  for (const std::size_t count : {200u, 60u}) {
    std::vector<Vec3> middles(count), shifts(count, Vec3::Zero());
    std::vector<int> bodies;
    std::vector<char> movable;
    for (std::size_t i = 0; i < count; ++i) {
      middles[i] = random.uniform(0, 5) * random.unit();
      bodies.push_back(static_cast<int>(i / 2));
      movable.push_back(i % 7 != 0);
    }
    for (int step = 0; step < 60; ++step) {
      std::vector<collide::Aabb> boxes;
      for (std::size_t i = 0; i < count; ++i) {
        // Most hardly move, some run, all of them jump now and then.
        const double way = step % 20 == 19 ? 3 : i % 50 == 0 ? 0.5 : 0.01;
        shifts[i] = way * random.unit();
        middles[i] += shifts[i];
        boxes.push_back({middles[i] - Vec3::Constant(0.4), middles[i] + Vec3::Constant(0.4)});
      }
      boxes[3].hi.z() = std::numeric_limits<double>::infinity();
      kept.pairs({boxes, shifts, bodies, movable}, found);
      collide::Broadphase().pairs(boxes, bodies, movable, expected);
      ASSERT_EQ(found, expected) << count << ' ' << step;
    }
  }
}

// (E402).
TEST(Sweep, NoPairThatItProvesApartOverlapsAtTheEnd) {
  Random random(31);
  int overlapping = 0, apart = 0;
  for (int a = 0; a < shape_kinds; ++a)
    for (int b = a; b < shape_kinds; ++b)
      for (int k = 0; k < 20 && can_meet(a, b); ++k) {
        const SweptPair pair = random_swept_pair(random, a, b, {1, 0.5});
        collide::Sweeper sweeper(*pair.model);
        std::vector<collide::SweepFinding> findings;
        sweeper.check(*pair.model, pair.paths, share, findings);
        std::vector<Pose> end;
        for (const collide::BodyPath& path : pair.paths) end.push_back(pose_at(path, 1));
        std::vector<Contact> all;
        collide::ContactFinder(*pair.model).find_overlaps(*pair.model, end, all);
        std::vector<collide::ContactFinder::Depth> some;
        collide::ContactFinder(*pair.model).find_depths(*pair.model, end, sweeper.touching(), some);
        double deepest = 0;
        for (const Contact& c : all) deepest = std::max(deepest, -c.gap);
        EXPECT_EQ(some.empty() ? 0 : some[0].depth, deepest) << a << ' ' << b << ' ' << k;
        ++(deepest > 0 ? overlapping : apart);
      }
  EXPECT_GT(overlapping, 20);
  EXPECT_GT(apart, 20);
}

}  // namespace
}  // namespace cairn::test_sweep
