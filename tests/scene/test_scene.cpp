// Scenes: reading, generators, assignments, and the round trip through the resolved text.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cairn/scene.hpp"
#include "cairn/state.hpp"

namespace cairn::test_scene {
namespace {

// One of everything.
const std::string sample = R"json({
  "cairn": 1, "name": "sample", "gravity": [0, 0, -9.81],
  "materials": {"default": {"friction": 0.25, "restitution": 0.5}, "ice": {"friction": 0.01}, "ice|default": {"friction": 0.3}},
  "bodies": [
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 2]}]},
    {"name": "box", "mass": 2, "position": [0.1, 0, 1], "orientation": {"axis": [0, 0, 1], "angle_deg": 30},
     "angular_velocity": [0, 0, 1],
     "shapes": [{"type": "box", "size": [1, 2, 3], "material": "ice", "position": [0, 0.3, 0]},
                {"type": "capsule", "radius": 0.1, "length": 0.7, "orientation": {"axis": [1, 1, 0], "angle": 0.3}}]},
    {"name": "egg", "density": 900, "position": [5, 0, 1], "shapes": [{"type": "ellipsoid", "radii": [0.1, 0.2, 0.3]}]},
    {"name": "bob", "mass": 0.7, "inertia": [1, 2, 2.5], "center_of_mass": [0, 0, 0.1], "position": [0, 5, 0],
     "shapes": [{"type": "point"}, {"type": "sphere", "radius": 0.1}]},
    {"name": "coin", "mass": 1, "dof": "x y rz", "position": [9, 0, 0], "shapes": [{"type": "ellipse", "radii": [1, 0.5]}]},
    {"name": "shaker", "motion": {"position": [0, "3*sin(pi*t)", 7], "axis": [1, 0, 0], "angle": "t/3"},
     "shapes": [{"type": "disc", "radius": 3}]}
  ],
  "joints": [{"type": "distance", "bodies": ["world", "bob"], "anchors": [[0, 0, 0], [0, 0, 0.1]]},
             {"type": "distance", "name": "rod", "bodies": ["box", "egg"], "length": 4.9, "collide": true}],
  "forces": [{"type": "spring", "bodies": ["box", "bob"], "stiffness": 100, "rest_length": 0.2, "damping": 10},
             {"type": "damper", "bodies": ["box", "egg"], "damping": 10},
             {"type": "force", "body": "box", "value": ["8*cos(t)", 0, 0.1], "point": [0, 0, 0.3]},
             {"type": "torque", "body": "egg", "value": [0, 0, "exp(-t)"]}],
  "no_contact": [["egg", "bob"], ["coin", "box"], ["coin", "egg"], ["coin", "shaker"], ["shaker", "box"], ["shaker", "egg"]],
  "generate": [{"type": "lattice", "name": "grain", "count": [2, 2, 3], "spacing": [1, 1, 0.9], "jitter": 0.01, "seed": 3, "origin": [50, 0, 0],
                "of": {"mass": 0.001, "shapes": [{"type": "sphere", "radius": 0.3}]}},
               {"type": "chain", "name": "bead", "count": 3, "spacing": 1, "origin": [80, 0, 0],
                "of": {"mass": 1, "dof": "x y z"}, "joint": {"type": "distance"}}],
  "simulation": {"scheme": {"type": "euler", "restitution": "delayed", "facets": 8}, "solver": {"type": "lemke", "seed": 9007199254740991},
                 "step": 0.01, "duration": 2.5},
  "expect": [{"quantity": "penetration.max", "at_most": 1e-7},
             {"quantity": "bodies.bob.position[1]", "equals": 0.1, "tolerance": 1e-3, "at_least": 0}]
})json";

Scene read(const std::string& text, const std::vector<std::string>& assignments = {}) {
  Result<Scene> scene = parse_scene(text, "dir/file.json", assignments);
  if (!scene) {
    for (const Error& e : scene.error()) ADD_FAILURE() << e.text();
    return {};
  }
  return *scene;
}

