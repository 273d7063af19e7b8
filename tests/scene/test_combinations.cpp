// Every combination of shapes, laws of contact, schemes and solvers is refused when the scene is
// read, or runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"

namespace cairn::test_combinations {
namespace {

// Half as high as `height` along y, so that two of them can be stacked.
struct ShapeCase {
  const char* type;
  const char* rest;  // of the JSON object
  double height;     // above its origin [m]
  bool planar = false;
};
constexpr ShapeCase shape_cases[] = {
    {"point", "", 0},
    {"sphere", R"(, "radius": 0.5)", 0.5},
    {"box", R"(, "size": [1, 1, 1])", 0.5},
    {"capsule", R"(, "radius": 0.25, "length": 0.5)", 0.25},
    {"ellipsoid", R"(, "radii": [0.5, 0.25, 0.5])", 0.25},
    {"halfspace", R"(, "normal": [0, 1, 0])", 0},
    {"disc", R"(, "radius": 0.5)", 0.5, true},
    {"ellipse", R"(, "radii": [0.5, 0.25])", 0.25, true},
    {"hull",
     R"(, "vertices": [[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5], [-0.5, 0.5, -0.5], [0.5, 0.5, -0.5], [-0.5, -0.5, 0.5],
                              [0.5, -0.5, 0.5], [-0.5, 0.5, 0.5], [0.5, 0.5, 0.5]])",
     0.5},
    {"polygon", R"(, "vertices": [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])", 0.5, true},
};

constexpr const char* law_cases[] = {
    R"("friction": 0)",
    R"("friction": 0.5)",
    R"("friction": 0.5, "friction_across": 0.2)",
    R"("friction_polygon": [[0.5, 0], [0, 0.3], [-0.2, 0], [0, -0.4]])",
    R"("friction": 0.5, "rolling_friction": 0.01)",
    R"("friction": 0.5, "torsional_friction": 0.01)",
    R"("friction": 0.5, "restitution": 0.5)",
    R"("friction": 0.5, "restitution": 0.5, "restitution_law": "poisson")",
    R"("friction": 0.5, "restitution": 0.5, "restitution_law": "stronge")",
};

constexpr const char* scheme_cases[] = {
    R"({"type": "euler"})",
    R"({"type": "euler", "facets": 8})",
    R"({"type": "euler", "nonlinear": true, "restitution": "delayed"})",
    R"({"type": "relaxed"})",
    R"({"type": "relaxed", "facets": 8})",
    R"({"type": "trapezoidal"})",
    R"({"type": "trapezoidal", "facets": 8})",
    R"({"type": "hybrid"})",
    R"({"type": "hybrid", "facets": 8})",
    R"({"type": "penalty"})",
};

constexpr const char* solver_cases[] = {"auto", "nsgs", "newton", "lemke",
                                        "admm", "ipm",  "apgd",   "bb"};

// The second shape falls onto the first one, which is fixed, and slides.
std::string scene_text(const ShapeCase& below, const ShapeCase& above, bool in_plane,
                       const std::string& law, const std::string& scheme,
                       const std::string& solver) {
  const bool point = above.type == std::string("point");
  const char* dof = in_plane ? (point ? "x y" : "x y rz") : (point ? "x y z" : "x y z rx ry rz");
  return fmt::format(
      R"({{"cairn": 1, "gravity": [0, -9.81, 0], "materials": {{"default": {{{}}}}},
"bodies": [
  {{"name": "below", "fixed": true, "shapes": [{{"type": "{}"{}}}]}},
  {{"name": "above", "mass": 1, "dof": "{}", "position": [0.01, {}, 0], "velocity": [0.3, -1, {}],
   "shapes": [{{"type": "{}"{}}}]}}],
"simulation": {{"step": 0.01, "duration": 0.03, "scheme": {},
               "solver": "{}"}}}})",
      law, below.type, below.rest, dof, below.height + above.height + 0.005, in_plane ? 0 : 0.1,
      above.type, above.rest, scheme, solver);
}

