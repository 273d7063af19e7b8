// Meshes in scenes: what stands for them, what they weigh, what is drawn, which files may be named.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "mesh/sample_meshes.hpp"
#include "mesh/topology.hpp"

namespace cairn::test_mesh_scene {
namespace {

using namespace mesh_samples;
namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::path(::testing::TempDir()) / (std::string("cairn_mesh_") + test->name());
    fs::remove_all(path_);
    fs::create_directories(path_ / "scene" / "parts");
  }
  ~Folder() { fs::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string body(const std::string& shape, const std::string& more = "\"density\": 2") {
  return "{\"cairn\": 1, \"bodies\": [\n{\"name\": \"a\", " + more + ", \"shapes\": [" + shape +
         "]}]}";
}

Result<Scene> load(const Folder& folder, const std::string& text, const FileAccess& access = {}) {
  return parse_scene(text, folder / "scene/scene.json", {}, access);
}

Scene read(const Folder& folder, const std::string& text, const FileAccess& access = {}) {
  Result<Scene> scene = load(folder, text, access);
  if (scene) return std::move(*scene);
  for (const Error& e : scene.error()) ADD_FAILURE() << e.text();
  return {};
}

Error refusal(const Folder& folder, const std::string& text, const FileAccess& access = {}) {
  const Result<Scene> scene = load(folder, text, access);
  EXPECT_FALSE(scene.has_value()) << text;
  return scene ? Error{} : scene.error()[0];
}

// 3 x 0.7 x 1 and 1 x 0.7 x 2: an L.
TriangleMesh bracket() {
  TriangleMesh m;
  const std::array<std::array<double, 2>, 6> outline = {
      {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}}};
  for (const double y : {0.0, 0.7})
    for (const auto& p : outline) m.points.emplace_back(p[0], y, p[1]);
  mesh::add_polygon(std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}, m.points, m.triangles);
  mesh::add_polygon(std::vector<std::int32_t>{11, 10, 9, 8, 7, 6}, m.points, m.triangles);
  for (std::int32_t k = 0; k < 6; ++k) {
    const std::int32_t l = (k + 1) % 6;
    m.triangles.push_back({k, k + 6, l + 6});
    m.triangles.push_back({k, l + 6, l});
  }
  return m;
}

TEST(MeshScene, ConvexMeshIsItsHull) {
  const Folder folder;
  const TriangleMesh m = box(Vec3(-1, -2, -3), Vec3(1, 2, 3));
  folder.write("scene/a.obj", obj_text(m));
  folder.write("scene/a.stl", stl_binary(m));
  folder.write("scene/a.ply", ply_binary(m, true));
  for (const char* file : {"a.obj", "a.stl", "a.ply"}) {
    const Scene scene =
        read(folder,
             body(fmt::format(R"({{"type": "mesh", "file": "{}", "scale": [0.5, 1, -2]}})", file)));
    ASSERT_TRUE(scene.model);
    ASSERT_EQ(scene.model->shapes.size(), 1u);
    EXPECT_EQ(scene.model->polyhedra[0].faces.size(), 6u);
    EXPECT_NEAR(scene.model->bodies[0].mass, 2 * 48, 1e-11);
    EXPECT_TRUE(scene.notes.empty());
    ASSERT_EQ(scene.description.bodies[0].visual.size(), 1u);
    EXPECT_EQ(scene.description.bodies[0].visual[0].mesh, "a");
    EXPECT_EQ(scene.description.bodies[0].visual[0].scale, Vec3(0.5, 1, 2));
    EXPECT_EQ(scene.description.meshes[0]->triangles.size(), 12u);
    // Mirrored, the drawn mesh is turned right side out again.
    TriangleMesh drawn;
    drawn.points = scene.description.meshes[0]->points;
    drawn.triangles = scene.description.meshes[0]->triangles;
    EXPECT_GT(mesh::mass_of(drawn, 1).mass, 0);
  }
}