Errors faults(const std::string& text, const std::vector<std::string>& assignments) {
  const Result<Scene> scene = parse_scene(text, "file.json", assignments);
  EXPECT_FALSE(scene.has_value());
  return scene ? Errors{Error{}} : scene.error();
}

TEST(Scene, EverythingIsRead) {
  const Scene scene = read(sample);
  EXPECT_EQ(scene.name, "sample");
  ASSERT_EQ(scene.description.bodies.size(), 6u + 12 + 3);
  EXPECT_EQ(scene.model->joints.size(), 2u + 2);
  EXPECT_EQ(scene.model->springs.size(), 2u);
  EXPECT_EQ(scene.model->applied_forces[0].force[0](1), 8 * std::cos(1));
  EXPECT_EQ(scene.model->applied_forces[1].torque[2](2), std::exp(-2));
  const Euler& euler = std::get<Euler>(scene.simulation.scheme);
  EXPECT_EQ(euler.restitution, Restitution::delayed);
  EXPECT_EQ(euler.facets, 8);
  EXPECT_EQ(std::get<Lemke>(scene.simulation.solver).seed, 9007199254740991u);
  EXPECT_EQ(scene.simulation.duration, 2.5);
  ASSERT_EQ(scene.expect.size(), 2u);
  EXPECT_EQ(*scene.expect[1].equals, 0.1);
  const auto before =
      sample.begin() + static_cast<std::ptrdiff_t>(sample.find("{\"quantity\": \"bodies"));
  EXPECT_EQ(scene.expect[1].line, 1 + std::count(sample.begin(), before, '\n'));
  // A pair that gives its friction alone takes the restitution from the rule.
  EXPECT_EQ(scene.description.materials[2].second.friction, 0.3);
  EXPECT_EQ(scene.description.materials[2].second.restitution, 0.5);
}

// Of two laws the later one of newton, poisson, stronge; a pair may say otherwise.
TEST(Scene, RestitutionLawsOfPairs) {
  const Scene scene = read(R"({"cairn": 1, "materials": {
      "a": {"restitution": 0.5}, "b": {"restitution": 0.5, "restitution_law": "poisson"},
      "c": {"restitution": 0.5, "restitution_law": "stronge"}, "b|c": {"restitution_law": "newton"}}})");
  const auto law = [&](int i, int k) {
    return scene.model->pair(MaterialId{i}, MaterialId{k}).restitution_law;
  };
  EXPECT_EQ(law(0, 0), RestitutionLaw::newton);
  EXPECT_EQ(law(0, 1), RestitutionLaw::poisson);
  EXPECT_EQ(law(2, 0), RestitutionLaw::stronge);
  EXPECT_EQ(law(1, 2), RestitutionLaw::newton);
  EXPECT_EQ(law(3, 3), RestitutionLaw::newton);  // default
  EXPECT_EQ(read(scene.resolved).resolved, scene.resolved);
}

TEST(Scene, NameDefaultsToTheFile) {
  EXPECT_EQ(read(R"({"cairn": 1})").name, "file");
}

// The resolved text is a fixed point: it reads to the same scene, bit for bit, and writes to
// itself.
TEST(Scene, ResolvedTextReadsToTheSameScene) {
  const Scene first = read(sample, {"simulation.step=0.1", "bodies.box.mass=3"});
  const Scene second = read(first.resolved);
  EXPECT_EQ(first.resolved, second.resolved);
  EXPECT_EQ(first.initial->poses, second.initial->poses);
  EXPECT_EQ(first.initial->v, second.initial->v);
  ASSERT_EQ(first.model->bodies.size(), second.model->bodies.size());
  for (std::size_t i = 0; i < first.model->bodies.size(); ++i) {
    const Body &a = first.model->bodies[i], &b = second.model->bodies[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.mass, b.mass);
    EXPECT_EQ(a.inertia_B, b.inertia_B);
    EXPECT_EQ(a.p_Bcm, b.p_Bcm);
    EXPECT_EQ(a.radius, b.radius);
  }
  for (std::size_t i = 0; i < first.model->shapes.size(); ++i)
    EXPECT_EQ(first.model->shapes[i].X_CS, second.model->shapes[i].X_CS);
  EXPECT_TRUE(first.model->materials == second.model->materials);
  EXPECT_TRUE(first.model->pairs == second.model->pairs);
  EXPECT_EQ(second.simulation.step, 0.1);
  EXPECT_EQ(second.model->no_contact, first.model->no_contact);
  EXPECT_EQ(second.model->applied_forces[0].force[0].text(), "8*cos(t)");
}