// Reads a scene; if it is not refused takes three steps. Whether it was read.
bool read_and_run(const std::string& text) {
  const Result<Scene> scene = parse_scene(text, "scene.json", {});
  if (!scene) {
    EXPECT_FALSE(scene.error().empty());
    for (const Error& e : scene.error()) {
      EXPECT_NE(e.kind, ErrorKind::internal) << e.text() << "\n" << text;
      EXPECT_NE(e.code, ErrorCode::none) << e.text();
      EXPECT_GT(e.line, 0) << e.text();
      EXPECT_FALSE(e.path.empty() || e.got.empty() || e.fix.empty()) << e.text();
    }
    return false;
  }
  Simulator sim(scene->model, *scene->initial, scene->simulation.scheme, scene->simulation.solver,
                scene->simulation.verdict);
  for (int i = 0; i < 3; ++i) {
    const StepReport& report = sim.step(scene->simulation.step);
    EXPECT_NE(report.status, StepStatus::internal_error) << report.message << "\n" << text;
    EXPECT_NE(report.status, StepStatus::stopped) << report.message << "\n" << text;
  }
  return true;
}

bool is(const ShapeCase& s, const char* type) {
  return s.type == std::string(type);
}

// No contact function: a planar shape with a box, a hull or an ellipsoid.
bool missing(const ShapeCase& a, const ShapeCase& b) {
  const auto solid = [](const ShapeCase& s) {
    return is(s, "box") || is(s, "hull") || is(s, "ellipsoid");
  };
  return (a.planar && solid(b)) || (b.planar && solid(a));
}

TEST(Combinations, OfShapesAreRefusedOrRun) {
  for (const ShapeCase& below : shape_cases)
    for (const ShapeCase& above : shape_cases)
      for (const bool in_plane : {false, true}) {
        // A halfspace is fixed, a planar shape moves in its plane: other rules refuse these.
        if (is(above, "halfspace") || (above.planar && !in_plane)) continue;
        for (const char* scheme : scheme_cases) {
          const bool frictionless = std::string(scheme).find("penalty") != std::string::npos;
          for (const char* solver : {"auto", "lemke"}) {
            const std::string text =
                scene_text(below, above, in_plane, law_cases[frictionless ? 0 : 1], scheme, solver);
            const bool read = read_and_run(text);
            // With auto the pair of shapes alone decides.
            if (solver == std::string("auto")) {
              EXPECT_EQ(read, !missing(below, above)) << text;
            }
          }
        }
      }
}

TEST(Combinations, OfLawsSchemesAndSolversAreRefusedOrRun) {
  const ShapeCase &sphere = shape_cases[1], &box = shape_cases[2], &wall = shape_cases[5],
                  &disc = shape_cases[6];
  struct Pair {
    const ShapeCase &below, &above;
    bool in_plane;
  };
  for (const Pair& pair : {Pair{wall, sphere, false}, Pair{box, box, false}, Pair{wall, disc, true},
                           Pair{sphere, sphere, true}})
    for (const char* law : law_cases)
      for (const char* scheme : scheme_cases) {
        bool with_auto = false;
        for (const char* solver : solver_cases) {
          const std::string text =
              scene_text(pair.below, pair.above, pair.in_plane, law, scheme, solver);
          const bool read = read_and_run(text);
          if (solver == std::string("auto")) with_auto = read;
          // lemke alone takes less than auto: round friction and rolling in space.
          const std::string l = law, s = scheme;
          const bool round = l.find("polygon") == std::string::npos &&
                             l.find("\"friction\": 0.5") != std::string::npos &&
                             s.find("facets") == std::string::npos;
          const bool rolling = l.find("rolling") != std::string::npos;
          const bool beyond =
              solver == std::string("lemke") && !pair.in_plane && (round || rolling);
          EXPECT_EQ(read, with_auto && !beyond) << text;
        }
      }
}

