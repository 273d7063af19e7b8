// Hulls and polygons in scenes: three ways to give a hull, the round trip through the resolved
// text, and faults at their exact places.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "cairn/scene.hpp"
#include "scene/obj_file.hpp"

namespace cairn {
namespace {

// A folder of its own that goes away with the test.
class Folder {
 public:
  Folder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) / (std::string("cairn_") + test->name());
    std::filesystem::create_directories(path_ / "shapes");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string with_shape(const std::string& shape) {
  return "{\"cairn\": 1, \"bodies\": [\n{\"name\": \"a\", \"density\": 2, \"shapes\": [" + shape +
         "]}]}";
}

const std::string octahedron =
    R"({"type": "hull", "vertices": [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 0.1], [0, 0, 1], [0, 0, -1]]})";

Scene read(const std::string& text, const std::string& file = "file.json") {
  const Result<Scene> scene = parse_scene(text, file, {});
  if (scene) return *scene;
  for (const Error& e : scene.error()) ADD_FAILURE() << e.text();
  return {};
}

void expect_same(const Model& a, const Model& b) {
  ASSERT_EQ(a.polyhedra.size(), b.polyhedra.size());
  for (std::size_t i = 0; i < a.polyhedra.size(); ++i) {
    EXPECT_EQ(a.polyhedra[i].vertices, b.polyhedra[i].vertices);
    EXPECT_EQ(a.polyhedra[i].face_vertices, b.polyhedra[i].face_vertices);
    EXPECT_EQ(a.polyhedra[i].center, b.polyhedra[i].center);
    EXPECT_EQ(a.polyhedra[i].inner_radius, b.polyhedra[i].inner_radius);
  }
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    EXPECT_EQ(a.bodies[i].mass, b.bodies[i].mass);
    EXPECT_EQ(a.bodies[i].inertia_B, b.bodies[i].inertia_B);
    EXPECT_EQ(a.bodies[i].p_Bcm, b.bodies[i].p_Bcm);
    EXPECT_EQ(a.bodies[i].radius, b.bodies[i].radius);
  }
  EXPECT_EQ(a.length_unit, b.length_unit);
}

// The octahedron |x| + |y| + |z| <= 1 has volume 4/3.
TEST(HullScene, VerticesFileAndInequalitiesAreOneShape) {
  const Folder folder;
  folder.write(
      "shapes/octahedron.obj",
      "# a comment\nmtllib x.mtl\no thing\nv 1 0 0\nv -1 0 0 1.0\r\nv 0 1 0 0.5 0.5 0.5\n"
      "v 0 -1 \\\n 0 # tail\n  v +0 0 1e0\nv 0 0 -1\nvn 0 0 1\nvt 0 0\nf 1/1/1 3 5\ns off");
  std::string rows = "[", sides = "[";
  for (int i = 0; i < 8; ++i) {
    const auto sign = [&](int bit) { return std::string(i >> bit & 1 ? "2" : "-2"); };
    rows += (i ? ", [" : "[") + sign(0) + ", " + sign(1) + ", " + sign(2) + "]";
    sides += i ? ", 2" : "2";
  }
  const Scene by_vertices = read(with_shape(octahedron));
  const Scene by_file = read(with_shape(R"({"type": "hull", "file": "shapes/octahedron.obj"})"),
                             folder / "scene.json");
  const Scene by_rows =
      read(with_shape(R"({"type": "hull", "A": )" + rows + R"(], "b": )" + sides + "]}"));
  for (const Scene* scene : {&by_vertices, &by_file, &by_rows}) {
    ASSERT_EQ(scene->model->polyhedra.size(), 1u);
    EXPECT_EQ(scene->model->polyhedra[0].faces.size(), 8u);
    EXPECT_EQ(scene->model->polyhedra[0].edges.size(), 12u);
    EXPECT_NEAR(scene->model->bodies[0].mass, 2 * 4.0 / 3, 1e-14);
  }
  expect_same(*by_vertices.model, *by_file.model);
}

// The resolved text needs no file and reads to the same model bit for bit.
TEST(HullScene, ResolvedTextIsSelfContained) {
  const Folder folder;
  folder.write("a.obj",
               "v 0.1 0 0\nv 1.3 0 0.2\nv 0 1 0.7\nv 0.3 0.3 0.9\nv 0.4 0.3 0.3\nv 0.7 0.8 0.1\n");
  const Scene first = read(R"({"cairn": 1, "bodies": [
    {"name": "a", "density": 2, "shapes": [{"type": "hull", "file": "a.obj", "position": [0.1, 0, 0]}]},
    {"name": "b", "density": 2, "shapes": [{"type": "hull", "A": [[1, 0.1, 0], [-1, 0.3, 0], [0, 1, 0.2], [0.1, -1, 0], [0, 0, 1], [0, 0.1, -1]],
                                            "b": [1, 0.7, 1, 1.1, 0.3, 0.9]}]},
    {"name": "c", "mass": 1, "dof": "x y rz", "shapes": [{"type": "polygon", "vertices": [[0, 0], [0, 1.1], [0.9, 1.3], [1, 0]]}]}]})",
                           folder / "scene.json");
  ASSERT_EQ(first.model->polyhedra.size(), 3u);
  EXPECT_EQ(first.resolved.find("a.obj"), std::string::npos);
  const Scene second = read(first.resolved, "elsewhere/trace.cairn");
  EXPECT_EQ(first.resolved, second.resolved);
  expect_same(*first.model, *second.model);
}