// A file that was cut anywhere is an error with a place, never a crash and never a scene.
TEST(Scene, TruncationAtEveryByteGivesAPlace) {
  for (std::size_t n = 0; n < sample.size(); ++n) {
    const Result<Scene> scene = parse_scene(sample.substr(0, n), "f");
    ASSERT_FALSE(scene.has_value()) << n;
    for (const Error& e : scene.error()) EXPECT_GT(e.line * e.column, 0) << n << ": " << e.text();
  }
}

// Bytes all over the text replaced in turn: any answer is right as long as errors have a place or a
// path.
TEST(Scene, SpoiltBytesNeverCrash) {
  for (const char spoil : {'\0', '"', '9', '-', ']', '\xFF'}) {
    for (std::size_t n = 0; n < sample.size(); n += 11) {
      std::string text = sample;
      text[n] = spoil;
      const Result<Scene> scene = parse_scene(text, "f");
      if (scene) continue;
      ASSERT_FALSE(scene.error().empty());
      for (const Error& e : scene.error()) EXPECT_GT(e.line, 0) << e.text();
    }
  }
}

// ---- Generators
// ---------------------------------------------------------------------------------------------------

// Rows of 11, 10, ..., 1: 66 discs, neighbours in a row 6 apart, neighbours in adjacent rows too
// (spacing sqrt(3)/2 high).
TEST(Generators, TriangleStacksTouchingDiscs) {
  const Scene scene = read(
      R"({"cairn": 1, "generate": [{"type": "triangle", "name": "disc", "base": 11, "spacing": 6, "origin": [0, 3, 0],
    "of": {"dof": "x y rz", "mass": 1, "shapes": [{"type": "disc", "radius": 3}]}}]})");
  const auto& bodies = scene.description.bodies;
  ASSERT_EQ(bodies.size(), 66u);
  EXPECT_EQ(bodies[0].name, "disc01");
  EXPECT_EQ(bodies[65].name, "disc66");
  EXPECT_EQ(bodies[1].position, Vec3(6, 3, 0));
  EXPECT_NEAR((bodies[11].position - bodies[0].position).norm(), 6, 1e-14);
  EXPECT_NEAR((bodies[11].position - bodies[1].position).norm(), 6, 1e-14);
  EXPECT_NEAR(bodies[65].position.x(), 30, 1e-14);
  // The order of names is the order of generation.
  for (std::size_t i = 0; i < 66; ++i) EXPECT_EQ(scene.model->bodies[i].name, bodies[i].name);
}

TEST(Generators, LatticeRunsFastestAlongXAndJitterIsBoundedAndRepeatable) {
  const auto lattice = [](const std::string& more) {
    return read(
               R"({"cairn": 1, "generate": [{"type": "lattice", "name": "g", "count": [3, 2, 2], "spacing": 2, "origin": [1, 1, 1],
      "of": {"mass": 1, "shapes": [{"type": "sphere", "radius": 0.5}]})" +
               more + "}]}")
        .description.bodies;
  };
  const auto plain = lattice("");
  ASSERT_EQ(plain.size(), 12u);
  EXPECT_EQ(plain[2].position, Vec3(5, 1, 1));
  EXPECT_EQ(plain[3].position, Vec3(1, 3, 1));
  EXPECT_EQ(plain[11].position, Vec3(5, 3, 3));
  const auto a = lattice(R"(, "jitter": 0.25, "seed": 5)"),
             b = lattice(R"(, "jitter": 0.25, "seed": 5)"),
             c = lattice(R"(, "jitter": 0.25, "seed": 6)");
  double largest = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(a[i].position, b[i].position);
    EXPECT_NE(a[i].position, c[i].position);
    largest = std::max(largest, (a[i].position - plain[i].position).cwiseAbs().maxCoeff());
  }
  EXPECT_LE(largest, 0.25);
  EXPECT_GT(largest, 0.125);  // 36 uniform numbers all below a half have the odds 2^-36
}