TEST(MeshScene, ConcaveMeshNeedsAWord) {
  const Folder folder;
  folder.write("scene/l.stl", stl_text(bracket()));
  const auto shape = [](const std::string& more) {
    return body(R"({"type": "mesh", "file": "l.stl")" + more + "}");
  };
  const Error error = refusal(folder, shape(""));
  EXPECT_EQ(error.code, ErrorCode::not_convex);
  EXPECT_EQ(error.path, "bodies[0].shapes[0].file");
  EXPECT_EQ(error.line, 2);
  EXPECT_NE(error.fix.find("\"as\": \"decompose\""), std::string::npos);
  EXPECT_NE(error.fix.find("\"as\": \"hull\""), std::string::npos);
  EXPECT_NE(error.got.find("3.5 m^3"), std::string::npos) << error.got;  // (3 + 2) 0.7

  // Both words keep the mass of the mesh.
  const Scene hull = read(folder, shape(R"(, "as": "hull")"));
  const Scene parts = read(folder, shape(R"(, "as": "decompose")"));
  ASSERT_TRUE(hull.model && parts.model);
  EXPECT_EQ(hull.model->shapes.size(), 1u);
  EXPECT_EQ(parts.model->shapes.size(), 2u);
  EXPECT_EQ(hull.notes.size(), 1u);
  EXPECT_EQ(parts.notes.size(), 1u);
  for (const Scene* scene : {&hull, &parts}) {
    const Body& b = scene->model->bodies[0];
    EXPECT_NEAR(b.mass, 2 * 3.5, 1e-13);
    // Centre of 3 x 1 at (1.5, 0.5) and 1 x 2 at (0.5, 2).
    EXPECT_LT((b.p_Bcm - Vec3((3 * 1.5 + 2 * 0.5) / 5, 0.35, (3 * 0.5 + 2 * 2) / 5)).norm(), 1e-13);
  }
  // The inertia of two boxes about their common centre.
  const Scene boxes =
      read(folder, body(R"({"type": "box", "size": [3, 0.7, 1], "position": [1.5, 0.35, 0.5]},
      {"type": "box", "size": [1, 0.7, 2], "position": [0.5, 0.35, 2]})"));
  EXPECT_LT((parts.model->bodies[0].inertia_B - boxes.model->bodies[0].inertia_B).norm(), 1e-12);

  // A hull from a file refuses it as before.
  EXPECT_EQ(refusal(folder, body(R"({"type": "hull", "file": "l.stl"})")).code,
            ErrorCode::not_convex);
}

// With mass instead of density, turned, beside other shapes, fixed.
TEST(MeshScene, MassComesFromTheMesh) {
  const Folder folder;
  std::mt19937_64 random(3);
  const TriangleMesh m = torus(1, 0.3, 16, 8);
  folder.write("scene/t.ply", ply_text(m));
  const Quat R = random_rotation(random);
  const std::string pose = fmt::format(R"("position": [1, 2, 3], "orientation": [{}, {}, {}, {}])",
                                       R.w(), R.x(), R.y(), R.z());
  const std::string mesh_shape = R"({"type": "mesh", "file": "t.ply", "as": "decompose", )" + pose +
                                 R"(, "max_volume_error": 0.2, "max_distance": 0.05})";
  const Scene by_mass = read(folder, body(mesh_shape, "\"mass\": 5"));
  const auto solid = mesh::mass_of(moved(m, R, Vec3(1, 2, 3)), 1);
  const Body& b = by_mass.model->bodies[0];
  EXPECT_EQ(b.mass, 5);
  EXPECT_LT((b.p_Bcm - solid.center).norm(), 1e-12);
  EXPECT_LT((b.inertia_B - solid.inertia * (5 / solid.mass)).norm(), 1e-12 * 5);

  const Scene with_ball =
      read(folder, body(mesh_shape + R"(, {"type": "sphere", "radius": 0.5})", "\"density\": 3"));
  const double ball = 4.0 / 3 * std::numbers::pi * 0.125;
  EXPECT_NEAR(with_ball.model->bodies[0].mass, 3 * (solid.mass + ball), 1e-12);
  EXPECT_LT(
      (with_ball.model->bodies[0].p_Bcm - solid.center * (solid.mass / (solid.mass + ball))).norm(),
      1e-12);
  // The ball is drawn as well.
  EXPECT_EQ(with_ball.description.bodies[0].visual.size(), 2u);

  const Scene own = read(folder, body(mesh_shape, R"("density": 3, "inertia": 7)"));
  EXPECT_NEAR(own.model->bodies[0].mass, 3 * solid.mass, 1e-12);
  EXPECT_EQ(own.model->bodies[0].inertia_B, 7 * Mat3::Identity());
  EXPECT_EQ(refusal(folder, body(mesh_shape, R"("mass": 1, "density": 3)")).code,
            ErrorCode::conflict);
  EXPECT_EQ(refusal(folder, body(mesh_shape, R"("dof": "x y z")")).code, ErrorCode::incomplete);
  EXPECT_TRUE(load(folder, body(mesh_shape, R"("fixed": true)")).has_value());
}

// What a trace holds needs no file, and reads to the same scene.
TEST(MeshScene, ResolvedTextIsSelfContained) {
  const Folder folder;
  folder.write("scene/t.stl", stl_binary(torus(1, 0.3, 20, 7)));
  const Scene first = read(folder, R"({"cairn": 1, "bodies": [
    {"name": "a", "density": 2, "color": [0.1, 0.5, 1], "shapes": [
      {"type": "mesh", "file": "t.stl", "as": "decompose", "scale": 0.3, "max_volume_error": 0.1, "max_distance": 0.1}]},
    {"name": "b", "mass": 1, "inertia": 1, "position": [3, 0, 0], "shapes": [{"type": "sphere", "radius": 0.1}],
     "visual": [{"type": "mesh", "file": "t.stl", "scale": 2, "color": [1, 0, 0]},
                {"type": "box", "size": [1, 2, 3], "position": [0, 0, 1]},
                {"type": "hull", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}]}]})");
  EXPECT_EQ(first.resolved.find("t.stl"), std::string::npos);
  EXPECT_EQ(first.description.meshes.size(), 1u);  // stored once
  const Scene second = read(folder, first.resolved);
  EXPECT_EQ(first.resolved, second.resolved);
  ASSERT_EQ(second.model->shapes.size(), first.model->shapes.size());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(first.model->bodies[i].mass, second.model->bodies[i].mass);
    EXPECT_EQ(first.model->bodies[i].inertia_B, second.model->bodies[i].inertia_B);
    EXPECT_EQ(first.model->bodies[i].p_Bcm, second.model->bodies[i].p_Bcm);
  }
  // Drawn corners are rounded to 2^-16 of the box; the order of triangles stays.
  const DrawnMesh &a = *first.description.meshes[0], &b = *second.description.meshes[0];
  ASSERT_EQ(a.triangles.size(), b.triangles.size());
  for (std::size_t t = 0; t < a.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 gap = a.points[static_cast<std::size_t>(a.triangles[t][k])] -
                       b.points[static_cast<std::size_t>(b.triangles[t][k])];
      EXPECT_LE(gap.cwiseAbs().maxCoeff(), 0.5 * 2.6 / 65535 * (1 + 1e-9));
    }
  EXPECT_EQ(second.description.bodies[0].colour, (Colour{0.1, 0.5, 1}));
  EXPECT_EQ(second.description.bodies[1].visual.size(), 3u);
  // Drawn shapes touch nothing and weigh nothing.
  EXPECT_EQ(first.model->bodies[1].shapes, 1);
  EXPECT_EQ(first.model->bodies[1].mass, 1);
}

