// Outlines and meshes of fixtures.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "families/fixtures/fixture.hpp"
#include "families/random.hpp"

namespace cairn::families::test_fixtures {
namespace {

void expect_convex(const Outline& p) {
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec2 a = p[(i + 1) % p.size()] - p[i];
    const Vec2 b = p[(i + 2) % p.size()] - p[(i + 1) % p.size()];
    EXPECT_GE(a.x() * b.y() - a.y() * b.x(), -1e-12);
  }
}

// Stars about the origin: simple, and rarely convex.
TEST(FamilyFixtures, ConvexPiecesCoverThePolygon) {
  Random random(3, 0, 0);
  for (int n = 3; n < 40; ++n) {
    Outline star;
    for (int i = 0; i < n; ++i) {
      const double phi = 2 * 3.14159265358979 * i / n;
      star.emplace_back(Vec2(std::cos(phi), std::sin(phi)) * random.between(0.2, 1));
    }
    const std::vector<Outline> pieces = convex_pieces(star);
    ASSERT_FALSE(pieces.empty());
    double sum = 0;
    for (const Outline& piece : pieces) {
      expect_convex(piece);
      sum += area(piece);
    }
    EXPECT_NEAR(sum, area(star), 1e-12 * n);
    for (int k = 0; k < 50; ++k) {
      const Vec2 p = random.in_box(Vec3::Ones()).head<2>();
      const bool inside = std::any_of(pieces.begin(), pieces.end(),
                                      [&](const Outline& piece) { return contains(piece, p); });
      EXPECT_EQ(inside, contains(star, p));
    }
  }
}

TEST(FamilyFixtures, EdgesFormLoopsAndChains) {
  const auto found = chains({{3, 4}, {0, 1}, {2, 0}, {4, 5}, {1, 2}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(found[1].front(), found[1].back());
  EXPECT_EQ(found[1].size(), 4u);
}

Mesh cube() {
  Mesh mesh;
  for (int i = 0; i < 8; ++i) mesh.vertices.emplace_back(i & 1, i >> 1 & 1, i >> 2 & 1);
  mesh.faces = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

TEST(FamilyFixtures, ConvexMeshesAreRecognised) {
  Mesh mesh = cube();
  EXPECT_TRUE(is_convex(mesh));
  EXPECT_NEAR(enclosed(mesh).volume, 1, 1e-15);
  EXPECT_NEAR((enclosed(mesh).center - Vec3(0.5, 0.5, 0.5)).norm(), 0, 1e-15);
  mesh.faces.pop_back();
  EXPECT_FALSE(is_closed(mesh));
  // A dent: the corner moves inside.
  mesh = cube();
  mesh.vertices[7] = Vec3(0.3, 0.3, 0.3);
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_FALSE(is_convex(mesh));
}

TEST(FamilyFixtures, FlatRectangleBecomesAPlateBehindIt) {
  Mesh mesh;
  mesh.vertices = {Vec3(-2, 0, 1), Vec3(2, 0, 1), Vec3(-2, 0, -1), Vec3(2, 0, -1)};
  mesh.faces = {{1, 2, 0}, {1, 3, 2}};  // looks along y
  const ConvertedBody plate = convert_mesh(mesh, false, {Vec3(0, 1, 0)});
  EXPECT_TRUE(plate.flat);
  EXPECT_LT(plate.center.y(), 0);
  EXPECT_NEAR((plate.tilt * Vec3::UnitZ() - Vec3::UnitY()).norm(), 0, 1e-12);
  EXPECT_NEAR(std::max(plate.half_x, plate.half_y), 2, 1e-12);
  EXPECT_NEAR(std::min(plate.half_x, plate.half_y), 1, 1e-12);
}

}  // namespace
}  // namespace cairn::families::test_fixtures
