// Bad scenes: each fault is reported with its line, its column, its path and words that help.
#include <algorithm>
#include <gtest/gtest.h>

#include "cairn/scene.hpp"

namespace cairn {
namespace {

// The fault is at the mark, which is taken out before reading.
constexpr char mark = '@';

struct Fault {
  std::string text;  // with the mark
  std::string path, key;
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
      {"@[]", "", "expected a scene"},
      {"@{}", "", "\"cairn\" is missing"},
      {"{\"cairn\": @2}", "cairn", "out of range"},
      {"{\"cairn\": @\"1\"}", "cairn", "expected a number"},
      {scene("@\"gravty\": [0, 0, 0]"), "gravty", "did you mean 'gravity'?"},
      {scene("\"gravity\": @[0, 0]"), "gravity", "array of 3 numbers, got an array of 2"},
      {scene("\"gravity\": [0, @\"x\", 0]"), "gravity[1]", "expected a number, got \"x\""},
      {scene("\"name\": @3"), "name", "expected a string, got 3"},
      {scene("\"bodies\": @{}"), "bodies", "expected an array"},
      {scene("\"bodies\": [@3]"), "bodies[0]", "expected an object"},
      // Materials.
      {scene("\"materials\": @[]"), "materials", "expected an object"},
      {scene("\"materials\": {\"m\": {@\"frictoin\": 1}}"), "materials.m.frictoin",
       "did you mean 'friction'?"},
      {scene("\"materials\": {\"m\": {\"friction\": @-1}}"), "materials.m.friction",
       "must not be negative"},
      {scene("\"materials\": {\"m\": {\"friction\": @1e300}}"), "materials.m.friction",
       "out of range, got 1e+300"},
      {scene("\"materials\": {\"m.n\": {\"restitution\": @2}}"), "materials.m.n.restitution",
       "allowed 0 to 1"},
      {scene("\"materials\": {\"m|default\": {}, \"m|x\": @{}, \"m\": {}}"), "materials.m|x",
       "not declared"},
      // Bodies.
      {scene("\"bodies\": [@{\"mass\": 1}]"), "bodies[0]", "\"name\" is missing"},
      {body("\"mass\": @-1, \"dof\": \"x\""), "bodies[1].mass",
       "must be positive and finite, got -1 kg"},
      {body("\"mass\": @0, \"dof\": \"x\""), "bodies[1].mass", "allowed 1e-30 to 1e+30 kg"},
      {body("\"mass\": @null"), "bodies[1].mass", "expected a number, got null"},
      {body("\"mass\": @\"5\""), "bodies[1].mass", "got \"5\"; fix: write it without quotes"},
      {body("\"mass\": @1e300, \"dof\": \"x\""), "bodies[1].mass",
       "out of range, got 1e+300 kg; allowed 1e-30 to 1e+30 kg; fix: check the unit"},
      {body("\"mass\": 1, @\"colour\": 3"), "bodies[1].colour", "unknown key"},
      {body("\"fixed\": @1"), "bodies[1].fixed", "expected true or false"},
      {body("\"fixed\": true, \"mass\": @1"), "bodies[1].mass", "a fixed body takes no mass"},
      {body("\"mass\": 1, \"dof\": @\"x q\""), "bodies[1].dof", "unknown direction"},
      {body("\"mass\": 1, \"dof\": \"x\", \"orientation\": @[0, 0, 0, 0]"), "bodies[1].orientation",
       "norm zero"},
      {body("\"mass\": 1, \"dof\": \"x\", \"orientation\": @[1, 0, 0]"), "bodies[1].orientation",
       "quaternion [w, x, y, z]"},
      {body("\"mass\": 1, \"dof\": \"x\", \"orientation\": {\"axis\": @[0, 0, 0], \"angle\": 1}"),
       "bodies[1].orientation.axis", "not a direction"},
      {body("\"mass\": 1, \"dof\": \"x\", \"orientation\": @{\"axis\": [0, 0, 1]}"),
       "bodies[1].orientation", "needs one angle"},
      {body("\"mass\": 1, \"inertia\": @[1, 1, 5]"), "bodies[1].inertia",
       "principal moments [1, 1, 5]"},
      {body("\"mass\": 1, \"inertia\": @[1, 1]"), "bodies[1].inertia", "3 x 3 matrix"},
      {body("\"mass\": 1, \"inertia\": [[1, 0, 0], @[0, 1], [0, 0, 1]]"), "bodies[1].inertia[1]",
       "array of 3 numbers"},
      {body("\"mass\": 1, \"dof\": \"x y\", \"velocity\": @[0, 0, 3]"), "bodies[1].velocity",
       "locked direction"},
      {body("\"mass\": 1, \"shapes\": [{\"type\": @\"shpere\"}]"), "bodies[1].shapes[0].type",
       "did you mean 'sphere'?"},
      {body("\"mass\": 1, \"shapes\": [@{\"radius\": 1}]"), "bodies[1].shapes[0]",
       "\"type\" is missing"},
      {body("\"mass\": 1, \"shapes\": [@{\"type\": \"sphere\"}]"), "bodies[1].shapes[0]",
       "\"radius\" is missing"},
      {body("\"mass\": 1, \"shapes\": [{\"type\": \"sphere\", \"radius\": @-2}]"),
       "bodies[1].shapes[0].radius", "must be positive"},
      {body("\"mass\": 1, \"shapes\": [{\"type\": \"box\", \"size\": [1, @0, 1]}]"),
       "bodies[1].shapes[0].size[1]", "must be positive"},
      {body("\"mass\": 1, \"shapes\": [{\"type\": \"sphere\", \"radius\": 1, @\"size\": [1, 1, "
            "1]}]"),
       "bodies[1].shapes[0].size", "unknown key"},
      {body("\"mass\": 1, \"shapes\": [@{\"type\": \"halfspace\"}]"), "bodies[1].shapes[0]",
       "halfspace"},
      {body("\"mass\": 1, \"shapes\": [@{\"type\": \"disc\", \"radius\": 1}]"),
       "bodies[1].shapes[0]", "x y rz"},
      {body("\"mass\": 1, \"shapes\": [{\"type\": \"sphere\", \"radius\": 1, \"material\": "
            "@\"wood\"}]"),
       "bodies[1].shapes[0].material", "unknown material"},
      {body("\"motion\": {\"position\": [0, @\"3*sine(t)\", 0]}"), "bodies[1].motion.position[1]",
       "did you mean 'sin'?"},
      {body("\"motion\": {\"position\": [0, @\"1/t\", 0]}"), "bodies[1].motion.position[1]",
       "finite at t = 0"},
      {body("\"motion\": {\"angle\": @true}"), "bodies[1].motion.angle", "expression"},
      // The missing value has no place of its own: its body has.
      {scene(
           "\"bodies\": [@{\"name\": \"b\", \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]}]"),
       "bodies[0]", "give \"mass\" or \"density\""},
      {scene("\"bodies\": [{\"name\": @\"world\", \"fixed\": true}]"), "bodies[0].name",
       "fixed frame"},
      // Joints and forces.
      {with_bodies("\"joints\": [{\"type\": @\"hinge\", \"bodies\": [\"a\", \"b\"]}]"),
       "joints[0].type", "allowed distance"},
      {with_bodies("\"joints\": [{\"type\": \"distance\", \"bodies\": [\"a\", @\"wal\"]}]"),
       "joints[0].bodies[1]", "did you mean 'wall'?"},
      {with_bodies("\"joints\": [{\"type\": \"distance\", \"bodies\": @[\"a\"]}]"),
       "joints[0].bodies", "array of 2 names"},
      {with_bodies("\"joints\": [{\"type\": \"distance\", \"bodies\": @[\"world\", \"wall\"]}]"),
       "joints[0].bodies", "cannot move"},
      {with_bodies(
           "\"joints\": [{\"type\": \"distance\", \"bodies\": [\"a\", \"b\"], \"length\": @-1}]"),
       "joints[0].length", "out of range"},
      {with_bodies("\"joints\": [@{\"type\": \"distance\", \"bodies\": [\"world\", \"a\"]}]"),
       "joints[0].anchors", "coincide"},
      {with_bodies("\"forces\": [@{\"type\": \"spring\", \"bodies\": [\"a\", \"b\"]}]"),
       "forces[0]", "\"stiffness\" is missing"},
      {with_bodies(
           "\"forces\": [{\"type\": \"damper\", \"bodies\": [\"a\", \"b\"], \"damping\": @-1}]"),
       "forces[0].damping", "negative"},
      {with_bodies("\"forces\": [{\"type\": \"force\", \"body\": @\"c\", \"value\": [0, 0, 0]}]"),
       "forces[0].body", "unknown body"},
      {with_bodies(
           "\"forces\": [{\"type\": \"force\", \"body\": \"a\", \"value\": [0, @\"log(t)\", 0]}]"),
       "forces[0].value[1]", "finite at t = 0"},
      {with_bodies(
           "\"forces\": [{\"type\": \"torque\", \"body\": \"a\", \"value\": [0, @\"2*(t\", 0]}]"),
       "forces[0].value[1]", "column 5 of the expression"},
      {with_bodies("\"no_contact\": [[\"a\", @\"q\"]]"), "no_contact[0][1]", "unknown body"},
      // Generators.
      {scene("\"generate\": [{\"type\": @\"heap\"}]"), "generate[0].type",
       "row, chain, triangle, lattice"},
      {scene("\"generate\": [{\"type\": \"row\", \"name\": \"x\", \"count\": @0, \"spacing\": 1, "
             "\"of\": {\"fixed\": true}}]"),
       "generate[0].count", "1 to 1000000"},
      {scene("\"generate\": [{\"type\": \"row\", \"name\": \"x\", \"count\": @1.5, \"spacing\": 1, "
             "\"of\": {\"fixed\": true}}]"),
       "generate[0].count", "whole number"},
      {scene("\"generate\": [{\"type\": \"row\", \"name\": \"x\", \"count\": 3, \"spacing\": 1, "
             "\"of\": {\"mass\": @-1, \"dof\": \"x\"}}]"),
       "generate[0].of.mass", "must be positive"},
      {scene("\"generate\": [{\"type\": \"row\", \"name\": \"x\", \"count\": 3, \"spacing\": 1, "
             "\"of\": {@\"position\": [0, 0, 0]}}]"),
       "generate[0].of.position", "unknown key"},
      {scene("\"generate\": [@{\"type\": \"lattice\", \"name\": \"x\", \"count\": [1000, 1000, "
             "1000], \"spacing\": 1, \"of\": {\"fixed\": true}}]"),
       "generate[0]", "too many bodies"},
      {scene("\"generate\": [{\"type\": \"row\", \"name\": \"x\", \"count\": 3, \"spacing\": 1, "
             "\"direction\": @[0, 0, 0], \"of\": {\"fixed\": true}}]"),
       "generate[0].direction", "not a direction"},
      // Simulation and expectations.
      {simulation("\"step\": @0"), "simulation.step", "above 1e-12 to 1000"},
      {simulation("\"step\": @1e-12"), "simulation.step", "out of range"},
      {simulation("\"step\": 1e-9, \"duration\": @10"), "simulation.duration", "too many steps"},
      {simulation("\"duration\": @-1"), "simulation.duration", "at least 0"},
      {simulation("\"solver\": {\"type\": @\"nsg\"}"), "simulation.solver.type",
       "did you mean 'nsgs'?"},
      {simulation("\"solver\": @\"magic\""), "simulation.solver",
       "auto, nsgs, newton, lemke, admm, ipm, apgd, bb"},
      {simulation("\"solver\": @3"), "simulation.solver", "an object or a name"},
      {simulation("\"solver\": {\"tolerance\": @0}"), "simulation.solver.tolerance",
       "above 0 to 1"},
      {simulation("\"solver\": {\"type\": \"newton\", @\"max_sweeps\": 3}"),
       "simulation.solver.max_sweeps", "unknown key"},
      {simulation("\"solver\": {\"max_sweeps\": @2.5}"), "simulation.solver.max_sweeps",
       "whole number"},
      {simulation("\"solver\": {\"type\": \"nsgs\", \"accelerate\": @1}"),
       "simulation.solver.accelerate", "true or false"},
      {simulation("\"scheme\": {@\"gama\": 1}"), "simulation.scheme.gama", "did you mean 'gamma'?"},
      {simulation("\"scheme\": {\"restitution\": @\"later\"}"), "simulation.scheme.restitution",
       "completed, delayed, delayed_uncorrected"},
      {scene("\"materials\": {\"default\": {\"restitution_law\": @\"strong\"}}"),
       "materials.default.restitution_law", "did you mean 'stronge'?"},
      {scene("\"materials\": {\"default\": {\"restitution_law\": @2}}"),
       "materials.default.restitution_law", "expected"},
      {scene("\"expect\": @{}"), "expect", "expected an array"},
      {scene("\"expect\": [@{\"quantity\": \"penetration.max\"}]"), "expect[0]", "expects nothing"},
      {scene("\"expect\": [{\"quantity\": \"x\", \"at_most\": @\"1\"}]"), "expect[0].at_most",
       "expected a number"},
      {scene("\"expect\": [{\"quantity\": \"x\", \"at_most\": 1, \"tolerance\": @1}]"),
       "expect[0].tolerance", "belongs to \"equals\""},
      {scene("\"expect\": [@{\"quantity\": \"x\", \"at_most\": 1, \"at_least\": 2}]"), "expect[0]",
       "no value meets"},
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
    EXPECT_NE(error.text().find(fault.key), std::string::npos) << error.text();
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
}  // namespace cairn