TEST(Generators, LatticeTurnsBodiesToAllSidesAndLeavesTheirPlaces) {
  const auto lattice = [](const std::string& more) {
    return read(
               R"({"cairn": 1, "generate": [{"type": "lattice", "name": "g", "count": [20, 10, 5], "spacing": 2, "jitter": 0.1,
      "of": {"mass": 1, "orientation": {"axis": [0, 0, 1], "angle_deg": 90}, "shapes": [{"type": "box", "size": [1, 1, 1]}]})" +
               more + "}]}")
        .description.bodies;
  };
  const auto plain = lattice(""), a = lattice(R"(, "turn": true, "seed": 5)"),
             b = lattice(R"(, "turn": true, "seed": 5)"),
             c = lattice(R"(, "turn": true, "seed": 6)");
  Mat3 mean = Mat3::Zero(), square = Mat3::Zero();
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(plain[i].orientation.coeffs(), plain[0].orientation.coeffs());
    EXPECT_EQ(a[i].orientation.coeffs(), b[i].orientation.coeffs());
    EXPECT_NE(a[i].orientation.coeffs(), c[i].orientation.coeffs());
    EXPECT_NEAR(a[i].orientation.norm(), 1, 1e-15);
    EXPECT_LE((a[i].position - plain[i].position).cwiseAbs().maxCoeff(), 0.2);
    const Mat3 R = a[i].orientation.toRotationMatrix();
    mean += R / 1000;
    square += R.cwiseProduct(R) / 1000;
  }
  // Entries of a uniform rotation have mean 0, square 1/3 and the fourth power 1/5; the deviations
  // of the means of 1000 are 0.018 and 0.0094, five of them have the odds 1e-6.
  EXPECT_LE(mean.cwiseAbs().maxCoeff(), 0.092);
  EXPECT_LE((square - Mat3::Constant(1.0 / 3)).cwiseAbs().maxCoeff(), 0.048);
}

TEST(Generators, ChainJoinsNeighbours) {
  const Scene scene = read(
      R"({"cairn": 1, "generate": [{"type": "chain", "name": "p", "count": 12, "spacing": 0.5, "direction": [0, 0, -2],
    "of": {"mass": 1, "dof": "x z"}, "joint": {"type": "distance"}}]})");
  ASSERT_EQ(scene.model->joints.size(), 11u);
  for (const Joint& joint : scene.model->joints) {
    EXPECT_EQ(index(joint.bodies[1]), index(joint.bodies[0]) + 1);
    EXPECT_EQ(std::get<DistanceJoint>(joint.type).length, 0.5);
  }
  EXPECT_EQ(scene.description.bodies[11].position, Vec3(0, 0, -5.5));
  EXPECT_EQ(scene.model->no_contact.size(), 11u);
}

// ---- Assignments
// --------------------------------------------------------------------------------------------------

TEST(Assignments, ChangeTheSceneBeforeItIsRead) {
  const Scene scene =
      read(sample, {"simulation.step=0.125", "materials.default.restitution=0.9",
                    "bodies.egg.density=1000", "bodies[1].mass=4", "simulation.solver=nsgs",
                    "name=renamed", "forces[2].value[0]=sin(t)", "simulation.scheme.gamma=0.5"});
  EXPECT_EQ(scene.simulation.step, 0.125);
  EXPECT_EQ(scene.model->pair(MaterialId{0}, MaterialId{0}).restitution, 0.9);
  EXPECT_EQ(*scene.description.bodies[2].density, 1000);
  EXPECT_EQ(*scene.description.bodies[1].mass, 4);
  EXPECT_TRUE(std::holds_alternative<Nsgs>(scene.simulation.solver));
  EXPECT_EQ(scene.name, "renamed");
  EXPECT_EQ(scene.model->applied_forces[0].force[0](1), std::sin(1));
  EXPECT_EQ(std::get<Euler>(scene.simulation.scheme).gamma, 0.5);
}