TEST(MeshScene, GroupsOfConvexPartsAreTakenAsTheyAre) {
  const Folder folder;
  const std::string v = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";
  const std::string f =
      "f -8 -5 -6 -7\nf -4 -3 -2 -1\nf -8 -7 -3 -4\nf -7 -6 -2 -3\nf -6 -5 -1 -2\nf -5 -8 -4 -1\n";
  folder.write(
      "scene/two.obj",
      "o one\n" + v + f +
          "o two\nv 2 0 0\nv 3 0 0\nv 3 1 0\nv 2 1 0\nv 2 0 1\nv 3 0 1\nv 3 1 1\nv 2 1 1\n" + f);
  const Scene scene =
      read(folder, body(R"({"type": "mesh", "file": "two.obj", "as": "decompose"})"));
  ASSERT_EQ(scene.model->shapes.size(), 2u);
  EXPECT_NEAR(scene.model->bodies[0].mass, 4, 1e-13);
  ASSERT_EQ(scene.notes.size(), 1u);
  EXPECT_NE(scene.notes[0].find("2 groups"), std::string::npos);
}

TEST(MeshScene, FaultyMeshesAreRefusedAndRepairedOnlyOnRequest) {
  const Folder folder;
  TriangleMesh inverted = bracket();
  turn_over(inverted);
  folder.write("scene/inverted.obj", obj_text(inverted));
  TriangleMesh open = bracket();
  open.triangles.pop_back();
  folder.write("scene/open.obj", obj_text(open));
  TriangleMesh crossing = box(Vec3::Zero(), Vec3::Ones());
  append(crossing, box(Vec3(0.5, 0.25, 0.3), Vec3(1.5, 0.75, 0.8)));
  folder.write("scene/crossing.obj", obj_text(crossing));
  const auto shape = [](const std::string& file, const std::string& more) {
    return body(R"({"type": "mesh", "as": "decompose", "file": ")" + file + "\"" + more + "}");
  };
  Error e = refusal(folder, shape("inverted.obj", ""));
  EXPECT_EQ(e.code, ErrorCode::degenerate);
  EXPECT_NE(e.fix.find("repair"), std::string::npos);
  const Scene repaired = read(folder, shape("inverted.obj", R"(, "repair": true)"));
  ASSERT_TRUE(repaired.model);
  EXPECT_NEAR(repaired.model->bodies[0].mass, 7, 1e-12);
  EXPECT_NE(repaired.notes[0].find("triangles turned: 20"), std::string::npos) << repaired.notes[0];
  e = refusal(folder, shape("open.obj", ""));
  EXPECT_EQ(e.code, ErrorCode::not_closed);
  EXPECT_EQ(e.got, "3 open edges");
  EXPECT_EQ(refusal(folder, shape("open.obj", R"(, "repair": true)")).code, ErrorCode::not_closed);
  EXPECT_EQ(refusal(folder, shape("crossing.obj", "")).code, ErrorCode::unsupported);
  e = refusal(folder, shape("open.obj", R"(, "scale": 0)"));
  EXPECT_EQ(e.path, "bodies[0].shapes[0].scale");
  EXPECT_EQ(refusal(folder, shape("open.obj", R"(, "scale": [1, 0, 1])")).code,
            ErrorCode::out_of_range);
  EXPECT_EQ(refusal(folder, shape("open.obj", R"(, "max_distance": 0)")).code,
            ErrorCode::out_of_range);
  // A limit that cannot be kept: refused with the figures.
  folder.write("scene/t.obj", obj_text(torus(1, 0.3, 24, 6)));
  e = refusal(folder, shape("t.obj", R"(, "max_parts": 4)"));
  EXPECT_EQ(e.code, ErrorCode::too_many);
  EXPECT_NE(e.got.find("with 4 parts"), std::string::npos) << e.got;
  // An open mesh as a hull has the hull's mass, and a note says so.
  const Scene hull = read(folder, body(R"({"type": "mesh", "as": "hull", "file": "open.obj"})"));
  ASSERT_TRUE(hull.model);
  EXPECT_NEAR(hull.model->bodies[0].mass, 2 * 0.7 * (9 - 2), 1e-12);  // a square less a triangle
  ASSERT_EQ(hull.notes.size(), 1u);
}