TEST(Combinations, OfJointsSpringsSchemesAndSolversAreRefusedOrRun) {
  constexpr const char* links[] = {
      R"("joints": [{"type": "distance", "bodies": ["world", "a"]}, {"type": "distance", "bodies": ["a", "b"]}])",
      R"("joints": [{"type": "ball", "bodies": ["a", "b"], "anchors": [[0.5, 0, 0], [-0.5, 0, 0]]}])",
      R"("joints": [{"type": "revolute", "bodies": ["a", "b"], "axis": [0, 0, 1], "anchors": [[0.5, 0, 0], [-0.5, 0, 0]]}])",
      R"("joints": [{"type": "prismatic", "bodies": ["a", "b"], "axis": [1, 0, 0], "anchors": [[0.5, 0, 0], [-0.5, 0, 0]]}])",
      R"("joints": [{"type": "fixed", "bodies": ["a", "b"], "anchors": [[0.5, 0, 0], [-0.5, 0, 0]]}])",
      R"("forces": [{"type": "spring", "bodies": ["a", "b"], "stiffness": 1000, "rest_length": 0.9, "damping": 10}])",
  };
  for (const char* link : links)
    for (const char* scheme : scheme_cases)
      for (const char* solver : solver_cases) {
        const std::string text = fmt::format(
            R"({{"cairn": 1, "gravity": [0, -9.81, 0], {},
"bodies": [
  {{"name": "floor", "fixed": true, "shapes": [{{"type": "halfspace", "normal": [0, 1, 0]}}]}},
  {{"name": "a", "mass": 1, "position": [0, 0.505, 0], "shapes": [{{"type": "box", "size": [0.8, 1, 1]}}]}},
  {{"name": "b", "mass": 2, "position": [1, 0.505, 0], "shapes": [{{"type": "sphere", "radius": 0.5}}]}}],
"simulation": {{"step": 0.01, "duration": 0.03, "scheme": {}, "solver": "{}"}}}})",
            link, scheme, solver);
        EXPECT_TRUE(read_and_run(text)) << text;
      }
}

// What is refused, at which place and with which words.
struct Refusal {
  std::string path;
  ErrorCode code;
  std::vector<std::string> words;
};
void expect_refused(const std::string& bodies, const std::string& rest, const Refusal& refusal) {
  const Result<Scene> scene =
      parse_scene("{\"cairn\": 1, \"bodies\": [" + bodies + "]" + rest + "}", "x.json", {});
  ASSERT_FALSE(scene) << bodies << rest;
  ASSERT_EQ(scene.error().size(), 1u);
  const Error& e = scene.error().front();
  EXPECT_EQ(e.path, refusal.path);
  EXPECT_EQ(e.code, refusal.code);
  EXPECT_EQ(e.file, "x.json");
  EXPECT_GT(e.line, 0);
  for (const std::string& word : refusal.words)
    EXPECT_NE(e.text().find(word), std::string::npos) << word << " in " << e.text();
}
void expect_read(const std::string& bodies, const std::string& rest) {
  const Result<Scene> scene =
      parse_scene("{\"cairn\": 1, \"bodies\": [" + bodies + "]" + rest + "}", "x.json", {});
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
}

constexpr const char* disc = R"({"name": "disc", "dof": "x y rz", "mass": 1, "shapes": [
    {"type": "disc", "radius": 1}]})";
constexpr const char* box = R"({"name": "box", "mass": 1, "position": [5, 0, 0], "shapes": [
    {"type": "box", "size": [1, 1, 1]}]})";

TEST(Combinations, ShapesWithoutContactAreNamed) {
  const std::string both = std::string(disc) + "," + box;
  const Result<Scene> scene =
      parse_scene("{\"cairn\": 1, \"bodies\": [\n" + both + "]}", "x.json", {});
  ASSERT_FALSE(scene);
  const Error& e = scene.error().front();
  EXPECT_EQ(e.path, "bodies[0].shapes[0]");
  EXPECT_EQ(e.code, ErrorCode::unsupported);
  EXPECT_EQ(e.line, 3);
  for (const char* word : {"disc", "box", "'disc'", "'box'", "bodies[1].shapes[0]", "no_contact"})
    EXPECT_NE(e.text().find(word), std::string::npos) << e.text();
}

TEST(Combinations, ShapesThatCannotMeetNeedNoContact) {
  const std::string both = std::string(disc) + "," + box;
  expect_read(both, R"(, "no_contact": [["box", "disc"]])");
  // Neither do shapes of one body, fixed bodies, and bodies that a joint connects.
  expect_read(
      R"({"name": "a", "fixed": true, "shapes": [{"type": "disc", "radius": 1}, {"type": "box", "size": [1, 1, 1]}]},
                 {"name": "b", "fixed": true, "shapes": [{"type": "box", "size": [1, 1, 1]}]})",
      "");
  expect_read(both, R"(, "joints": [{"type": "distance", "bodies": ["box", "disc"]}])");
}