TEST(HullScene, GeneratedBodiesShareTheirPolyhedron) {
  const Scene scene =
      read(R"({"cairn": 1, "generate": [{"type": "row", "name": "h", "count": 50, "spacing": 3,
    "of": {"density": 1, "shapes": [)" +
           octahedron + "]}}]}");
  ASSERT_EQ(scene.model->shapes.size(), 50u);
  EXPECT_EQ(scene.model->polyhedra.size(), 1u);
}

// ---- Faults

struct Fault {
  std::string shape;  // the fault is at the mark @
  std::string path, words;
};

const std::string slab = R"([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])";

TEST(HullScene, FaultsHaveTheirPlace) {
  const std::string at = "bodies[0].shapes[0]";
  const std::vector<Fault> faults = {
      {R"(@{"type": "hull"})", at, "one way"},
      {R"(@{"type": "hull", "vertices": [], "file": "x.obj"})", at, "one way"},
      {R"(@{"type": "hull", "A": [[1, 0, 0]]})", at, "one way"},
      {R"(@{"type": "hull", "b": [1]})", at, "one way"},
      {R"(@{"type": "hull", "vertices": [], "A": [], "b": []})", at, "one way"},
      {R"({"type": "hull", "vertices": @3})", at + ".vertices", "array of points"},
      {R"({"type": "hull", "vertices": [[0, 0, 0], @[1, 0], [0, 1, 0], [0, 0, 1]]})",
       at + ".vertices[1]", "3 numbers"},
      {R"({"type": "hull", "vertices": [[0, 0, 0], [1, @"x", 0], [0, 1, 0], [0, 0, 1]]})",
       at + ".vertices[1][1]", "a number"},
      {R"({"type": "hull", "vertices": @[[0, 0, 0], [1, 0, 0], [0, 1, 0]]})", at + ".vertices",
       "at least four"},
      {R"({"type": "hull", "vertices": @[[0, 0, 0], [1, 0, 0], [0, 1, 0], [3, 3, 0]]})",
       at + ".vertices", "one plane"},
      {R"({"type": "hull", "vertices": @[[0, 0, 0], [1, 1, 0], [2, 2, 0], [3, 3, 0]]})",
       at + ".vertices", "one line"},
      {R"({"type": "hull", "vertices": @[[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]})",
       at + ".vertices", "all points are one"},
      {R"({"type": "hull", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], @[0, 0, 1e31]]})",
       at + ".vertices[3]", "out of range"},
      {R"({"type": "hull", "A": )" + slab + R"(, "b": @[1, 1, 1, 1, 1]})", at + ".b", "length"},
      {R"({"type": "hull", "A": )" + slab + R"(, "b": @[1, 1, 1, 1, 1, -3]})", at + ".b",
       "no point"},
      {R"({"type": "hull", "A": )" + slab + R"(, "b": @[1, 1, 1, 1, 1, -1]})", at + ".b",
       "no interior"},
      {R"({"type": "hull", "A": @[[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0]], "b": [1, 1, 1, 1]})",
       at + ".A", "not bounded"},
      {R"({"type": "hull", "A": [[1, 0, 0], @[0, 0, 0]], "b": [1, 1]})", at + ".A[1]", "direction"},
      {R"({"type": "hull", "A": [[1, 0, 0], [0, 1, 0]], "b": [1, @1e31]})", at + ".b[1]", "range"},
      {R"({"type": "hull", "A": [[1, 0, 0]], "b": @1})", at + ".b", "array of numbers"},
      {R"({"type": "hull", "file": @7})", at + ".file", "a string"},
      {R"({"type": "hull", @"vertex": [], "vertices": []})", at + ".vertex", "unknown key"},
      {R"(@{"type": "polygon"})", at, "\"vertices\" is missing"},
      {R"({"type": "polygon", "vertices": [@[0, 0, 0], [1, 0], [0, 1]]})", at + ".vertices[0]",
       "2 numbers"},
      {R"({"type": "polygon", "vertices": @[[0, 0], [1, 0]]})", at + ".vertices", "three"},
      {R"({"type": "polygon", "vertices": [[0, 0], [2, 0], [2, 2], @[1, 0.5], [0, 2]]})",
       at + ".vertices[3]", "not convex"},
      {R"({"type": "polygon", "vertices": @[[0, 0], [1, 1], [2, 2]]})", at + ".vertices",
       "no area"},
      {R"({"type": "polygon", "vertices": [[0, 0], [1, 0], @[1, 0], [0, 1]]})", at + ".vertices[2]",
       "same"},
      {R"(@{"type": "polygon", "vertices": [[0, 0], [1, 0], [0, 1]]})", at, "moves in the plane"},
  };
  for (const Fault& fault : faults) {
    std::string text = with_shape(fault.shape);
    if (fault.words != "moves in the plane" && fault.shape.find("polygon") != std::string::npos)
      text.replace(text.find("\"shapes\""), 0, "\"dof\": \"x y rz\", ");
    const std::size_t mark = text.find('@');
    text.erase(mark, 1);
    const std::size_t line_start = text.rfind('\n', mark) + 1;
    const Result<Scene> scene = parse_scene(text, "file.json", {});
    ASSERT_FALSE(scene.has_value()) << fault.shape;
    const auto found =
        std::find_if(scene.error().begin(), scene.error().end(), [&](const Error& e) {
          return e.path == fault.path && e.text().find(fault.words) != std::string::npos;
        });
    ASSERT_NE(found, scene.error().end()) << fault.shape << "\n" << scene.error()[0].text();
    EXPECT_EQ(found->line, 2) << found->text();
    EXPECT_EQ(found->column, static_cast<int>(mark - line_start) + 1) << found->text();
    EXPECT_FALSE(found->fix.empty());
    EXPECT_EQ(scene.error().size(), 1u) << scene.error().back().text();
  }
}

TEST(HullScene, FaultsOfTheFileNameItsLine) {
  const Folder folder;
  const auto fault = [&](const std::string& obj) {
    folder.write("a.obj", obj);
    const auto scene =
        parse_scene(with_shape(R"({"type": "hull", "file": "a.obj"})"), folder / "scene.json", {});
    EXPECT_FALSE(scene.has_value()) << obj;
    EXPECT_EQ(scene ? 0 : scene.error().size(), 1u);
    return scene ? Error{} : scene.error()[0];
  };
  Error e = fault("v 0 0 0\n# x\nv 1 0\n");
  EXPECT_EQ(e.file, folder / "a.obj");
  EXPECT_EQ(e.line, 3);
  EXPECT_NE(e.what.find("fewer than three"), std::string::npos);
  e = fault("v 0 0 0\nv 1 \\\n 0 0\nv 1 2 three\n");
  EXPECT_EQ(e.line, 4);
  EXPECT_NE(e.got.find("three"), std::string::npos);
  EXPECT_EQ(fault("v 0 0 0\nv 1 nan 0\n").line, 2);
  EXPECT_NE(fault("f 1 2 3\n").what.find("no vertices"), std::string::npos);
  // What the points lack is told where the scene names the file.
  e = fault("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n");
  EXPECT_EQ(e.file, folder / "scene.json");
  EXPECT_EQ(e.line, 2);
  EXPECT_EQ(e.path, "bodies[0].shapes[0].file");
  EXPECT_NE(e.what.find("one plane"), std::string::npos);

  const auto missing = [&](const std::string& name) {
    const auto scene = parse_scene(with_shape(R"({"type": "hull", "file": ")" + name + "\"}"),
                                   folder / "scene.json", {});
    EXPECT_FALSE(scene.has_value());
    return scene ? Error{} : scene.error()[0];
  };
  EXPECT_EQ(missing("none.obj").kind, ErrorKind::io);
  EXPECT_EQ(missing("none.obj").file, folder / "none.obj");
  EXPECT_EQ(missing("shapes").kind, ErrorKind::io);
  EXPECT_EQ(missing("").kind, ErrorKind::io);
}

}  // namespace
}  // namespace cairn
