// Scenes that include models and scenes, and the way back to URDF.
#include <cmath>
#include <numbers>

#include "import_helpers.hpp"

namespace cairn::test_include {
namespace {

using namespace test_imports;

constexpr const char* arm = R"(<robot name="arm">
  <link name="foot"><inertial><mass value="3"/><inertia ixx="0.1" iyy="0.2" izz="0.25"/></inertial>
    <collision><origin xyz="0 0 -0.1"/><geometry><box size="0.2 0.3 0.1"/></geometry></collision></link>
  <link name="tip"><inertial><origin xyz="0.4 0 0" rpy="0.3 0.2 0.1"/><mass value="1"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001"/></inertial>
    <collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <link name="slider"><inertial><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="foot"/><child link="tip"/>
    <origin xyz="0 0 1" rpy="0.1 0.5 -0.3"/><axis xyz="0 1 1"/>
    <limit lower="-1" upper="2" effort="1" velocity="1"/><dynamics friction="0.1"/></joint>
  <joint name="slide" type="prismatic"><parent link="tip"/><child link="slider"/>
    <origin xyz="0.5 0 0" rpy="0 0 1"/><axis xyz="1 0 0"/>
    <limit lower="-0.1" upper="0.2" effort="1" velocity="1"/></joint>
</robot>)";

std::string scene_text(const std::string& include, const std::string& rest = "") {
  return R"({"cairn": 1, "materials": {"default": {"friction": 0.5}},
    "bodies": [{"name": "floor", "fixed": true, "shapes": [{"type": "halfspace"}]}], )" +
         rest + "\"include\": [" + include + "]}";
}

TEST(Include, RobotsUnderPrefixesAtTheirPlaces) {
  write("arm.urdf", arm);
  const std::string file =
      write("scene.json", scene_text(
                              R"({"file": "arm.urdf", "prefix": "a_", "position": [0, 0, 2]},
         {"file": "arm.urdf", "prefix": "b_", "position": [3, 0, 2],
          "orientation": {"axis": [0, 0, 1], "angle_deg": 90}, "base": "fixed"})"));
  const Scene scene = must(load_scene(file));
  const Scene alone = must(load_scene((scratch() / "arm.urdf").string()));
  EXPECT_EQ(scene.description.bodies.size(), 7);
  EXPECT_FALSE(body(scene, "a_foot").fixed);
  EXPECT_TRUE(body(scene, "b_foot").fixed);
  const Pose X_a{{0, 0, 2}, Quat::Identity()},
      X_b{{3, 0, 2}, Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()))};
  for (const char* name : {"foot", "tip", "slider"})
    for (const auto& [prefix, X] : {std::pair{"a_", X_a}, {"b_", X_b}}) {
      const Pose expected = X * pose(alone, name), got = pose(scene, prefix + std::string(name));
      EXPECT_LT((got.p - expected.p).norm(), 1e-15);
      EXPECT_LT(got.R.angularDistance(expected.R), 1e-7);
    }
  EXPECT_LT(
      (axis_of(scene, joint(scene, "b_hinge")) - X_b.R * axis_of(alone, joint(alone, "hinge")))
          .norm(),
      1e-15);
  EXPECT_EQ(joint(scene, "a_hinge").bodies[0], "a_foot");
  // The resolved scene needs no file and is the same scene.
  const Scene again = must(parse_scene(scene.resolved, "resolved"));
  EXPECT_EQ(again.resolved, scene.resolved);
}

TEST(Include, AssignmentsReachIncludedBodiesAndIncludes) {
  write("arm.urdf", arm);
  const std::string file =
      write("scene.json", scene_text(R"({"file": "arm.urdf", "prefix": "a_"})"));
  const Scene scene = must(load_scene(
      file, {"bodies.a_tip.mass=7", "include[0].position=[0,0,5]", "joints.a_hinge.upper=1"}));
  EXPECT_EQ(*body(scene, "a_tip").mass, 7);
  EXPECT_EQ(body(scene, "a_foot").position, Vec3(0, 0, 5));
  EXPECT_EQ(joint(scene, "a_hinge").limits.upper, 1);
}