TEST(MeshScene, FaultsKeepTheirPlacesBehindAMesh) {
  const Folder folder;
  folder.write("scene/l.obj", obj_text(bracket()));
  const std::string l = R"({"type": "mesh", "as": "decompose", "file": "l.obj"})";
  // The mesh has become two shapes; the faulty one is the second of the file all the same.
  const Error e = refusal(folder, body(l + R"(, {"type": "sphere", "radius": -1})"));
  EXPECT_EQ(e.path, "bodies[0].shapes[1].radius");
  const Error wood = refusal(
      folder, body(R"({"type": "mesh", "as": "decompose", "file": "l.obj", "material": "wood"})"));
  EXPECT_EQ(wood.path, "bodies[0].shapes[0].material");
  EXPECT_EQ(refusal(folder, body(l, R"("density": 1, "color": [0, 0, 2])")).path,
            "bodies[0].color");
  EXPECT_EQ(
      refusal(folder, body(l, R"("density": 1, "visual": [{"type": "box", "size": [1, 0, 1]}])"))
          .path,
      "bodies[0].visual[0].size[1]");
  EXPECT_EQ(
      refusal(folder, body(l, R"("density": 1, "visual": [{"type": "mesh", "mesh": "x"}])")).path,
      "bodies[0].visual[0].mesh");
  EXPECT_EQ(refusal(folder, body(l, R"("density": 1, "visual": [{"type": "mesh"}])")).code,
            ErrorCode::conflict);
  EXPECT_EQ(refusal(folder, body(R"({"type": "mesh"})")).code, ErrorCode::missing_key);
  EXPECT_EQ(refusal(folder, body(R"({"type": "mesh", "file": "l.obj", "as": "hul"})")).code,
            ErrorCode::unknown_choice);
  EXPECT_EQ(
      refusal(folder, body(R"({"type": "mesh", "file": "l.obj", "as": "hull", "max_parts": 3})"))
          .code,
      ErrorCode::incomplete);
  for (
      const char* data :
      {R"({"points": 3, "triangles": 1, "low": [0,0,0], "high": [1,1,1], "data": ["AAAA"]})",
       R"({"points": 15000000, "triangles": 5000000, "low": [0,0,0], "high": [1,1,1], "data": ["eJwDAAAAAAE="]})",
       R"({"points": 3, "triangles": 1, "low": [2,0,0], "high": [1,1,1], "data": []})"}) {
    const Error bad =
        refusal(folder, std::string(R"({"cairn": 1, "meshes": {"m": )") + data + "}}");
    EXPECT_EQ(bad.code, ErrorCode::damaged);
    EXPECT_EQ(bad.path, "meshes.m.data");
  }
}

