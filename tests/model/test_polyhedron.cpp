// Boxes as polyhedra.
#include <gtest/gtest.h>

#include "cairn/polyhedron.hpp"

namespace cairn::test_polyhedron {
namespace {

// Euler's formula, and the sums that any closed surface obeys: area-weighted normals vanish, the
// volume is a third of the sum of offset times area.
TEST(BoxPolyhedron, IsAClosedSurface) {
  const Vec3 size(2, 3, 5);
  const Polyhedron p = box_polyhedron(size);
  EXPECT_EQ(p.vertices.size() + p.faces.size(), p.edges.size() + 2);
  double volume = 0;
  Vec3 area = Vec3::Zero();
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const auto loop = p.loop(static_cast<int>(f));
    Vec3 twice = Vec3::Zero();
    for (std::size_t i = 0; i < loop.size(); ++i)
      twice += p.vertices[static_cast<std::size_t>(loop[i])].cross(
          p.vertices[static_cast<std::size_t>(loop[(i + 1) % loop.size()])]);
    EXPECT_NEAR(twice.normalized().dot(p.faces[f].normal), 1, 1e-15);
    area += 0.5 * twice;
    volume += p.faces[f].offset * 0.5 * twice.norm() / 3;
  }
  EXPECT_EQ(area, Vec3::Zero());
  EXPECT_NEAR(volume, size.prod(), 1e-14 * size.prod());
  EXPECT_EQ(p.inner_radius, 1);
  EXPECT_NEAR(p.outer_radius, 0.5 * size.norm(), 1e-15);
}

// The left face's loop runs along the edge, the right one's against it.
TEST(BoxPolyhedron, EdgesLieBetweenTheirFaces) {
  const Polyhedron p = box_polyhedron(Vec3(1, 2, 3));
  for (const Polyhedron::Edge& e : p.edges) {
    const Vec3 along =
        p.vertices[static_cast<std::size_t>(e.head)] - p.vertices[static_cast<std::size_t>(e.tail)];
    const Vec3 &l = p.faces[static_cast<std::size_t>(e.left)].normal,
               &r = p.faces[static_cast<std::size_t>(e.right)].normal;
    EXPECT_EQ(along.dot(l), 0);
    EXPECT_EQ(along.dot(r), 0);
    EXPECT_GT(along.dot(l.cross(r)), 0);
  }
}

}  // namespace
}  // namespace cairn::test_polyhedron
