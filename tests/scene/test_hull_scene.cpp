// Hulls and polygons in scenes: three ways to give a hull, the round trip through the resolved
// text, and faults at their exact places.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "cairn/scene.hpp"

namespace cairn::test_hull_scene {
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
  folder.write("shapes/octahedron.obj",
               "# a comment\nmtllib x.mtl\no thing\nv 1 0 0\nv -1 0 0 1.0\r\nv 0 1 0 0.5 0.5 0.5\n"
               "v 0 -1 \\\n 0 # tail\n  v +0 0 1e0\nv 0 0 -1\nvn 0 0 1\nvt 0 0\nf 1/1/1 3 5\nf 3 2 "
               "5\nf 2 4 5\nf 4 1 5\n"
               "f 3 1 6\nf 2 3 6\nf 4 2 6\nf -6 -3 -1\ns off");
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
    {"name": "a", "density": 2, "shapes": [{"type": "hull", "file": "a.obj", "convex_hull": true, "position": [0.1, 0, 0]}]},
    {"name": "b", "density": 2, "shapes": [{"type": "hull", "A": [[1, 0.1, 0], [-1, 0.3, 0], [0, 1, 0.2], [0.1, -1, 0], [0, 0, 1], [0, 0.1, -1]],
                                            "b": [1, 0.7, 1, 1.1, 0.3, 0.9]}]},
    {"name": "c", "mass": 1, "dof": "x y rz", "shapes": [{"type": "polygon", "vertices": [[0, 0], [0, 1.1], [0.9, 1.3], [1, 0]]}]}],
    "no_contact": [["a", "c"], ["b", "c"]]})",
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

// A mesh that is not convex is no hull: a unit cube whose top is pushed in to a depth of 0.5 has
// the volume 1 - 0.5 / 3 = 5/6, its hull that of the cube.
TEST(HullScene, MeshThatIsNotConvexNeedsAWord) {
  const std::string cube =
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";
  const std::string sides = "f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
  const std::string dent = "f 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\n";
  const Folder folder;
  const auto load = [&](const std::string& obj, const std::string& more = "") {
    folder.write("a.obj", obj);
    return parse_scene(with_shape(R"({"type": "hull", "file": "a.obj")" + more + "}"),
                       folder / "scene.json", {});
  };
  const auto refusal = [&](const std::string& obj) {
    const Result<Scene> scene = load(obj);
    EXPECT_FALSE(scene.has_value()) << obj;
    return scene ? Error{} : scene.error()[0];
  };
  const Error error = refusal(cube + "v 0.5 0.5 0.5\n" + sides + dent);
  EXPECT_EQ(error.code, ErrorCode::not_convex);
  EXPECT_EQ(error.kind, ErrorKind::input);
  EXPECT_EQ(error.path, "bodies[0].shapes[0].file");
  EXPECT_EQ(error.line, 2);
  EXPECT_NE(error.got.find("0.833333333 m^3"), std::string::npos) << error.got;
  EXPECT_NE(error.allowed.find("1 m^3"), std::string::npos) << error.allowed;
  const Result<Scene> hull =
      load(cube + "v 0.5 0.5 0.5\n" + sides + dent, R"(, "convex_hull": true)");
  ASSERT_TRUE(hull.has_value()) << hull.error()[0].text();
  EXPECT_NEAR(hull->model->bodies[0].mass, 2, 1e-14);

  // A vertex on a face of the hull, and the digits that programs write, change nothing.
  EXPECT_TRUE(load(cube + "v 0.5 0.5 1\n" + sides + dent).has_value());
  EXPECT_TRUE(load(cube + "v 0.5 0.5 0.9999999\n" + sides + dent).has_value());
  // A dent whose corner is the only thing inside, too small for its volume to be noticed.
  EXPECT_EQ(refusal(cube + "v 0.5 0.5 0.99999\n" + sides + dent).code, ErrorCode::not_convex);
  EXPECT_EQ(refusal(cube + sides).code, ErrorCode::not_closed);

  // Points without faces stand for their hull if none lies inside.
  EXPECT_TRUE(load(cube).has_value());
  EXPECT_EQ(refusal(cube + "v 0.5 0.5 0.5\n").code, ErrorCode::not_convex);
  EXPECT_TRUE(load(cube + "v 0.5 0.5 0.5\n", R"(, "convex_hull": true)").has_value());
}