TEST(MeshScene, FilesLieInTheFolderOfTheSceneOrInAllowedOnes) {
  const Folder folder;
  const std::string cube = obj_text(box(Vec3::Zero(), Vec3::Ones()));
  folder.write("outside.obj", cube);
  folder.write("scene/parts/inside.obj", cube);
  fs::create_symlink(folder / "outside.obj", folder / "scene/link.obj");
  const auto shape = [](const std::string& file) {
    return body(R"({"type": "mesh", "file": ")" + file + "\"}");
  };
  EXPECT_TRUE(load(folder, shape("parts/inside.obj")).has_value());
  EXPECT_TRUE(load(folder, shape("parts/../parts/inside.obj")).has_value());
  for (const std::string& file :
       {std::string("../outside.obj"), folder / "outside.obj", std::string("link.obj")}) {
    const Error e = refusal(folder, shape(file));
    EXPECT_EQ(e.code, ErrorCode::cannot_read) << file;
    EXPECT_NE(e.fix.find("--allow-path"), std::string::npos);
    FileAccess access;
    access.folders = {folder / "scene/.."};
    EXPECT_TRUE(load(folder, shape(file), access).has_value()) << file;
    access.folders = {folder / "scen"};  // no prefix of a name
    EXPECT_FALSE(load(folder, shape(file), access).has_value()) << file;
  }
  EXPECT_EQ(refusal(folder, body(R"({"type": "hull", "file": "../outside.obj"})")).code,
            ErrorCode::cannot_read);
}