TEST(Include, ScenesWithGeneratorsAndMaterials) {
  write("part.json", R"({"cairn": 1, "materials": {"ice": {"friction": 0.01}},
    "bodies": [{"name": "puck", "mass": 1, "position": [1, 0, 0], "velocity": [1, 0, 0],
                "shapes": [{"type": "sphere", "radius": 0.1, "material": "ice"}]}],
    "joints": [{"type": "distance", "bodies": ["world", "puck"], "anchors": [[0, 0, 0], [0, 0, 0]]}],
    "generate": [{"type": "row", "name": "bead", "count": 3, "spacing": 1, "origin": [0, 5, 0],
                  "of": {"mass": 1, "shapes": [{"type": "sphere", "radius": 0.1}]}}]})");
  const Scene scene = must(load_scene(
      write("scene.json", scene_text(
                              R"({"file": "part.json", "prefix": "p_", "position": [0, 0, 3],
          "orientation": {"axis": [0, 0, 1], "angle_deg": 90}})"))));
  EXPECT_LT((body(scene, "p_puck").position - Vec3(0, 1, 3)).norm(), 1e-15);
  EXPECT_LT((body(scene, "p_puck").velocity - Vec3(0, 1, 0)).norm(), 1e-15);
  EXPECT_EQ(body(scene, "p_puck").shapes[0].material, "p_ice");
  EXPECT_LT((body(scene, "p_bead3").position - Vec3(-5, 2, 3)).norm(), 1e-14);
  // The end on the world moves with it.
  EXPECT_EQ(scene.description.joints[0].anchors[0], Vec3(0, 0, 3));
}

TEST(Include, FaultsAreReportedWhereTheyAre) {
  write("self.json", R"({"cairn": 1, "include": [{"file": "self.json"}]})");
  const Result<Scene> self = load_scene((scratch() / "self.json").string());
  ASSERT_FALSE(self);
  EXPECT_EQ(self.error().front().code, ErrorCode::conflict);
  write("bad.urdf", "<robot name=\"r\">\n<link/>\n</robot>");
  const Result<Scene> bad = load_scene(write("scene.json", scene_text(R"({"file": "bad.urdf"})")));
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.error().front().file.ends_with("bad.urdf"));
  EXPECT_EQ(bad.error().front().line, 2);
  for (const char* include :
       {R"({"file": "none.urdf"})", R"({"prefix": "a"})", R"({"file": "bad.urdf", "base": "x"})",
        R"({"file": "bad.urdf", "colour": 1})", "3"})
    EXPECT_FALSE(load_scene(write("scene.json", scene_text(include)))) << include;
  // Two of one name.
  write("arm.urdf", arm);
  const Result<Scene> twice = load_scene(
      write("scene.json",
            scene_text(R"({"file": "arm.urdf"}, {"file": "arm.urdf", "position": [5, 0, 0]})")));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().front().code, ErrorCode::duplicate_name);
}

// What is exported and imported again is the same robot.
TEST(ExportUrdf, RoundTrip) {
  for (const ImportBase base : {ImportBase::free, ImportBase::fixed}) {
    const Scene scene = must(load_scene(write("arm.urdf", arm), {}, {.base = base}));
    const Result<std::string> text = urdf_text(scene);
    ASSERT_TRUE(text) << errors_of(text.error());
    const Scene again = must(scene_of(*text));
    for (const char* name : {"tip", "slider"}) {
      const BodyDescription &a = body(scene, name), &b = body(again, name);
      EXPECT_EQ(*a.mass, *b.mass);
      const Pose Xa = pose(scene, name), Xb = pose(again, name);
      // A free base starts at its own frame.
      EXPECT_LT((Xa * *a.center_of_mass - Xb * *b.center_of_mass).norm(), 1e-14);
      const Mat3 Ra = Xa.R.toRotationMatrix(), Rb = Xb.R.toRotationMatrix();
      EXPECT_LT((Ra * *a.inertia * Ra.transpose() - Rb * *b.inertia * Rb.transpose()).norm(),
                1e-15);
    }
    for (const char* name : {"hinge", "slide"}) {
      const JointDescription &a = joint(scene, name), &b = joint(again, name);
      EXPECT_LT((axis_of(scene, a) - axis_of(again, b)).norm(), 1e-14);
      EXPECT_LT((point_of(scene, a) - point_of(again, b)).norm(), 1e-14);
      EXPECT_EQ(a.limits.lower, b.limits.lower);
      EXPECT_EQ(a.limits.upper, b.limits.upper);
      EXPECT_EQ(a.friction, b.friction);
    }
  }
}

TEST(ExportUrdf, WhatUrdfCannotSayIsRefused) {
  const auto text = [](const std::string& bodies, const std::string& joints) {
    const Scene scene = must(parse_scene(
        R"({"cairn": 1, "bodies": [)" + bodies + "], \"joints\": [" + joints + "]}", "scene.json"));
    return urdf_text(scene);
  };
  const std::string a = R"({"name": "a", "mass": 1, "inertia": 1, "center_of_mass": [0, 0, 0]})",
                    b = R"({"name": "b", "mass": 1, "inertia": 1, "center_of_mass": [0, 0, 0]})";
  EXPECT_TRUE(text(a, ""));
  EXPECT_FALSE(text(a + "," + b, ""));  // two robots
  EXPECT_FALSE(text(a + "," + b, R"({"type": "ball", "bodies": ["a", "b"]})"));
  EXPECT_FALSE(text(a + "," + b, R"({"type": "fixed", "bodies": ["a", "b"]},
      {"type": "revolute", "bodies": ["b", "world"]}, {"type": "revolute", "bodies": ["world", "a"]})"));
  EXPECT_TRUE(text(a + "," + b, R"({"type": "fixed", "bodies": ["b", "a"]})"));
  EXPECT_FALSE(text(
      R"({"name": "a", "mass": 1, "shapes": [{"type": "ellipsoid", "radii": [1, 2, 3]}]})", ""));
}

}  // namespace
}  // namespace cairn::test_include
