// Collision detection allocates nothing once its buffers have grown.
#include <gtest/gtest.h>

#include "collide/broadphase.hpp"
#include "collide/random_shapes.hpp"
#include "counted_allocations.hpp"

namespace cairn::test_allocation {
namespace {

using namespace testing;

TEST(Allocation, NoneAfterWarmUp) {
  Random random(4);
  const Hull hull = random_hull(random, 12, {0.5, 0.4, 0.3});
  const Polyhedron polyhedron = *hull_polyhedron(hull.vertices);
  const auto faces = [&](const Geometry& g) {
    return std::holds_alternative<Hull>(g) ? &polyhedron : nullptr;
  };
  std::vector<std::pair<Geometry, Pose>> shapes;
  std::vector<int> bodies;
  std::vector<char> movable;
  for (int i = 0; i < 300; ++i) {
    const std::array<Geometry, 6> kinds = {
        Sphere{0.5}, Capsule{0.2, 1},       Ellipsoid{{0.1, 1, 0.6}}, Halfspace{},
        hull,        Frustum{0.4, 0.4, 0.5}};
    const std::size_t kind = i % 50 == 0 ? 3
                                         : (i % 5 == 1   ? 4
                                            : i % 7 == 2 ? 5
                                                         : static_cast<std::size_t>(i % 3));
    shapes.push_back({kinds[kind], {3 * random.unit(), random.rotation()}});
    bodies.push_back(i);
    movable.push_back(kind != 3);
  }
  collide::Broadphase broadphase;
  std::vector<collide::Aabb> boxes;
  std::vector<std::pair<int, int>> pairs;
  std::vector<collide::ShapeContact> found;
  const auto detect = [&] {
    boxes.clear();
    found.clear();
    for (const auto& [geometry, X] : shapes) boxes.push_back(collide::bounds(geometry, X));
    broadphase.pairs(boxes, bodies, movable, pairs);
    for (const auto& [i, j] : pairs) {
      const auto& [a, A] = shapes[static_cast<std::size_t>(i)];
      const auto& [b, B] = shapes[static_cast<std::size_t>(j)];
      if (collide::can_collide(a, b))
        collide::collide_shapes(a, A, b, B, found, faces(a), faces(b));
    }
  };
  detect();
  EXPECT_GT(found.size(), 1000u);
  EXPECT_GT(allocations, 0u);  // the counter counts
  const std::size_t before = allocations;
  detect();
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace cairn::test_allocation
