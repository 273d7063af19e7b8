// SDFormat: what links, joints and frames become, and what of a file is refused or listed.
#include <fmt/format.h>
#include <numbers>

#include "cairn/simulator.hpp"
#include "import_helpers.hpp"

namespace cairn::test_sdf {
namespace {

using namespace test_imports;

constexpr const char* inertial_of_one =
    "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>"
    "</inertial>";

std::string model(const std::string& inside, const std::string& version = "1.9") {
  return "<?xml version=\"1.0\"?>\n<sdf version=\"" + version + "\"><model name=\"m\">\n" + inside +
         "\n</model></sdf>\n";
}
std::string link(const std::string& name, const std::string& inside = "") {
  return "<link name=\"" + name + "\">" + inertial_of_one + inside + "</link>\n";
}
std::string joint_text(const std::string& name, const std::string& type, const std::string& parent,
                       const std::string& child, const std::string& inside) {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent>" + parent +
         "</parent><child>" + child + "</child>" + inside + "</joint>\n";
}
std::string axis(const std::string& xyz, const std::string& inside = "") {
  return "<axis><xyz>" + xyz + "</xyz>" + inside + "</axis>";
}

std::string first_error(const std::string& text) {
  const Result<Scene> scene = scene_of(text);
  return scene ? "no error" : scene.error().front().text();
}

// The pose of a model is that of its placement frame: here the frame of b, 1 m above a.
TEST(Sdf, PlacementFrame) {
  const Scene scene = must(scene_of(
      R"(<sdf version="1.9"><model name="m" placement_frame="b"><pose>0 0 5 0 0 0</pose>)" +
      link("a") + link("b", "<pose>0 0 1 0 0 0</pose>") + "</model></sdf>"));
  EXPECT_EQ(pose(scene, "b").p, Vec3(0, 0, 5));
  EXPECT_EQ(pose(scene, "a").p, Vec3(0, 0, 4));
}

TEST(Sdf, FramesMayComeInAnyOrder) {
  const Scene scene = must(scene_of(
      model(link("a", "<pose relative_to=\"far\">0 0 1 0 0 0</pose>") +
            "<frame name=\"far\" attached_to=\"near\"><pose>1 0 0 0 0 1.5707963267948966</pose>"
            "</frame><frame name=\"near\"><pose>0 2 0 0 0 0</pose></frame>")));
  EXPECT_LT((pose(scene, "a").p - Vec3(1, 2, 1)).norm(), 1e-15);
  EXPECT_LT((pose(scene, "a").R * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
}

TEST(Sdf, LimitsAndDynamics) {
  const Scene scene = must(scene_of(
      model(link("a") + link("b") +
            joint_text("j", "revolute", "a", "b",
                       axis("0 0 2",
                            "<limit><lower>-1</lower><upper>0.5</upper><effort>3</effort></limit>"
                            "<dynamics><damping>0.7</damping><friction>0.2</friction>"
                            "<spring_stiffness>5</spring_stiffness></dynamics>")) +
            joint_text("k", "prismatic", "b", "c",
                       axis("1 0 0", "<limit><lower>-1e16</lower><upper>inf</upper></limit>")) +
            link("c"))));
  const JointDescription& j = joint(scene, "j");
  EXPECT_EQ(j.limits.lower, -1);
  EXPECT_EQ(j.limits.upper, 0.5);
  EXPECT_EQ(j.friction, 0.2);
  EXPECT_EQ(j.spring.damping, 0.7);
  EXPECT_EQ(j.spring.stiffness, 5);
  EXPECT_FALSE(joint(scene, "k").limits.any());
  EXPECT_EQ(notes_with(scene, "<limit> effort"), 1);
}

// Before 1.5 axes are given in the frame of the model, later in that of the joint.
TEST(Sdf, AxesOfOldVersionsAreInTheModel) {
  const std::string text = link("a") + link("b", "<pose>0 0 0 0 0 1.5707963267948966</pose>") +
                           joint_text("j", "revolute", "a", "b", axis("1 0 0"));
  const Scene old = must(scene_of(model(text, "1.4"))), now = must(scene_of(model(text, "1.6")));
  EXPECT_LT((axis_of(old, joint(old, "j")) - Vec3::UnitX()).norm(), 1e-15);
  EXPECT_LT((axis_of(now, joint(now, "j")) - Vec3::UnitY()).norm(), 1e-15);
}

// A link with two parents closes a loop; hinges and slides keep their type there.
TEST(Sdf, LoopsAreClosedByTheJointsOfTheFile) {
  const Scene scene = must(scene_of(model(
      link("a") + link("b") + link("c") + joint_text("u", "revolute", "world", "a", axis("0 1 0")) +
      joint_text("v", "revolute", "a", "b", axis("0 1 0")) +
      joint_text("w", "revolute", "world", "c", axis("0 1 0")) +
      joint_text("z", "prismatic", "c", "b", axis("1 0 0", "<limit><lower>-2</lower></limit>")))));
  ASSERT_EQ(scene.description.joints.size(), 4u);
  const JointDescription& z = joint(scene, "z");
  ASSERT_TRUE(std::holds_alternative<PrismaticJoint>(z.type));
  EXPECT_EQ(z.limits.lower, -2);
  EXPECT_LT((axis_of(scene, z) - Vec3::UnitX()).norm(), 1e-15);
}

TEST(Sdf, CycleWithoutARootIsALoop) {
  const Scene scene =
      must(scene_of(model(link("a") + link("b", "<pose>1 0 0 0 0 0</pose>") +
                          joint_text("u", "revolute", "a", "b", axis("0 1 0")) +
                          joint_text("v", "ball", "b", "a", "<pose relative_to=\"b\"/>"))));
  EXPECT_EQ(scene.description.bodies.size(), 2u);
  EXPECT_EQ(scene.description.joints.size(), 2u);
}

// Ten turns of a right-handed screw of 2 mm advance by 20 mm along the axis.
TEST(Sdf, ScrewAdvancesByItsPitch) {
  const std::string file =
      write("screw.sdf",
            model(link("nut", "<pose>0 0 1 0 0 0</pose>") +
                  joint_text("s", "screw", "world", "nut",
                             axis("0 0 1") + "<screw_thread_pitch>0.002</screw_thread_pitch>")));
  const Scene scene = must(load_scene(
      file, {"gravity=[0,0,0]", "bodies.nut.velocity=[0,0,0.002]",
             fmt::format("bodies.nut.angular_velocity=[0,0,{}]", 2 * std::numbers::pi)}));
  Simulator simulator(scene.model, *scene.initial);
  for (int i = 0; i < 1000; ++i) simulator.step(0.01);
  EXPECT_NEAR(simulator.state().poses[0].p.z(), 1 + 10 * 0.002, 1e-9);
}

TEST(Sdf, IncludedModelsKeepTheirOwnFrames) {
  write("wheel/model.sdf", R"(<sdf version="1.9"><model name="wheel">)" +
                               link("hub", "<pose>0 0 0.5 0 0 0</pose>") + "</model></sdf>");
  const Scene scene = must(scene_of(model(
      link("base") +
      "<include><uri>wheel</uri><name>left</name><pose>0 1 0 0 0 0</pose></include>"
      "<include><uri>model://wheel</uri><name>right</name><pose>0 -1 0 0 0 0</pose></include>" +
      joint_text("l", "revolute", "base", "left::hub", axis("0 1 0")) +
      joint_text("r", "revolute", "base", "right::hub", axis("0 1 0")))));
  EXPECT_EQ(pose(scene, "left::hub").p, Vec3(0, 1, 0.5));
  EXPECT_EQ(pose(scene, "right::hub").p, Vec3(0, -1, 0.5));
  EXPECT_EQ(scene.description.joints.size(), 2u);
}

TEST(Sdf, WorldsHaveGravityStepAndStaticModels) {
  const Scene scene = must(scene_of(
      R"(<sdf version="1.9"><world name="w"><gravity>0 0 -1.6</gravity>
      <physics name="p" type="ode"><max_step_size>0.004</max_step_size></physics>
      <model name="ground"><static>true</static><link name="plane"><collision name="c"><geometry>
        <plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
      <model name="ball"><pose>0 0 2 0 0 0</pose>)" +
      link("l",
           "<collision name=\"c\"><geometry><sphere><radius>0.5</radius></sphere></geometry>"
           "<surface><friction><ode><mu>0.3</mu></ode></friction><bounce>"
           "<restitution_coefficient>0.5</restitution_coefficient></bounce></surface>"
           "</collision>") +
      "</model></world></sdf>"));
  EXPECT_EQ(scene.description.gravity, Vec3(0, 0, -1.6));
  EXPECT_EQ(scene.simulation.step, 0.004);
  EXPECT_TRUE(body(scene, "ground::plane").fixed);
  EXPECT_EQ(body(scene, "ball::l").shapes.size(), 1u);
}

// Mass of a box of 1 x 2 x 3 m and 500 kg/m^3.
TEST(Sdf, InertiaFromCollisions) {
  const Scene scene = must(scene_of(
      model("<link name=\"a\"><inertial auto=\"true\"><density>500</density></inertial><collision "
            "name=\"c\"><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>"
            "</collision></link>")));
  const BodyDescription& a = body(scene, "a");
  EXPECT_DOUBLE_EQ(*a.mass, 3000);
  EXPECT_EQ(*a.center_of_mass, Vec3(0, 0, 1));
  EXPECT_NEAR((*a.inertia)(0, 0), 3000.0 / 12 * (4 + 9), 1e-10);
}

TEST(Sdf, FaultsNameTheirPlace) {
  EXPECT_NE(first_error(model(link("a") + joint_text("j", "hinge", "world", "a", ""))).find("type"),
            std::string::npos);
  const auto code = [](const std::string& text) {
    const Result<Scene> scene = scene_of(text);
    return scene ? ErrorCode{} : scene.error().front().code;
  };
  EXPECT_EQ(code(model(link("a") + joint_text("j", "revolute", "a", "c", axis("0 0 1")))),
            ErrorCode::unknown_name);
  EXPECT_EQ(code(model(link("a") + link("a"))), ErrorCode::duplicate_name);
  EXPECT_EQ(
      code(model(link("a", "<pose relative_to=\"f\"/>") +
                 "<frame name=\"f\" attached_to=\"g\"/><frame name=\"g\" attached_to=\"f\"/>")),
      ErrorCode::conflict);
  EXPECT_EQ(code(model(link("a", "<pose>0 0 nan 0 0 0</pose>"))), ErrorCode::not_finite);
  EXPECT_EQ(code(model(link("a", "<pose>0 0 0</pose>"))), ErrorCode::wrong_size);
  EXPECT_EQ(code(model(link("a") + joint_text("j", "revolute", "world", "a", axis("0 0 0")))),
            ErrorCode::zero_vector);
  EXPECT_EQ(code("<sdf version=\"1.9\"></sdf>"), ErrorCode::empty);
  EXPECT_EQ(code(model("<include><uri>nowhere</uri></include>")), ErrorCode::not_found);
}

// 10^5 frames, each placed relative to the next one of the file.
TEST(Sdf, LongChainsOfFramesAreFollowed) {
  std::string text = link("a", "<pose relative_to=\"f0\"/>");
  constexpr int n = 100'000;
  for (int i = 0; i < n; ++i)
    text += "<frame name=\"f" + std::to_string(i) + "\"" +
            (i + 1 < n ? " attached_to=\"f" + std::to_string(i + 1) + "\"" : "") +
            "><pose>0.5 0 0 0 0 0</pose></frame>\n";
  const Scene scene = must(scene_of(model(text)));
  EXPECT_EQ(pose(scene, "a").p, Vec3(0.5 * n, 0, 0));
}

}  // namespace
}  // namespace cairn::test_sdf
