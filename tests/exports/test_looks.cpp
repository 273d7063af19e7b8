// Exports show meshes and visual shapes, on request what touches.
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>

#include "exports/export.hpp"
#include "exports/looks.hpp"
#include "exports/recorded.hpp"
#include "mesh/sample_meshes.hpp"
#include "mesh/topology.hpp"

namespace cairn::test_looks {
namespace {

using Json = nlohmann::json;

// A ring as a drawn mesh, a hull and a box that are drawn, and what touches: spheres.
Scene dressed() {
  const mesh::TriangleMesh ring = mesh_samples::torus(1, 0.3, 24, 12);
  ModelDescription d;
  d.meshes.push_back(
      std::make_shared<const DrawnMesh>(DrawnMesh{"ring", ring.points, ring.triangles}));
  for (int i = 0; i < 2; ++i) {
    BodyDescription body;
    body.name = "ring" + std::to_string(i);
    body.mass = 1;
    body.position = Vec3(3 * i, 0, 2);
    body.shapes.push_back({Sphere{1.3}, {}, "default"});
    DrawnShape shape;
    shape.mesh = "ring";
    shape.scale = Vec3(1, 1, 1 + i);
    body.visual.push_back(shape);
    d.bodies.push_back(body);
  }
  d.bodies[0].colour = Colour{1, 0, 0};
  BodyDescription body;
  body.name = "others";
  body.fixed = true;
  DrawnShape hull, box;
  hull.geometry = Hull{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}};
  hull.colour = Colour{0, 0, 1};
  box.geometry = Box{Vec3(1, 2, 3)};
  body.visual = {hull, box};
  d.bodies.push_back(body);
  Scene scene;
  scene.description = d;
  const BuiltModel built = build(d).value();
  scene.model = built.model;
  scene.initial = built.initial;
  return scene;
}

double volume(const exports::Mesh& m, const Vec3& scale) {
  double six = 0;
  for (const auto& t : m.triangles) {
    std::array<Vec3, 3> p;
    for (std::size_t k = 0; k < 3; ++k) p[k] = scale.cwiseProduct(m.points[t[k]]);
    six += p[0].dot(p[1].cross(p[2]));
  }
  return six / 6;
}

TEST(Looks, AreTheVisualShapesOrWhatTouches) {
  const Scene scene = dressed();
  const exports::MeshSettings settings =
      exports::mesh_settings(*scene.model, -Vec3::Ones(), Vec3::Ones());
  const exports::Looks looks(scene, settings, false), contact(scene, settings, true);
  const double ring = mesh_samples::torus_volume(1, 0.3, 24, 12);
  for (int i = 0; i < 2; ++i) {
    const BodyId id = scene.model->find_body("ring" + std::to_string(i)).value();
    const auto parts = looks.parts(id, {});
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].key, "mesh ring");
    EXPECT_NEAR(volume(looks.mesh(parts[0].key), parts[0].scale), (1 + i) * ring, 1e-12);
    for (const Vec3& n : looks.mesh(parts[0].key).normals) EXPECT_NEAR(n.norm(), 1, 1e-12);
    ASSERT_EQ(contact.parts(id, {}).size(), 1u);
    EXPECT_EQ(contact.parts(id, {})[0].key, "ball");
  }
  EXPECT_EQ(looks.colour(scene.model->find_body("ring0").value()), (Colour{1, 0, 0}));
  EXPECT_NE(looks.colour(scene.model->find_body("ring1").value()), (Colour{1, 0, 0}));
  const auto others = looks.parts(scene.model->find_body("others").value(), {});
  ASSERT_EQ(others.size(), 2u);
  EXPECT_NEAR(volume(looks.mesh(others[0].key), others[0].scale), 1.0 / 6, 1e-15);
  EXPECT_EQ(others[0].colour, (Colour{0, 0, 1}));
  EXPECT_EQ(others[1].key, "box");
}

TEST(Looks, GltfHoldsAMeshOnce) {
  const Recording recording(R"json({"cairn": 1, "bodies": [
    {"name": "a", "mass": 1, "color": [1, 0, 0], "shapes": [{"type": "sphere", "radius": 1}],
     "visual": [{"type": "box", "size": [1, 1, 1]}, {"type": "box", "size": [2, 1, 1], "color": [0, 1, 0]}]},
    {"name": "b", "mass": 1, "position": [5, 0, 0], "color": [1, 0, 0], "shapes": [{"type": "sphere", "radius": 1}],
     "visual": [{"type": "box", "size": [1, 1, 1]}]}], "simulation": {"step": 0.01, "duration": 0.1}})json");
  const auto document = [&](bool contact) {
    exports::ExportOptions options;
    options.contact_geometry = contact;
    EXPECT_TRUE(
        exports::export_gltf(recording.trace(), recording.path("run.glb"), options).has_value());
    std::ifstream in(recording.path("run.glb"), std::ios::binary);
    const std::string file((std::istreambuf_iterator<char>(in)), {});
    std::uint32_t length = 0;
    std::memcpy(&length, file.data() + 12, 4);
    return Json::parse(file.substr(20, length));
  };
  const Json seen = document(false), touching = document(true);
  // One box in two colours: two meshes with the same accessors.
  ASSERT_EQ(seen["meshes"].size(), 2u);
  EXPECT_EQ(seen["materials"].size(), 2u);
  EXPECT_EQ(seen["meshes"][0]["primitives"][0]["attributes"],
            seen["meshes"][1]["primitives"][0]["attributes"]);
  EXPECT_EQ(seen["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"],
            (Json{1.0, 0.0, 0.0, 1}));
  ASSERT_EQ(touching["meshes"].size(), 1u);
  EXPECT_EQ(touching["meshes"][0]["name"], "ball");
}

}  // namespace
}  // namespace cairn::test_looks
