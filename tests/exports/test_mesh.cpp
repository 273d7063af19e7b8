// Meshes of shapes: closed, turned outwards, and as large as the shape.
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "cairn/scene.hpp"
#include "exports/mesh.hpp"
#include "exports/recorded.hpp"

namespace cairn::test_mesh {
namespace {

struct Size {
  Vec3 area = Vec3::Zero();  // sum of area vectors: zero if the mesh is closed
  double volume = 0, surface = 0;
  double least_outward = 1;  // cosine between a triangle and the normals of its corners
};

Size measure(const exports::Mesh& mesh, const Vec3& scale) {
  Size size;
  const auto at = [&](std::uint32_t i) { return Vec3(scale.cwiseProduct(mesh.points.at(i))); };
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 a = at(i), b = at(j), c = at(k), n = 0.5 * (b - a).cross(c - a);
    size.area += n;
    size.surface += n.norm();
    size.volume += a.dot(b.cross(c)) / 6;
    for (const std::uint32_t corner : {i, j, k}) {
      const Vec3 normal = mesh.normals.at(corner).cwiseQuotient(scale).normalized();
      size.least_outward = std::min(size.least_outward, n.normalized().dot(normal));
    }
  }
  return size;
}

// A ball of detail d has rings of 4 d corners and 2 d bands, each side of a triangle at most
// pi / (2 d) wide: the largest have a right angle and a hypotenuse c with cos c = cos^2(pi / (2
// d)), so a ball of radius cos(c / 2) fits inside.
TEST(Mesh, ClosedTurnedOutwardsAndOfTheRightSize) {
  const Scene scene = parse_scene(every_shape, "scene.json").value();
  const Model& model = *scene.model;
  const exports::MeshSettings settings =
      exports::mesh_settings(model, Vec3(-3, -3, 0), Vec3(3, 3, 1));
  const double pi = std::numbers::pi;
  const double side = std::cos(pi / (2 * settings.detail)), c = std::acos(side * side);
  const double miss = 1 - std::pow(std::cos(c / 2), 3);
  int seen = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    for (const exports::ShapeMesh& shape :
         exports::body_meshes(model, static_cast<BodyId>(i), {}, settings)) {
      if (shape.key == "square") continue;
      ++seen;
      const Size size = measure(exports::make_mesh(model, shape.key, settings), shape.scale);
      EXPECT_LT(size.area.norm(), 1e-13 * size.surface) << shape.key;
      EXPECT_GT(size.least_outward, 0.7) << shape.key;
      const Vec3& s = shape.scale;
      if (shape.key == "ball") {
        const double exact = 4.0 / 3 * pi * s.prod();
        EXPECT_LT(size.volume, exact);
        EXPECT_GT(size.volume, (1 - miss) * exact);
      } else if (shape.key == "box") {
        EXPECT_NEAR(size.volume, s.prod(), 1e-14);
      } else if (shape.key.starts_with("capsule")) {  // radius 0.1, length 0.5
        const double exact = pi * 0.01 * 0.5 + 4.0 / 3 * pi * 0.001;
        EXPECT_LT(size.volume, exact);
        EXPECT_GT(size.volume, (1 - miss) * exact);
      } else {  // the pyramid over a triangle of base 1 and height 1, 1 high
        EXPECT_NEAR(size.volume, 0.5 / 3, 1e-14);
      }
    }
  EXPECT_EQ(seen, 6);
}

TEST(Mesh, PlanarShapesAreThinPlates) {
  const Scene scene =
      parse_scene(R"json({"cairn": 1, "name": "flat", "gravity": [0, -9.81, 0], "bodies": [
    {"name": "a", "dof": "x y rz", "mass": 1, "shapes": [{"type": "polygon", "vertices": [[0, 0], [2, 0], [0, 1]]}]},
    {"name": "b", "dof": "x y rz", "mass": 1, "position": [9, 0, 0], "shapes": [{"type": "ellipse", "radii": [2, 1]}]}],
    "simulation": {"step": 0.01, "duration": 0.1}})json",
                  "flat.json")
          .value();
  const exports::MeshSettings settings =
      exports::mesh_settings(*scene.model, Vec3(-1, -1, 0), Vec3(11, 1, 0));
  const auto volume = [&](int body) {
    const exports::ShapeMesh shape =
        exports::body_meshes(*scene.model, static_cast<BodyId>(body), {}, settings).at(0);
    const Size size = measure(exports::make_mesh(*scene.model, shape.key, settings), shape.scale);
    EXPECT_LT(size.area.norm(), 1e-13 * size.surface);
    EXPECT_GT(size.least_outward, 0.9);
    return size.volume;
  };
  EXPECT_NEAR(volume(0), settings.thickness, 1e-14);
  // The area of a regular n-gon in the unit circle is n sin(2 pi / n) / 2.
  const double n = 8 * settings.detail;
  EXPECT_NEAR(volume(1), settings.thickness * 2 * n * std::sin(2 * std::numbers::pi / n) / 2,
              1e-13);
}

}  // namespace
}  // namespace cairn::test_mesh