// ---- Faults

struct Fault {
  std::string shape;  // the fault is at the mark @
  std::string path;
  ErrorCode code;
};

const std::string slab = R"([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])";

TEST(HullScene, FaultsHaveTheirPlace) {
  const std::string at = "bodies[0].shapes[0]";
  const std::vector<Fault> faults = {
      {R"(@{"type": "hull"})", at, ErrorCode::conflict},
      {R"(@{"type": "hull", "vertices": [], "file": "x.obj"})", at, ErrorCode::conflict},
      {R"(@{"type": "hull", "A": [[1, 0, 0]]})", at, ErrorCode::conflict},
      {R"(@{"type": "hull", "b": [1]})", at, ErrorCode::conflict},
      {R"(@{"type": "hull", "vertices": [], "A": [], "b": []})", at, ErrorCode::conflict},
      {R"({"type": "hull", "vertices": @3})", at + ".vertices", ErrorCode::wrong_type},
      {R"({"type": "hull", "vertices": [[0, 0, 0], @[1, 0], [0, 1, 0], [0, 0, 1]]})",
       at + ".vertices[1]", ErrorCode::wrong_type},
      {R"({"type": "hull", "vertices": [[0, 0, 0], [1, @"x", 0], [0, 1, 0], [0, 0, 1]]})",
       at + ".vertices[1][1]", ErrorCode::wrong_type},
      {R"({"type": "hull", "vertices": @[[0, 0, 0], [1, 0, 0], [0, 1, 0]]})", at + ".vertices",
       ErrorCode::wrong_size},
      {R"({"type": "hull", "vertices": @[[0, 0, 0], [1, 0, 0], [0, 1, 0], [3, 3, 0]]})",
       at + ".vertices", ErrorCode::degenerate},
      {R"({"type": "hull", "vertices": @[[0, 0, 0], [1, 1, 0], [2, 2, 0], [3, 3, 0]]})",
       at + ".vertices", ErrorCode::degenerate},
      {R"({"type": "hull", "vertices": @[[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]})",
       at + ".vertices", ErrorCode::degenerate},
      {R"({"type": "hull", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], @[0, 0, 1e31]]})",
       at + ".vertices[3]", ErrorCode::out_of_range},
      {R"({"type": "hull", "A": )" + slab + R"(, "b": @[1, 1, 1, 1, 1]})", at + ".b",
       ErrorCode::wrong_size},
      {R"({"type": "hull", "A": )" + slab + R"(, "b": @[1, 1, 1, 1, 1, -3]})", at + ".b",
       ErrorCode::no_interior},
      {R"({"type": "hull", "A": )" + slab + R"(, "b": @[1, 1, 1, 1, 1, -1]})", at + ".b",
       ErrorCode::no_interior},
      {R"({"type": "hull", "A": @[[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0]], "b": [1, 1, 1, 1]})",
       at + ".A", ErrorCode::unbounded},
      {R"({"type": "hull", "A": [[1, 0, 0], @[0, 0, 0]], "b": [1, 1]})", at + ".A[1]",
       ErrorCode::zero_vector},
      {R"({"type": "hull", "A": [[1, 0, 0], [0, 1, 0]], "b": [1, @1e31]})", at + ".b[1]",
       ErrorCode::out_of_range},
      {R"({"type": "hull", "A": [[1, 0, 0]], "b": @1})", at + ".b", ErrorCode::wrong_type},
      {R"({"type": "hull", "file": @7})", at + ".file", ErrorCode::wrong_type},
      {R"({"type": "hull", "vertices": [], "convex_hull": @true})", at + ".convex_hull",
       ErrorCode::incomplete},
      {R"({"type": "hull", @"vertex": [], "vertices": []})", at + ".vertex",
       ErrorCode::unknown_key},
      {R"(@{"type": "polygon"})", at, ErrorCode::missing_key},
      {R"({"type": "polygon", "vertices": [@[0, 0, 0], [1, 0], [0, 1]]})", at + ".vertices[0]",
       ErrorCode::wrong_type},
      {R"({"type": "polygon", "vertices": @[[0, 0], [1, 0]]})", at + ".vertices",
       ErrorCode::wrong_size},
      {R"({"type": "polygon", "vertices": [[0, 0], [2, 0], [2, 2], @[1, 0.5], [0, 2]]})",
       at + ".vertices[3]", ErrorCode::not_convex},
      {R"({"type": "polygon", "vertices": @[[0, 0], [1, 1], [2, 2]]})", at + ".vertices",
       ErrorCode::degenerate},
      {R"({"type": "polygon", "vertices": [[0, 0], [1, 0], @[1, 0], [0, 1]]})", at + ".vertices[2]",
       ErrorCode::degenerate},
      {R"(@{"type": "polygon", "vertices": [[0, 0], [1, 0], [0, 1]]})", at,
       ErrorCode::wrong_dimension},
  };
  for (const Fault& fault : faults) {
    std::string text = with_shape(fault.shape);
    if (fault.code != ErrorCode::wrong_dimension &&
        fault.shape.find("polygon") != std::string::npos)
      text.replace(text.find("\"shapes\""), 0, "\"dof\": \"x y rz\", ");
    const std::size_t mark = text.find('@');
    text.erase(mark, 1);
    const std::size_t line_start = text.rfind('\n', mark) + 1;
    const Result<Scene> scene = parse_scene(text, "file.json", {});
    ASSERT_FALSE(scene.has_value()) << fault.shape;
    const auto found =
        std::find_if(scene.error().begin(), scene.error().end(),
                     [&](const Error& e) { return e.path == fault.path && e.code == fault.code; });
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
  EXPECT_EQ(e.code, ErrorCode::wrong_size);
  e = fault("v 0 0 0\nv 1 \\\n 0 0\nv 1 2 three\n");
  EXPECT_EQ(e.line, 4);
  EXPECT_EQ(e.code, ErrorCode::syntax);
  EXPECT_EQ(e.got, "\"three\"");
  EXPECT_EQ(fault("v 0 0 0\nv 1 nan 0\n").line, 2);
  EXPECT_EQ(fault("# no vertices\n").code, ErrorCode::empty);
  e = fault("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n");
  EXPECT_EQ(e.code, ErrorCode::out_of_range);
  EXPECT_EQ(e.line, 4);
  EXPECT_EQ(e.got, "\"4\"");
  EXPECT_EQ(fault("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n").code, ErrorCode::wrong_size);
  EXPECT_EQ(fault("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n").code, ErrorCode::syntax);
  // What the points lack is told where the scene names the file.
  e = fault("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n");
  EXPECT_EQ(e.file, folder / "scene.json");
  EXPECT_EQ(e.line, 2);
  EXPECT_EQ(e.path, "bodies[0].shapes[0].file");
  EXPECT_EQ(e.code, ErrorCode::degenerate);

  const auto missing = [&](const std::string& name) {
    const auto scene = parse_scene(with_shape(R"({"type": "hull", "file": ")" + name + "\"}"),
                                   folder / "scene.json", {});
    EXPECT_FALSE(scene.has_value());
    return scene ? Error{} : scene.error()[0];
  };
  EXPECT_EQ(missing("none.obj").code, ErrorCode::not_found);
  EXPECT_EQ(missing("none.obj").file, folder / "none.obj");
  EXPECT_EQ(missing("shapes").code, ErrorCode::not_a_file);
  EXPECT_EQ(missing("").code, ErrorCode::not_a_file);
}

}  // namespace
}  // namespace cairn::test_hull_scene