TEST(Assignments, MakeWhatIsMissing) {
  const Scene scene = read(R"({"cairn": 1})",
                           {"simulation.solver.tolerance=1e-4", "materials.default.friction=0.5"});
  EXPECT_EQ(std::get<Auto>(scene.simulation.solver).tolerance, 1e-4);
  EXPECT_EQ(scene.model->materials[0].friction, 0.5);
}

TEST(Assignments, FaultsNameTheAssignment) {
  struct Case {
    std::string text;
    ErrorCode code;
    std::string name;  // that the message suggests
  };
  const std::vector<Case> cases = {
      {"simulation.step", ErrorCode::syntax, ""},
      {"=3", ErrorCode::syntax, ""},
      {"simulation.stp=0.1", ErrorCode::unknown_key, "'step'"},
      {"simulatoin.step=0.1", ErrorCode::unknown_key, "'simulation'"},
      {"simulation.step=-1", ErrorCode::out_of_range, ""},
      {"simulation.step=fast", ErrorCode::wrong_type, ""},
      {"bodies.egz.mass=1", ErrorCode::unknown_name, "'egg'"},
      {"bodies[99].mass=1", ErrorCode::unknown_name, ""},
      {"bodies.1.mass=1", ErrorCode::syntax, "[1]"},
      {"name.first=1", ErrorCode::wrong_type, ""},
      {"simulation[0]=1", ErrorCode::wrong_type, ""},
      {"bodies[x].mass=1", ErrorCode::syntax, ""},
      {"simulation.=1", ErrorCode::syntax, ""},
      {"bodies.box.mass=-2", ErrorCode::out_of_range, ""},
  };
  for (const auto& [text, code, name] : cases) {
    const Error error = faults(sample, {text})[0];
    EXPECT_EQ(error.kind, ErrorKind::usage) << text;
    EXPECT_EQ(error.code, code) << text << ": " << error.text();
    EXPECT_NE(error.fix.find(name), std::string::npos) << text << ": " << error.text();
    EXPECT_EQ(error.file, "--set " + text);
  }
}

// A tree is destroyed by recursion: neither the path nor the value may make a deep one.
TEST(Assignments, DepthIsThatOfADocument) {
  std::string path = "a";
  for (int i = 1; i < 1'000'000; ++i) path += ".a";
  const std::string open(1'000'000, '['), closed(1'000'000, ']');
  std::string levels = "a";
  for (int i = 1; i < 60; ++i) levels += ".a";
  for (const std::string& text : {path + "=1", path + "[0]=1", "a=" + open + closed, "a=" + open,
                                  levels + "=" + open.substr(0, 6) + closed.substr(0, 6)}) {
    const Errors errors = faults(R"({"cairn": 1})", {text});
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].code, ErrorCode::too_deep);
    EXPECT_EQ(errors[0].kind, ErrorKind::limit);
    EXPECT_LT(errors[0].text().size(), 400u);
  }
  // As deep as a document may be; the key is unknown all the same.
  EXPECT_EQ(faults(R"({"cairn": 1})", {levels + "=[[[[]]]]"})[0].code, ErrorCode::unknown_key);
}

// ---- Files
// --------------------------------------------------------------------------------------------------------

TEST(Scene, FilesThatCannotBeReadAreNamed) {
  const Result<Scene> missing = load_scene("no/such/file.json");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error()[0].code, ErrorCode::not_found);
  EXPECT_EQ(missing.error()[0].file, "no/such/file.json");
  EXPECT_EQ(load_scene(CAIRN_SOURCE_DIR).error()[0].code, ErrorCode::not_a_file);
}