TEST(Combinations, PlanarShapesShareAPlane) {
  const std::string turned = R"({"name": "wall", "fixed": true, "position": [5, 0, 0],
      "orientation": {"axis": [1, 0, 0], "angle_deg": 90}, "shapes": [{"type": "ellipse", "radii": [1, 2]}]})";
  expect_refused(
      disc + ("," + turned), "",
      {"bodies[0].shapes[0]", ErrorCode::wrong_dimension, {"'disc'", "'wall'", "planes"}});
  // Upside down the plane is the same.
  std::string over = turned;
  over.replace(over.find("90}"), 3, "180}");
  expect_read(disc + ("," + over), "");
  // A prescribed body leaves its plane unless it turns about the normal of it.
  const auto blade = [](const std::string& axis) {
    return R"({"name": "blade", "motion": {"position": [5, 0, 0], "axis": )" + axis +
           R"(, "angle": "t"}, "shapes": [{"type": "polygon", "vertices": [[0, 0], [1, 0], [0, 1]]}]})";
  };
  expect_read(disc + ("," + blade("[0, 0, 1]")), "");
  expect_refused(disc + ("," + blade("[1, 0, 0]")), "",
                 {"bodies[1].shapes[0]", ErrorCode::wrong_dimension, {"'blade'"}});
}

TEST(Combinations, LemkeTakesWhatIsPiecewiseLinear) {
  const std::string floor =
      R"({"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 1, 0]}]},)";
  const auto ball = [](const std::string& name, const std::string& dof, double x, double z) {
    return fmt::format(
        R"({{"name": "{}", "mass": 1, "dof": "{}", "position": [{}, 1, {}], "shapes": [{{"type": "sphere", "radius": 1}}]}})",
        name, dof, x, z);
  };
  const auto rest = [](const std::string& material, const std::string& scheme) {
    return fmt::format(
        R"(, "materials": {{"default": {{{}}}}}, "simulation": {{"scheme": {}, "solver": "lemke"}})",
        material, scheme);
  };
  const std::string friction = R"("friction": 0.5)", euler = R"({"type": "euler"})",
                    facets = R"({"type": "euler", "facets": 8})", free = "x y z rx ry rz",
                    plane = "x y rz", rolling = friction + R"(, "rolling_friction": 0.1)";
  const Refusal round{"simulation.solver", ErrorCode::unsupported, {"lemke", "facets 0", "auto"}};
  const Refusal rolls{
      "simulation.solver", ErrorCode::unsupported, {"lemke", "rolling_friction 0.1", "auto"}};

  // One ball on the floor: in space friction needs facets; in the plane it is one row.
  expect_refused(floor + ball("a", free, 0, 0), rest(friction, euler), round);
  expect_read(floor + ball("a", free, 0, 0), rest(friction, facets));
  expect_read(floor + ball("a", free, 0, 0), rest(R"("friction": 0)", euler));
  expect_read(floor + ball("a", plane, 0, 0), rest(friction, euler));
  // A wall that leans out of the plane has two tangents along which the ball can slip.
  std::string leaning = floor;
  leaning.replace(leaning.find("[0, 1, 0]"), 9, "[0, 1, 1]");
  expect_refused(leaning + ball("a", plane, 0, 0), rest(friction, euler), round);
  // Two balls of one plane, and of planes side by side.
  expect_read(ball("a", plane, 0, 0) + "," + ball("b", plane, 3, 0), rest(friction, euler));
  expect_refused(ball("a", plane, 0, 0) + "," + ball("b", plane, 3, 0.5), rest(friction, euler),
                 round);
  // Rolling about one axis is one row, about more than one it is a disc.
  expect_refused(floor + ball("a", free, 0, 0), rest(rolling, facets), rolls);
  expect_read(floor + ball("a", plane, 0, 0), rest(rolling, facets));
  expect_refused(ball("a", plane, 0, 0) + "," + ball("b", "x y rx", 3, 0), rest(rolling, facets),
                 rolls);
}

}  // namespace
}  // namespace cairn::test_combinations