TEST(MeshScene, PartsAreKeptUnderTheHashOfTheMesh) {
  const Folder folder;
  folder.write("scene/l.obj", obj_text(bracket()));
  const FileAccess access{{}, folder / "kept"};
  const std::string text = body(R"({"type": "mesh", "as": "decompose", "file": "l.obj"})");
  const auto files = [&] {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(folder / "kept")) all.push_back(entry.path());
    return all;
  };
  const std::string first = read(folder, text, access).resolved;
  ASSERT_EQ(files().size(), 1u);
  EXPECT_EQ(read(folder, text, access).resolved, first);
  EXPECT_EQ(read(folder, text).resolved, first);
  // Damaged in any byte: computed again, and written again.
  std::ifstream in(files()[0], std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    std::ofstream(files()[0], std::ios::binary) << bad;
    ASSERT_EQ(read(folder, text, access).resolved, first);
  }
  // Other options are another entry; a folder that cannot be written is no fault.
  read(folder, body(R"({"type": "mesh", "as": "decompose", "file": "l.obj", "max_distance": 0.1})"),
       access);
  EXPECT_EQ(files().size(), 2u);
  folder.write("file", "");
  EXPECT_EQ(read(folder, text, {{}, folder / "file/x"}).resolved, first);
}

TEST(MeshScene, GeneratedBodiesShareFileAndParts) {
  const Folder folder;
  folder.write("scene/l.obj", obj_text(bracket()));
  const Scene scene = read(
      folder, R"({"cairn": 1, "generate": [{"type": "row", "name": "l", "count": 50, "spacing": 5,
    "of": {"density": 1, "shapes": [{"type": "mesh", "as": "decompose", "file": "l.obj"}]}}]})");
  EXPECT_EQ(scene.model->shapes.size(), 100u);
  EXPECT_EQ(scene.model->polyhedra.size(), 2u);
  EXPECT_EQ(scene.description.meshes.size(), 1u);
}

// A box slides down a plane that is a mesh of many triangles, scaled and tilted: coplanar triangles
// are one face to the last digits, so that the box keeps to the plane.
TEST(MeshScene, TiltedScaledMeshPlaneCarriesASlidingBox) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 10; ++i) {
    const Vec3 axis = random_vector(random, 1).normalized();
    const double scale = std::exp2(static_cast<double>(i) / 3 - 1), angle = 0.6;
    const Vec3 across = Vec3(axis.x(), axis.y(), 0).normalized();
    const Vec3 sizes(40 * scale, 35 * scale * 1.1, 2.3 * scale);
    const Quat R(Eigen::AngleAxisd(angle, across));
    const Vec3 n = R * Vec3::UnitZ();
    const Vec3 p = n * (0.1 + 1e-3);
    const auto quat = fmt::format("[{}, {}, {}, {}]", R.w(), R.x(), R.y(), R.z());
    const std::string text = fmt::format(
        R"({{"cairn": 1, "materials": {{"default": {{"friction": 0.3}}}}, "bodies": [
        {{"name": "slope", "fixed": true, "orientation": {}, "shapes": [
          {{"type": "mesh", "file": "{}/scenes/meshes/slab.obj", "scale": [{}, {}, {}]}}]}},
        {{"name": "box", "density": 500, "position": [{}, {}, {}], "orientation": {}, "shapes": [
          {{"type": "box", "size": [0.2, 0.3, 0.2]}}]}}]}})",
        quat, CAIRN_SOURCE_DIR, sizes.x(), sizes.y(), sizes.z(), p.x(), p.y(), p.z(), quat);
    FileAccess access;
    access.folders = {CAIRN_SOURCE_DIR};
    const Result<Scene> scene = parse_scene(text, "slope.json", {}, access);
    ASSERT_TRUE(scene.has_value()) << scene.error()[0].text();
    Simulator simulator(scene->model, *scene->initial);
    const int box_at = scene->model->body(*scene->model->find_body("box")).first_velocity;
    double worst = 0;
    for (int step = 0; step < 100; ++step) {
      const StepReport& report = simulator.step(0.01);
      EXPECT_TRUE(report.accepted());
      // Landed after sqrt(2 1e-3 / (g cos 0.6)), about two steps.
      if (step >= 10)
        worst = std::max(worst, std::abs(n.dot(simulator.state().v.segment<3>(box_at))));
    }
    EXPECT_LT(worst, 1e-10);
    // Constant acceleration g (sin a - mu cos a) for most of the second.
    EXPECT_GT(simulator.state().v.segment<3>(box_at).norm(),
              9.81 * (std::sin(angle) - 0.3 * std::cos(angle)) * 0.9);
  }
}

}  // namespace
}  // namespace cairn::test_mesh_scene
