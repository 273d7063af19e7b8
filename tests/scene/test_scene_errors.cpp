// Bad scenes: each fault is reported with its line, its column, its path, its code and the names
// and values that help.
#include <algorithm>
#include <gtest/gtest.h>

#include "cairn/scene.hpp"

namespace cairn::test_scene_errors {
namespace {

// The fault is at the mark, which is taken out before reading.
constexpr char mark = '@';

struct Fault {
  std::string text;  // with the mark
  std::string path;
  ErrorCode code;
  std::string datum = "";  // a name or a value that the message shows
};

struct Marked {
  std::string text;
  int line = 1, column = 1;
};

Marked without_mark(const std::string& text) {
  Marked result;
  const std::size_t at = text.find(mark);
  result.text = text.substr(0, at) + text.substr(at + 1);
  const std::string before = text.substr(0, at);
  result.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n');
  result.column =
      1 + static_cast<int>(before.size() - (line_start == std::string::npos ? 0 : line_start + 1));
  return result;
}

std::string scene(const std::string& more) {
  return "{\n  \"cairn\": 1,\n  " + more + "\n}";
}

std::string body(const std::string& more) {
  return scene(
      "\"bodies\": [\n    {\"name\": \"a\", \"mass\": 1, \"shapes\": [{\"type\": \"sphere\", "
      "\"radius\": 1}]},\n    {\"name\": \"b\", " +
      more + "}]");
}

std::string with_bodies(const std::string& more) {
  return scene(
      R"("bodies": [{"name": "a", "mass": 1, "dof": "x y z"}, {"name": "b", "mass": 1, "dof": "x y z", "position": [0, 0, 1]}, {"name": "wall", "fixed": true}],)" +
      ("\n  " + more));
}

std::string simulation(const std::string& more) {
  return scene("\"simulation\": {" + more + "}");
}

std::vector<Fault> faults() {
  return {
      // The scene as a whole.
      {"@[]", "", ErrorCode::wrong_type},
      {"@{}", "", ErrorCode::missing_key, "\"cairn\""},
      {"{\"cairn\": @2}", "cairn", ErrorCode::out_of_range},
      {"{\"cairn\": @\"1\"}", "cairn", ErrorCode::wrong_type},
      {scene("@\"gravty\": [0, 0, 0]"), "gravty", ErrorCode::unknown_key, "'gravity'"},
      {scene("\"gravity\": @[0, 0]"), "gravity", ErrorCode::wrong_type, "array of 2"},
      {scene("\"gravity\": [0, @\"x\", 0]"), "gravity[1]", ErrorCode::wrong_type, "\"x\""},
      {scene("\"name\": @3"), "name", ErrorCode::wrong_type, "got 3"},
      {scene("\"bodies\": @{}"), "bodies", ErrorCode::wrong_type},
      {scene("\"bodies\": [@3]"), "bodies[0]", ErrorCode::wrong_type},
      // Materials.
      {scene("\"materials\": @[]"), "materials", ErrorCode::wrong_type},
      {scene("\"materials\": {\"m\": {@\"frictoin\": 1}}"), "materials.m.frictoin",
       ErrorCode::unknown_key, "'friction'"},
      {scene("\"materials\": {\"m\": {\"friction\": @-1}}"), "materials.m.friction",
       ErrorCode::out_of_range},
      {scene("\"materials\": {\"m\": {\"friction\": @1e300}}"), "materials.m.friction",
       ErrorCode::out_of_range, "1e+300"},
      {scene("\"materials\": {\"m.n\": {\"restitution\": @2}}"), "materials.m.n.restitution",
       ErrorCode::out_of_range, "0 to 1"},
      {scene("\"materials\": {\"m|default\": {}, \"m|x\": @{}, \"m\": {}}"), "materials.m|x",
       ErrorCode::unknown_name, "\"x\""},
      // Bodies.
      {scene("\"bodies\": [@{\"mass\": 1}]"), "bodies[0]", ErrorCode::missing_key, "\"name\""},
      {body("\"mass\": @-1, \"dof\": \"x\""), "bodies[1].mass", ErrorCode::out_of_range, "-1 kg"},
      {body("\"mass\": @0, \"dof\": \"x\""), "bodies[1].mass", ErrorCode::out_of_range,
       "1e-30 to 1e+30 kg"},
      {body("\"mass\": @null"), "bodies[1].mass", ErrorCode::wrong_type, "null"},
      {body("\"mass\": @\"5\""), "bodies[1].mass", ErrorCode::wrong_type, "\"5\""},
      {body("\"mass\": @1e300, \"dof\": \"x\""), "bodies[1].mass", ErrorCode::out_of_range,
       "1e-30 to 1e+30 kg"},
      {body("\"mass\": 1, @\"colour\": 3"), "bodies[1].colour", ErrorCode::unknown_key},
      {body("\"fixed\": @1"), "bodies[1].fixed", ErrorCode::wrong_type},
      {body("\"fixed\": true, \"mass\": @1"), "bodies[1].mass", ErrorCode::conflict},
      {body("\"mass\": 1, \"dof\": @\"x q\""), "bodies[1].dof", ErrorCode::unknown_choice, "\"q\""},
      {body("\"mass\": 1, \"dof\": \"x\", \"orientation\": @[0, 0, 0, 0]"), "bodies[1].orientation",
       ErrorCode::not_normalised},
      {body("\"mass\": 1, \"dof\": \"x\", \"orientation\": @[1, 0, 0]"), "bodies[1].orientation",
       ErrorCode::wrong_type},
      {body("\"mass\": 1, \"dof\": \"x\", \"orientation\": {\"axis\": @[0, 0, 0], \"angle\": 1}"),
       "bodies[1].orientation.axis", ErrorCode::zero_vector},
      {body("\"mass\": 1, \"dof\": \"x\", \"orientation\": @{\"axis\": [0, 0, 1]}"),
       "bodies[1].orientation", ErrorCode::conflict},
      {body("\"mass\": 1, \"inertia\": @[1, 1, 5]"), "bodies[1].inertia",
       ErrorCode::invalid_inertia, "[1, 1, 5]"},
      {body("\"mass\": 1, \"inertia\": @[1, 1]"), "bodies[1].inertia", ErrorCode::wrong_type},
      {body("\"mass\": 1, \"inertia\": [[1, 0, 0], @[0, 1], [0, 0, 1]]"), "bodies[1].inertia[1]",
       ErrorCode::wrong_type},
      {body("\"mass\": 1, \"dof\": \"x y\", \"velocity\": @[0, 0, 3]"), "bodies[1].velocity",
       ErrorCode::locked_direction},
      {body("\"mass\": 1, \"shapes\": [{\"type\": @\"shpere\"}]"), "bodies[1].shapes[0].type",
       ErrorCode::unknown_choice, "'sphere'"},
      {body("\"mass\": 1, \"shapes\": [@{\"radius\": 1}]"), "bodies[1].shapes[0]",
       ErrorCode::missing_key, "\"type\""},
      {body("\"mass\": 1, \"shapes\": [@{\"type\": \"sphere\"}]"), "bodies[1].shapes[0]",
       ErrorCode::missing_key, "\"radius\""},
      {body("\"mass\": 1, \"shapes\": [{\"type\": \"sphere\", \"radius\": @-2}]"),
       "bodies[1].shapes[0].radius", ErrorCode::out_of_range},
      {body("\"mass\": 1, \"shapes\": [{\"type\": \"box\", \"size\": [1, @0, 1]}]"),
       "bodies[1].shapes[0].size[1]", ErrorCode::out_of_range},
      {body("\"mass\": 1, \"shapes\": [{\"type\": \"sphere\", \"radius\": 1, @\"size\": [1, 1, "
            "1]}]"),
       "bodies[1].shapes[0].size", ErrorCode::unknown_key},
      {body("\"mass\": 1, \"shapes\": [@{\"type\": \"halfspace\"}]"), "bodies[1].shapes[0]",
       ErrorCode::conflict, "halfspace"},
      {body("\"mass\": 1, \"shapes\": [@{\"type\": \"disc\", \"radius\": 1}]"),
       "bodies[1].shapes[0]", ErrorCode::wrong_dimension, "x y rz"},
      {body("\"mass\": 1, \"shapes\": [{\"type\": \"sphere\", \"radius\": 1, \"material\": "
            "@\"wood\"}]"),
       "bodies[1].shapes[0].material", ErrorCode::unknown_name, "\"wood\""},
      {body("\"motion\": {\"position\": [0, @\"3*sine(t)\", 0]}"), "bodies[1].motion.position[1]",
       ErrorCode::unknown_name, "'sin'"},
      {body("\"motion\": {\"position\": [0, @\"1/t\", 0]}"), "bodies[1].motion.position[1]",
       ErrorCode::not_finite},
      {body("\"motion\": {\"angle\": @true}"), "bodies[1].motion.angle", ErrorCode::wrong_type},
      // The missing value has no place of its own: its body has.
      {scene(
           "\"bodies\": [@{\"name\": \"b\", \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]}]"),
       "bodies[0]", ErrorCode::incomplete, "\"mass\""},
      {scene("\"bodies\": [{\"name\": @\"world\", \"fixed\": true}]"), "bodies[0].name",
       ErrorCode::invalid_name, "\"world\""},
      // Joints and forces.
      {with_bodies("\"joints\": [{\"type\": @\"hinge\", \"bodies\": [\"a\", \"b\"]}]"),
       "joints[0].type", ErrorCode::unknown_choice, "distance"},
      {with_bodies("\"joints\": [{\"type\": \"distance\", \"bodies\": [\"a\", @\"wal\"]}]"),
       "joints[0].bodies[1]", ErrorCode::unknown_name, "'wall'"},
      {with_bodies("\"joints\": [{\"type\": \"distance\", \"bodies\": @[\"a\"]}]"),
       "joints[0].bodies", ErrorCode::wrong_type},
      {with_bodies("\"joints\": [{\"type\": \"distance\", \"bodies\": @[\"world\", \"wall\"]}]"),
       "joints[0].bodies", ErrorCode::conflict},
      {with_bodies(
           "\"joints\": [{\"type\": \"distance\", \"bodies\": [\"a\", \"b\"], \"length\": @-1}]"),
       "joints[0].length", ErrorCode::out_of_range},
      {with_bodies("\"joints\": [@{\"type\": \"distance\", \"bodies\": [\"world\", \"a\"]}]"),
       "joints[0].anchors", ErrorCode::degenerate},
      {with_bodies("\"forces\": [@{\"type\": \"spring\", \"bodies\": [\"a\", \"b\"]}]"),
       "forces[0]", ErrorCode::missing_key, "\"stiffness\""},
      {with_bodies(
           "\"forces\": [{\"type\": \"damper\", \"bodies\": [\"a\", \"b\"], \"damping\": @-1}]"),
       "forces[0].damping", ErrorCode::out_of_range},
      {with_bodies("\"forces\": [{\"type\": \"force\", \"body\": @\"c\", \"value\": [0, 0, 0]}]"),
       "forces[0].body", ErrorCode::unknown_name},
      {with_bodies(
           "\"forces\": [{\"type\": \"force\", \"body\": \"a\", \"value\": [0, @\"log(t)\", 0]}]"),
       "forces[0].value[1]", ErrorCode::not_finite},
      {with_bodies(
           "\"forces\": [{\"type\": \"torque\", \"body\": \"a\", \"value\": [0, @\"2*(t\", 0]}]"),
       "forces[0].value[1]", ErrorCode::syntax, "2*(t"},
      {with_bodies("\"no_contact\": [[\"a\", @\"q\"]]"), "no_contact[0][1]",
       ErrorCode::unknown_name},
      // Generators.
      {scene("\"generate\": [{\"type\": @\"heap\"}]"), "generate[0].type",
       ErrorCode::unknown_choice, "row, chain, triangle, lattice"},
      {scene("\"generate\": [{\"type\": \"row\", \"name\": \"x\", \"count\": @0, \"spacing\": 1, "
             "\"of\": {\"fixed\": true}}]"),
       "generate[0].count", ErrorCode::out_of_range},
      {scene("\"generate\": [{\"type\": \"row\", \"name\": \"x\", \"count\": @1.5, \"spacing\": 1, "
             "\"of\": {\"fixed\": true}}]"),
       "generate[0].count", ErrorCode::wrong_type},
      {scene("\"generate\": [{\"type\": \"row\", \"name\": \"x\", \"count\": 3, \"spacing\": 1, "
             "\"of\": {\"mass\": @-1, \"dof\": \"x\"}}]"),
       "generate[0].of.mass", ErrorCode::out_of_range},
      {scene("\"generate\": [{\"type\": \"row\", \"name\": \"x\", \"count\": 3, \"spacing\": 1, "
             "\"of\": {@\"position\": [0, 0, 0]}}]"),
       "generate[0].of.position", ErrorCode::unknown_key},
      {scene("\"generate\": [{\"type\": \"row\", \"name\": \"x\", \"count\": 3, \"spacing\": 1, "
             "\"direction\": @[0, 0, 0], \"of\": {\"fixed\": true}}]"),
       "generate[0].direction", ErrorCode::zero_vector},
      // Simulation and expectations.
      {simulation("\"step\": @0"), "simulation.step", ErrorCode::out_of_range, "1e-12 to 1000"},
      {simulation("\"step\": @1e-12"), "simulation.step", ErrorCode::out_of_range},
      {simulation("\"duration\": @-1"), "simulation.duration", ErrorCode::out_of_range},
      {simulation("\"solver\": {\"type\": @\"nsg\"}"), "simulation.solver.type",
       ErrorCode::unknown_choice, "'nsgs'"},
      {simulation("\"solver\": @\"magic\""), "simulation.solver", ErrorCode::unknown_choice,
       "auto, nsgs, newton, lemke, admm, ipm, apgd, bb"},
      {simulation("\"solver\": @3"), "simulation.solver", ErrorCode::wrong_type},
      {simulation("\"solver\": {\"tolerance\": @0}"), "simulation.solver.tolerance",
       ErrorCode::out_of_range, "0 to 1"},
      {simulation("\"solver\": {\"type\": \"newton\", @\"max_sweeps\": 3}"),
       "simulation.solver.max_sweeps", ErrorCode::unknown_key},
      {simulation("\"solver\": {\"max_sweeps\": @2.5}"), "simulation.solver.max_sweeps",
       ErrorCode::wrong_type},
      {simulation("\"solver\": {\"type\": \"nsgs\", \"accelerate\": @1}"),
       "simulation.solver.accelerate", ErrorCode::wrong_type},
      {simulation("\"scheme\": {@\"gama\": 1}"), "simulation.scheme.gama", ErrorCode::unknown_key,
       "'gamma'"},
      {simulation("\"scheme\": {\"restitution\": @\"later\"}"), "simulation.scheme.restitution",
       ErrorCode::unknown_choice, "completed, delayed, delayed_uncorrected"},
      {scene("\"materials\": {\"default\": {\"restitution_law\": @\"strong\"}}"),
       "materials.default.restitution_law", ErrorCode::unknown_choice, "'stronge'"},
      {scene("\"materials\": {\"default\": {\"restitution_law\": @2}}"),
       "materials.default.restitution_law", ErrorCode::wrong_type},
      {scene("\"expect\": @{}"), "expect", ErrorCode::wrong_type},
      {scene("\"expect\": [@{\"quantity\": \"penetration.max\"}]"), "expect[0]",
       ErrorCode::incomplete},
      {scene("\"expect\": [{\"quantity\": \"x\", \"at_most\": @\"1\"}]"), "expect[0].at_most",
       ErrorCode::wrong_type},
      {scene("\"expect\": [{\"quantity\": \"x\", \"at_most\": 1, \"tolerance\": @1}]"),
       "expect[0].tolerance", ErrorCode::incomplete, "\"equals\""},
      {scene("\"expect\": [@{\"quantity\": \"x\", \"at_most\": 1, \"at_least\": 2}]"), "expect[0]",
       ErrorCode::conflict},
  };
}

TEST(SceneErrors, EveryFaultHasItsPlace) {
  for (const Fault& fault : faults()) {
    const Marked marked = without_mark(fault.text);
    const Result<Scene> result = parse_scene(marked.text, "bad.json");
    ASSERT_FALSE(result.has_value()) << marked.text;
    const Error& error = result.error()[0];
    EXPECT_EQ(result.error().size(), 1u) << result.error().back().text();
    EXPECT_EQ(error.path, fault.path) << error.text();
    EXPECT_EQ(error.code, fault.code) << error.text();
    EXPECT_NE(error.text().find(fault.datum), std::string::npos) << error.text();
    EXPECT_EQ(error.line, marked.line) << marked.text << "\n" << error.text();
    EXPECT_EQ(error.column, marked.column) << marked.text << "\n" << error.text();
    EXPECT_EQ(error.kind, ErrorKind::input);
    EXPECT_TRUE(error.text().starts_with("error: bad.json:" + std::to_string(marked.line) + ":"))
        << error.text();
  }
}

// Both lines are told, of bodies in the list and of generated ones.
TEST(SceneErrors, BothBodiesWithOneNameAreTold) {
  const Result<Scene> result = parse_scene(
      "{\"cairn\": 1, \"bodies\": [\n{\"name\": \"a\", \"fixed\": true},\n"
      "{\"name\": \"a\", \"fixed\": true}]}",
      "bad.json");
  ASSERT_FALSE(result.has_value());
  ASSERT_EQ(result.error().size(), 2u);
  EXPECT_EQ(result.error()[0].path, "bodies[0].name");
  EXPECT_EQ(result.error()[0].line, 2);
  EXPECT_EQ(result.error()[1].path, "bodies[1].name");
  EXPECT_EQ(result.error()[1].line, 3);
  const Result<Scene> generated = parse_scene(
      "{\"cairn\": 1, \"bodies\": [{\"name\": \"x2\", \"fixed\": true}],\n"
      "\"generate\": [{\"type\": \"row\", \"name\": \"x\", \"count\": 3, \"spacing\": 1, "
      "\"of\": {\"fixed\": true}}]}",
      "bad.json");
  ASSERT_FALSE(generated.has_value());
  ASSERT_EQ(generated.error().size(), 2u);
  EXPECT_EQ(generated.error()[0].path, "bodies[0].name");
  EXPECT_EQ(generated.error()[1].path, "generate[0].name");
}

// Faults of the reader and of the builder are told together, in the order of the file, without
// faults that only follow.
TEST(SceneErrors, AllFaultsAtOnceWithoutConsequences) {
  const Result<Scene> result = parse_scene(R"({
    "cairn": 1,
    "bodies": [{"name": "a", "mass": -1, "dof": "x y z"},
               {"name": "b", "mass": "heavy"}],
    "joints": [{"type": "distance", "bodies": ["a", "b"]}],
    "simulation": {"step": 0}
  })",
                                           "f");
  ASSERT_FALSE(result.has_value());
  std::vector<std::string> paths;
  for (const Error& e : result.error()) paths.push_back(e.path);
  EXPECT_EQ(paths,
            (std::vector<std::string>{"bodies[0].mass", "bodies[1].mass", "simulation.step"}));
}

TEST(SceneErrors, NeverMoreThanTwenty) {
  std::string bodies;
  for (int i = 0; i < 50; ++i) bodies += (i ? ", " : "") + std::string("{\"nam\": 1}");
  const Result<Scene> result = parse_scene(scene("\"bodies\": [" + bodies + "]"), "f");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().size(), 20u);
}

}  // namespace
}  // namespace cairn::test_scene_errors