// A pipe without a writer would block; the others have no end or no text.
TEST(Scene, OnlyRegularFilesAreRead) {
  const std::string pipe = testing::TempDir() + "cairn_scene_pipe";
  std::remove(pipe.c_str());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string hull = R"({"cairn": 1, "bodies": [{"name": "a", "mass": 1, "shapes": [)"
                           R"({"type": "hull", "file": ")" +
                           pipe + R"("}]}]})";
  for (const std::string& file : {pipe, std::string("/dev/zero"), std::string("/dev/null")}) {
    const Result<Scene> scene = load_scene(file);
    ASSERT_FALSE(scene.has_value()) << file;
    EXPECT_EQ(scene.error()[0].code, ErrorCode::not_a_file);
    EXPECT_EQ(scene.error()[0].kind, ErrorKind::input);
    EXPECT_EQ(scene.error()[0].file, file);
  }
  // In the folder of the scene, or it would be refused for its place.
  const Result<Scene> shape = parse_scene(hull, testing::TempDir() + "scene.json");
  ASSERT_FALSE(shape.has_value());
  EXPECT_EQ(shape.error()[0].code, ErrorCode::not_a_file);
  std::remove(pipe.c_str());
}

// ---- Limits
// --------------------------------------------------------------------------------------------------------

// The limit is that of all generators together and is looked at before any of them makes a body.
TEST(Scene, GeneratorsAreCountedBeforeTheyAreExpanded) {
  const auto row = [](const std::string& type, const std::string& count) {
    return R"({"type": ")" + type + R"(", "name": "b", "spacing": 1, )" + count +
           R"(, "of": {"fixed": true, "shapes": [{"type": "sphere", "radius": 1}]}})";
  };
  const auto refusal = [&](const std::vector<std::string>& generators) {
    std::string text = R"({"cairn": 1, "generate": [)";
    for (std::size_t i = 0; i < generators.size(); ++i) text += (i ? ", " : "") + generators[i];
    return faults(text + "]}", {})[0];
  };
  const std::string nearly = row("row", R"("count": 600000)");
  for (const Error& error :
       {refusal({nearly, nearly}), refusal({row("row", R"("count": 1e15)")}),
        refusal({row("triangle", R"("base": 3e9)")}),
        refusal({row("lattice", R"("count": [1e15, 1e15, 1e15])")}),
        refusal({row("lattice", R"("count": [1000, 1000, 1])"), row("row", R"("count": 1)")})}) {
    EXPECT_EQ(error.code, ErrorCode::too_many) << error.text();
    EXPECT_EQ(error.kind, ErrorKind::limit);
    EXPECT_EQ(error.path, "generate");
    EXPECT_NE(error.allowed.find("1000000"), std::string::npos);
  }
  // A body of many parts counts as many.
  std::string shapes;
  for (int i = 0; i < 100; ++i)
    shapes += (i ? ", " : "") + std::string(R"({"type": "sphere", "radius": 1})");
  const Error parts = refusal({R"({"type": "row", "name": "b", "spacing": 1, "count": 900000, )"
                               R"("of": {"fixed": true, "shapes": [)" +
                               shapes + "]}}"});
  EXPECT_EQ(parts.code, ErrorCode::too_many);
  EXPECT_EQ(parts.kind, ErrorKind::limit);
  EXPECT_EQ(parts.path, "generate[0]");
}

TEST(Scene, TooManyStepsAreALimit) {
  for (const auto& [text, assignments] :
       {std::pair(std::string(R"({"cairn": 1, "simulation": {"step": 1e-9, "duration": 10}})"),
                  std::vector<std::string>{}),
        std::pair(std::string(R"({"cairn": 1})"),
                  std::vector<std::string>{"simulation.duration=1e300"})}) {
    const Error error = faults(text, assignments)[0];
    EXPECT_EQ(error.code, ErrorCode::too_many);
    EXPECT_EQ(error.kind, ErrorKind::limit);
    EXPECT_EQ(error.path, "simulation.duration");
  }
}

