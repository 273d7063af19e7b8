// Bounds against support functions; pairs against brute force; growth of the work.
#include <gtest/gtest.h>
#include <limits>

#include "collide/broadphase.hpp"
#include "collide/random_shapes.hpp"

namespace cairn::test_broadphase {
namespace {

using namespace testing;

constexpr double infinity = std::numeric_limits<double>::infinity();
using Pairs = std::vector<std::pair<int, int>>;

struct Boxes {
  std::vector<collide::Aabb> boxes;
  std::vector<int> bodies;
  std::vector<char> movable;

  void add(const collide::Aabb& box, int body, bool can_move = true) {
    boxes.push_back(box);
    bodies.push_back(body);
    movable.push_back(can_move);
  }
  Pairs brute_force() const {
    Pairs out;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      for (std::size_t j = i + 1; j < boxes.size(); ++j) {
        bool meet = bodies[i] != bodies[j] && (movable[i] || movable[j]);
        for (int k = 0; k < 3; ++k)
          meet = meet && boxes[i].lo[k] <= boxes[j].hi[k] && boxes[j].lo[k] <= boxes[i].hi[k];
        if (meet) out.push_back({static_cast<int>(i), static_cast<int>(j)});
      }
    return out;
  }
  Pairs tree(collide::Broadphase& broadphase) const {
    Pairs out = {{-1, -1}};  // must be replaced
    broadphase.pairs(boxes, bodies, movable, out);
    return out;
  }
};

// n boxes of unit density: the same number of neighbours each, however many there are.
Boxes scattered(int n, int dimensions, unsigned seed) {
  Random random(seed);
  Boxes all;
  const double side = std::pow(n, 1.0 / dimensions);
  for (int i = 0; i < n; ++i) {
    collide::Aabb box;
    for (int k = 0; k < 3; ++k) {
      const double c = random.uniform(0, side), e = random.uniform(0.1, 0.5);
      box.lo[k] = k < dimensions ? c - e : -infinity;
      box.hi[k] = k < dimensions ? c + e : infinity;
    }
    all.add(box, i / 2, random.uniform(0, 1) < 0.7);
  }
  return all;
}

TEST(Broadphase, FindsThePairsOfBruteForce) {
  collide::Broadphase broadphase;  // reused: nothing of an earlier call may survive
  for (const int dimensions : {1, 2, 3})
    for (const int n : {0, 1, 2, 4, 5, 9, 100, 3000}) {
      const Boxes all = scattered(n, dimensions, static_cast<unsigned>(n + dimensions));
      const Pairs expected = all.brute_force();
      EXPECT_GE(expected.size(), static_cast<std::size_t>(n == 3000 ? 1000 : 0));
      EXPECT_EQ(all.tree(broadphase), expected) << n << " " << dimensions;
    }
}

// Equal boxes, boxes that touch in a face, points, planar shapes among spatial ones along different
// axes, halfspaces.
TEST(Broadphase, DegenerateBoxes) {
  collide::Broadphase broadphase;
  Random random(3);
  Boxes all;
  int body = 0;
  for (int i = 0; i < 40; ++i) all.add({Vec3::Zero(), Vec3::Ones()}, body++);
  for (int i = 0; i < 40; ++i) all.add({Vec3(i, 0, 0), Vec3(i + 1, 1, 1)}, body++, i % 2);
  for (int i = 0; i < 20; ++i) all.add({Vec3::Constant(1), Vec3::Constant(1)}, body++);
  for (int i = 0; i < 200; ++i) {
    const Vec3 c = 10 * random.unit();
    collide::Aabb box{c - Vec3::Ones(), c + Vec3::Ones()};
    if (i % 4 < 3) box.lo[i % 4] = -infinity, box.hi[i % 4] = infinity;
    all.add(box, body++);
  }
  for (int i = 0; i < 3; ++i) {
    collide::Aabb half{Vec3::Constant(-infinity), Vec3::Constant(infinity)};
    half.hi[i] = 0;
    all.add(half, body, i == 0);
    all.add({Vec3::Constant(-infinity), Vec3::Constant(infinity)}, body + 1, false);
  }
  EXPECT_EQ(all.tree(broadphase), all.brute_force());
}

TEST(Broadphase, BodiesThatCannotMoveMeetNobodyOfTheirKind) {
  collide::Broadphase broadphase;
  Boxes all;
  for (int i = 0; i < 1000; ++i) all.add({Vec3::Zero(), Vec3::Ones()}, i, false);
  EXPECT_TRUE(all.tree(broadphase).empty());
  EXPECT_EQ(broadphase.comparisons(), 0u);
  all.add({Vec3::Zero(), Vec3::Ones()}, 1000, true);
  EXPECT_EQ(all.tree(broadphase).size(), 1000u);
}

// At constant density comparisons grow like n log n at most: eight times the boxes cost at most 8
// log(8 n) / log(n) times the work, where brute force would take 64 times.
TEST(Broadphase, WorkGrowsLikeNLogN) {
  collide::Broadphase broadphase;
  for (const int dimensions : {2, 3})
    for (const int n : {1000, 4000}) {
      scattered(n, dimensions, 5).tree(broadphase);
      const double small = static_cast<double>(broadphase.comparisons());
      scattered(8 * n, dimensions, 5).tree(broadphase);
      const double large = static_cast<double>(broadphase.comparisons());
      const double growth = 8 * std::log(8.0 * n) / std::log(1.0 * n);
      // Boundary boxes have fewer neighbours: the small set is cheaper by its share of them, 3
      // dimensions 1 / side each.
      const double side = std::pow(n, 1.0 / dimensions);
      EXPECT_LE(large / small, growth * (1 + dimensions / side)) << n << " " << dimensions;
      EXPECT_LE(large, 0.02 * 0.5 * (8.0 * n) * (8.0 * n));
    }
}

// A box is tight: its faces are where the support function says; infinite only along the axis of
// planar shapes.
TEST(Bounds, FacesAreSupportPlanes) {
  Random random(8);
  for (int k = 0; k < 500; ++k) {
    const Pose X{random.unit(), random.rotation()};
    for (const Geometry& g : {Geometry(Point{}), Geometry(Sphere{random.uniform(0, 2)}),
                              Geometry(Box{{1, random.uniform(0, 2), 3}}),
                              Geometry(Capsule{random.uniform(0, 2), random.uniform(0, 2)}),
                              Geometry(Ellipsoid{{random.uniform(0.01, 2), 1, 2}}),
                              Geometry(Frustum{random.uniform(0, 2), 1, 0.7})}) {
      const collide::Aabb box = collide::bounds(g, X);
      for (int i = 0; i < 3; ++i) {
        const double h = support_height(g, X, Vec3::Unit(i));
        EXPECT_NEAR(box.hi[i], X.p[i] + h, 1e-14);
        EXPECT_NEAR(box.lo[i], X.p[i] - support_height(g, X, -Vec3::Unit(i)), 1e-14);
      }
    }
  }
}

TEST(Bounds, PlanarShapesAreInfiniteAlongTheirAxis) {
  const Quat to_y(std::sqrt(0.5), std::sqrt(0.5), 0, 0);  // turns z to -y, to rounding
  for (const Geometry& g : {Geometry(Disc{0.7}), Geometry(Ellipse{{0.2, 3}})})
    for (const double angle : {0.0, 0.3, 2.0})
      for (const bool upright : {false, true}) {
        const Quat spin = exp_rotation({0, 0, angle});
        const Pose X{{1, 2, 3}, upright ? to_y * spin : spin};
        const collide::Aabb box = collide::bounds(g, X);
        const int axis = upright ? 1 : 2;
        for (int i = 0; i < 3; ++i) {
          if (i == axis) {
            EXPECT_EQ(box.lo[i], -infinity);
            EXPECT_EQ(box.hi[i], infinity);
          } else {
            const double h = support_height(g, X, Vec3::Unit(i));
            EXPECT_NEAR(box.hi[i], X.p[i] + h, 1e-14);
            EXPECT_NEAR(box.lo[i], X.p[i] - support_height(g, X, -Vec3::Unit(i)), 1e-14);
          }
        }
      }
}

TEST(Bounds, HalfspacesEndAtTheirPlaneOnlyIfItIsAnAxisPlane) {
  const Pose X{{1, 2, 3}, Quat::Identity()};
  const collide::Aabb up = collide::bounds(Halfspace{Vec3::UnitY()}, X),
                      down = collide::bounds(Halfspace{-Vec3::UnitX()}, X);
  EXPECT_EQ(up.hi, Vec3(infinity, 2, infinity));
  EXPECT_EQ(up.lo, Vec3(Vec3::Constant(-infinity)));
  EXPECT_EQ(down.lo, Vec3(1, -infinity, -infinity));
  EXPECT_EQ(down.hi, Vec3(Vec3::Constant(infinity)));
  const collide::Aabb tilted = collide::bounds(Halfspace{Vec3(0, 0.6, 0.8)}, X);
  EXPECT_EQ(tilted.hi, Vec3(Vec3::Constant(infinity)));
}

}  // namespace
}  // namespace cairn::test_broadphase