// A ball of radius 0.5 m at 1e20 m/s moves 2e18 radii in a step: its position no longer knows its
// size, and the energy of an impact is rounding.
TEST(Scene, MotionBeyondResolutionIsRefused) {
  const auto scene = [](const std::string& body, const std::string& gravity) {
    return R"({"cairn": 1, "gravity": )" + gravity +
           R"(, "bodies": [{"name": "ball", "mass": 1, "shapes": [{"type": "sphere", )"
           R"("radius": 0.5}])" +
           body + R"(}], "simulation": {"step": 0.01, "duration": 0.1}})";
  };
  const auto refusal = [&](const std::string& body, const std::string& gravity,
                           const std::vector<std::string>& set) {
    const Error error = faults(scene(body, gravity), set)[0];
    EXPECT_EQ(error.code, ErrorCode::out_of_range) << error.text();
    EXPECT_FALSE(error.allowed.empty());
    EXPECT_FALSE(error.fix.empty());
    return error.path;
  };
  const std::string none = "[0, 0, 0]";
  EXPECT_EQ(refusal(R"(, "velocity": [0, 0, -1e20])", none, {}), "bodies[0].velocity");
  EXPECT_EQ(refusal(R"(, "velocity": [0, 0, -1e13])", none, {}), "bodies[0].velocity");
  EXPECT_EQ(refusal("", none, {"bodies.ball.velocity=[1e14, 0, 0]"}), "bodies[0].velocity");
  EXPECT_EQ(refusal(R"(, "angular_velocity": [0, 1e18, 0])", none, {}),
            "bodies[0].angular_velocity");
  EXPECT_EQ(refusal(R"(, "angular_velocity": [0, 1e13, 0])", none, {}),
            "bodies[0].angular_velocity");
  EXPECT_EQ(refusal("", "[0, 0, -1e25]", {}), "gravity");
  EXPECT_EQ(refusal("", "[0, 0, -1e15]", {}), "gravity");
  EXPECT_EQ(refusal(R"(, "inertia": 1e300)", none, {}), "bodies[0].inertia");
  EXPECT_EQ(refusal(R"(, "inertia": 1e-70)", none, {}), "bodies[0].inertia");
  EXPECT_EQ(faults(R"({"cairn": 1, "bodies": [{"name": "a", "mass": 1e30, "shapes": [)"
                   R"({"type": "sphere", "radius": 1e30}]}]})",
                   {})[0]
                .code,
            ErrorCode::out_of_range);
  EXPECT_EQ(
      faults(R"({"cairn": 1, "bodies": [{"name": "a", "motion": {"position": [1e40, 0, 0]}}]})",
             {})[0]
          .path,
      "bodies[0].motion.position[0]");
  EXPECT_EQ(
      faults(R"({"cairn": 1, "bodies": [{"name": "a", "motion": {"angle": 1e12}}]})", {})[0].path,
      "bodies[0].motion.angle");
  // A point that rounding puts beside the centre of mass has no size to resolve.
  EXPECT_TRUE(parse_scene(R"({"cairn": 1, "bodies": [{"name": "a", "mass": 1, "inertia": 1, )"
                          R"("center_of_mass": [0.1, 0, 0], "shapes": [{"type": "point", )"
                          R"("position": [0.10000000000000003, 0, 0]}]}]})",
                          "f")
                  .has_value());
  // Slower ones are known well enough.
  EXPECT_TRUE(parse_scene(scene(R"(, "velocity": [0, 0, -1e11])", none), "f").has_value());
}

TEST(Scene, FileAndTextGiveTheSame) {
  const std::string file = testing::TempDir() + "cairn_scene_sample.json";
  std::ofstream(file, std::ios::binary) << sample;
  const Result<Scene> scene = load_scene(file);
  std::remove(file.c_str());
  ASSERT_TRUE(scene.has_value());
  EXPECT_EQ(scene->resolved, read(sample).resolved);
}

}  // namespace
}  // namespace cairn::test_scene
