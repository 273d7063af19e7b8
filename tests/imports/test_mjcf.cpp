// MJCF: frames, angles, defaults, joints of one body, masses of geoms, links, masks and keyframes.
#include <cmath>
#include <numbers>

#include "import_helpers.hpp"

namespace cairn::test_mjcf {
namespace {

using namespace test_imports;

constexpr double pi = std::numbers::pi;

std::string model(const std::string& inside) {
  return "<mujoco>\n" + inside + "\n</mujoco>\n";
}
std::string world(const std::string& inside) {
  return model("<worldbody>\n" + inside + "\n</worldbody>");
}
constexpr const char* ball = R"(<geom size="0.1" mass="1"/>)";

// Of density 1000 unless told otherwise; an inertial element comes first.
TEST(Mjcf, MassesOfGeoms) {
  const Scene scene = must(scene_of(world(R"(
      <body name="sphere"><freejoint/><geom size="0.5"/></body>
      <body name="box"><freejoint/><geom type="box" size="0.1 0.2 0.3" density="500"/></body>
      <body name="cylinder"><freejoint/><geom type="cylinder" size="0.2 0.5" mass="3"/></body>
      <body name="capsule"><freejoint/><geom type="capsule" size="0.2" fromto="0 0 0 0 0 1"/></body>
      <body name="two"><freejoint/><geom size="0.1" mass="1"/><geom size="0.1" mass="1" pos="2 0 0"/></body>
      <body name="told"><freejoint/><inertial mass="7" pos="1 0 0" diaginertia="1 2 2.5"/><geom size="1"/></body>)")));
  EXPECT_NEAR(*body(scene, "sphere").mass, 1000 * 4 / 3.0 * pi * 0.125, 1e-10);
  const BodyDescription& box = body(scene, "box");
  EXPECT_NEAR(*box.mass, 500 * 0.2 * 0.4 * 0.6, 1e-13);
  EXPECT_NEAR((*box.inertia)(0, 0), *box.mass / 12 * (0.16 + 0.36), 1e-13);
  const BodyDescription& cylinder = body(scene, "cylinder");
  EXPECT_NEAR((*cylinder.inertia)(2, 2), 0.5 * 3 * 0.04, 1e-15);
  EXPECT_NEAR((*cylinder.inertia)(0, 0), 3 * (0.04 / 4 + 1.0 / 12), 1e-15);
  const BodyDescription& capsule = body(scene, "capsule");
  EXPECT_NEAR(*capsule.mass, 1000 * pi * (0.04 + 4 / 3.0 * 0.008), 1e-11);
  EXPECT_NEAR(capsule.center_of_mass->z(), 0.5, 1e-15);
  EXPECT_NEAR((*body(scene, "two").inertia)(1, 1), 2 * (0.4 * 0.01 + 1), 1e-14);
  EXPECT_EQ(*body(scene, "told").mass, 7);
}

TEST(Mjcf, AnglesAreInDegreesUnlessTheCompilerSaysOtherwise) {
  const std::string text = R"(<worldbody><body name="a" euler="0 0 90"><freejoint/>)" +
                           std::string(ball) + "</body></worldbody>";
  const Vec3 x = pose(must(scene_of(model(text))), "a").R * Vec3::UnitX();
  EXPECT_LT((x - Vec3::UnitY()).norm(), 1e-15);
  const Scene radians = must(scene_of(model("<compiler angle=\"radian\"/>" + text)));
  EXPECT_NEAR((pose(radians, "a").R * Vec3::UnitX()).x(), std::cos(90), 1e-14);
}

// Small letters turn about axes that turn with the frame, capitals about fixed ones.
TEST(Mjcf, SequencesOfEulerAngles) {
  const auto turned = [](const char* sequence) {
    const Scene scene =
        must(scene_of(model("<compiler eulerseq=\"" + std::string(sequence) + R"("/><worldbody>
              <body name="a" euler="10 20 30"><freejoint/>)" +
                            ball + "</body></worldbody>")));
    return pose(scene, "a").R;
  };
  const double d = pi / 180;
  const auto about = [&](double angle, const Vec3& axis) {
    return Quat(Eigen::AngleAxisd(angle * d, axis));
  };
  const Quat moving =
      about(10, Vec3::UnitX()) * about(20, Vec3::UnitY()) * about(30, Vec3::UnitZ());
  const Quat fixed = about(30, Vec3::UnitZ()) * about(20, Vec3::UnitY()) * about(10, Vec3::UnitX());
  EXPECT_LT(turned("xyz").angularDistance(moving), 1e-7);
  EXPECT_LT(turned("XYZ").angularDistance(fixed), 1e-7);
}

TEST(Mjcf, ClassesOfDefaults) {
  const Scene scene = must(scene_of(model(R"(
      <default><geom size="0.1" mass="1"/><joint damping="0"/>
        <default class="heavy"><geom mass="5"/>
          <default class="wide"><geom size="0.3"/></default></default></default>
      <worldbody>
        <body name="a"><freejoint/><geom/></body>
        <body name="b"><freejoint/><geom class="heavy"/></body>
        <body name="c" childclass="wide"><freejoint/><geom/></body>
        <body name="d" childclass="wide"><freejoint/><geom class="main" mass="2"/></body>
      </worldbody>)")));
  const auto radius = [&](const char* name) {
    return std::get<Sphere>(body(scene, name).shapes[0].geometry).radius;
  };
  EXPECT_EQ(*body(scene, "a").mass, 1);
  EXPECT_EQ(*body(scene, "b").mass, 5);
  EXPECT_EQ(*body(scene, "c").mass, 5);
  EXPECT_EQ(*body(scene, "d").mass, 2);
  EXPECT_EQ(radius("b"), 0.1);
  EXPECT_EQ(radius("c"), 0.3);
  EXPECT_EQ(radius("d"), 0.1);
}

TEST(Mjcf, FramesAndReplicasPlaceTheirBodies) {
  const Scene scene = must(scene_of(world(R"(
      <frame pos="1 0 0" euler="0 0 90"><body name="f" pos="1 0 0"><freejoint/><geom size="0.1"/></body></frame>
      <replicate count="3" offset="0 0 1"><body name="r" pos="5 0 0"><freejoint/><geom size="0.1"/></body></replicate>)")));
  EXPECT_LT((pose(scene, "f").p - Vec3(1, 1, 0)).norm(), 1e-15);
  for (int i = 0; i < 3; ++i)
    EXPECT_LT((pose(scene, "r" + std::to_string(i)).p - Vec3(5, 0, i)).norm(), 1e-15);
}

// Tendons between replicated sites are replicated with them.
TEST(Mjcf, TendonsFollowReplicas) {
  const Scene scene = must(scene_of(model(R"(<worldbody>
      <replicate count="2" offset="0 1 0"><site name="top" pos="0 0 1"/>
        <body name="b"><freejoint/><geom size="0.1"/><site name="hook"/></body></replicate></worldbody>
      <tendon><spatial name="rope" limited="true" range="0 1.5"><site site="top"/><site site="hook"/></spatial></tendon>)")));
  ASSERT_EQ(scene.description.joints.size(), 2);
  for (int i = 0; i < 2; ++i) {
    const JointDescription& j = joint(scene, "rope" + std::to_string(i));
    ASSERT_TRUE(std::holds_alternative<RopeJoint>(j.type));
    EXPECT_EQ(std::get<RopeJoint>(j.type).length, 1.5);
    EXPECT_EQ(j.bodies[1], "b" + std::to_string(i));
    EXPECT_EQ(j.anchors[0], Vec3(0, i, 1));
  }
}

TEST(Mjcf, HingesAndSlides) {
  const Scene scene = must(scene_of(world(R"(
      <body name="a" pos="0 0 2" euler="0 0 90">
        <joint name="h" axis="1 0 0" pos="0 0 1" range="-90 45" frictionloss="0.5"/>)" +
                                          std::string(ball) + R"(
        <body name="b" pos="1 0 0"><joint name="s" type="slide" axis="0 0 2" range="-1 2"/>)" +
                                          ball + "</body></body>")));
  const JointDescription &h = joint(scene, "h"), &s = joint(scene, "s");
  EXPECT_LT((axis_of(scene, h) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_LT((point_of(scene, h) - Vec3(0, 0, 3)).norm(), 1e-15);
  EXPECT_NEAR(h.limits.lower, -pi / 2, 1e-15);
  EXPECT_NEAR(h.limits.upper, pi / 4, 1e-15);
  EXPECT_EQ(h.friction, 0.5);
  EXPECT_EQ(h.bodies[0], "world");
  ASSERT_TRUE(std::holds_alternative<PrismaticJoint>(s.type));
  EXPECT_EQ(s.limits.upper, 2);
  EXPECT_EQ(s.bodies[0], "a");
}

TEST(Mjcf, SpringsRotorsGainsAndCouplings) {
  const Scene scene = must(scene_of(model(R"(<compiler angle="radian"/><worldbody>
      <body name="a"><joint name="h" axis="0 0 1" damping="0.3" stiffness="5" springref="0.2"
        armature="0.04"/>)" + std::string(ball) +
                                          R"(</body>
      <body name="b" pos="1 0 0"><joint name="s" type="slide" axis="0 0 1"/>)" +
                                          ball + R"(</body></worldbody>
      <equality><joint joint1="h" joint2="s" polycoef="0 2 0 0 0"/></equality>
      <actuator><position joint="s" kp="80" kv="3" forcerange="-9 9"/></actuator>)")));
  const JointDescription &h = joint(scene, "h"), &s = joint(scene, "s");
  EXPECT_EQ(h.spring.stiffness, 5);
  EXPECT_EQ(h.spring.rest, 0.2);
  EXPECT_EQ(h.spring.damping, 0.3);
  EXPECT_EQ(h.armature, 0.04);
  ASSERT_TRUE(s.motor);
  EXPECT_EQ(s.motor->stiffness, 80);
  EXPECT_EQ(s.motor->damping, 3);
  EXPECT_EQ(s.motor->max_effort, 9);
  ASSERT_EQ(scene.description.gears.size(), 1u);
  EXPECT_EQ(scene.description.gears[0].terms[0].ratio, 1);
  EXPECT_EQ(scene.description.gears[0].terms[1].ratio, -2);
}

// The reference is the coordinate of the pose as written.
TEST(Mjcf, RangesCountFromTheReference) {
  const Scene scene =
      must(scene_of(world(R"(<body name="a"><joint name="h" ref="30" range="0 90"/>)" +
                          std::string(ball) + "</body>")));
  EXPECT_NEAR(joint(scene, "h").limits.lower, -pi / 6, 1e-15);
  EXPECT_NEAR(joint(scene, "h").limits.upper, pi / 3, 1e-15);
}

TEST(Mjcf, SeveralJointsOfOneBody) {
  const auto type = [](const std::string& joints) {
    const Scene scene = must(scene_of(world("<body name=\"a\">" + joints + ball + "</body>")));
    std::string types;
    for (const JointDescription& j : scene.description.joints)
      types += std::string(types.empty() ? "" : " ") + type_name(j.type);
    return types;
  };
  const std::string x = R"(<joint type="slide" axis="1 0 0"/>)",
                    y = R"(<joint type="slide" axis="0 1 0"/>)", rx = R"(<joint axis="1 0 0"/>)",
                    ry = R"(<joint axis="0 1 0"/>)", rz = R"(<joint axis="0 0 1"/>)";
  EXPECT_EQ(type(x + rx), "cylindrical");
  EXPECT_EQ(type(rx + ry), "universal");
  EXPECT_EQ(type(x + y + rz), "planar");
  EXPECT_EQ(type(rx + ry + rz), "ball");
  EXPECT_EQ(type(x + y), "prismatic prismatic");
  EXPECT_EQ(type(x + ry + rz), "prismatic revolute revolute");
}

// Between two slides is a small body; its mass is noted and 1e-4 of that of the body.
TEST(Mjcf, BodiesBetweenJointsAreSmallAndListed) {
  const Scene scene =
      must(scene_of(world(R"(<body name="a"><joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/>)" +
                          std::string(ball) + "</body>")));
  EXPECT_NEAR(*body(scene, "a-x").mass, 1e-4, 1e-18);
  EXPECT_EQ(notes_with(scene, "several joints on one body"), 1);
}

TEST(Mjcf, EqualityClosesLoops) {
  const Scene scene = must(scene_of(model(R"(<worldbody>
      <body name="a" pos="1 0 0"><freejoint/><geom size="0.1"/></body>
      <body name="b" pos="2 0 0"><freejoint/><geom size="0.1"/></body></worldbody>
      <equality><connect name="c" body1="a" body2="b" anchor="0.5 0 0"/>
        <weld name="w" body1="a"/><weld name="off" body1="a" body2="b" active="false"/></equality>)")));
  const JointDescription& c = joint(scene, "c");
  EXPECT_EQ(c.anchors[0], Vec3(0.5, 0, 0));
  EXPECT_EQ(c.anchors[1], Vec3(-0.5, 0, 0));
  EXPECT_TRUE(std::holds_alternative<FixedJoint>(joint(scene, "w").type));
  EXPECT_EQ(scene.description.joints.size(), 2);
  EXPECT_EQ(notes_with(scene, "it is not active"), 1);
}

TEST(Mjcf, MasksAndExcludesKeepBodiesApart) {
  const Scene scene = must(scene_of(model(R"(<worldbody>
      <body name="a"><freejoint/><geom size="0.1" contype="1" conaffinity="2"/></body>
      <body name="b" pos="1 0 0"><freejoint/><geom size="0.1" contype="1" conaffinity="2"/></body>
      <body name="c" pos="2 0 0"><freejoint/><geom size="0.1" contype="2" conaffinity="1"/></body>
      <body name="d" pos="3 0 0"><freejoint/><geom size="0.1" contype="2" conaffinity="1"/></body>
      </worldbody><contact><exclude body1="a" body2="c"/></contact>)")));
  // a touches c and d, b too; a and b, c and d do not touch; a and c are excluded.
  const std::vector<std::array<std::string, 2>> expected = {{"a", "c"}, {"c", "d"}, {"a", "b"}};
  EXPECT_EQ(scene.description.no_contact.size(), expected.size());
  for (const auto& pair : expected)
    EXPECT_NE(
        std::find(scene.description.no_contact.begin(), scene.description.no_contact.end(), pair),
        scene.description.no_contact.end())
        << pair[0] << pair[1];
}

// Of two geoms the larger friction holds; a pair of condim 3 has no torsional friction.
TEST(Mjcf, FrictionOfPairsIsTheLargerOne) {
  const Scene scene = must(scene_of(world(R"(<geom type="plane" size="1 1 1" friction="0.2"/>
      <body name="a" pos="0 0 1"><freejoint/><geom size="0.1" friction="0.9" condim="4"/></body>)")));
  bool found = false;
  for (const auto& [name, material] : scene.description.materials)
    if (name.find('|') != std::string::npos && material.friction == 0.9) {
      found = true;
      EXPECT_EQ(material.torsional_friction, 0.005);
    }
  EXPECT_TRUE(found);
}

TEST(Mjcf, KeyframesAreStarts) {
  const std::string text = model(R"(<worldbody>
      <body name="a"><freejoint/>)" +
                                 std::string(ball) + R"(
        <body name="b" pos="1 0 0"><joint name="h" axis="0 0 1"/>)" +
                                 ball + R"(</body></body></worldbody>
      <keyframe><key name="up" qpos="0 0 3  0.7071067811865476 0 0 0.7071067811865476  1.5707963267948966"
        qvel="1 2 3 0 0 4 5"/></keyframe>)");
  const Scene plain = must(scene_of(text));
  EXPECT_EQ(pose(plain, "b").p, Vec3(1, 0, 0));
  EXPECT_EQ(notes_with(plain, "--keyframe up"), 1);
  const Scene scene = must(scene_of(text, {.keyframe = "up"}));
  EXPECT_LT((pose(scene, "a").p - Vec3(0, 0, 3)).norm(), 1e-15);
  EXPECT_LT((pose(scene, "b").p - Vec3(0, 1, 3)).norm(), 1e-15);
  EXPECT_LT((pose(scene, "b").R * Vec3::UnitX() + Vec3::UnitX()).norm(), 1e-15);
  EXPECT_LT((body(scene, "a").angular_velocity - Vec3(0, 0, 4)).norm(), 1e-15);
  EXPECT_LT((body(scene, "b").angular_velocity - Vec3(0, 0, 9)).norm(), 1e-14);
  // b is 1 m along y of the world from a, which turns with 4 rad/s.
  EXPECT_LT((body(scene, "b").velocity - Vec3(1 - 4, 2, 3)).norm(), 1e-14);
  EXPECT_FALSE(scene_of(text, {.keyframe = "down"}));
}

TEST(Mjcf, OptionsOfTheSimulation) {
  const Scene scene = must(scene_of(model(
      R"(<option gravity="0 0 -1.5" timestep="0.004"/><worldbody><body name="a"><freejoint/>)" +
      std::string(ball) + "</body></worldbody>")));
  EXPECT_EQ(scene.description.gravity, Vec3(0, 0, -1.5));
  EXPECT_EQ(scene.simulation.step, 0.004);
}

TEST(Mjcf, IncludesAreRead) {
  write(
      "part.xml",
      R"(<mujocoinclude><body name="part"><freejoint/><geom size="0.1"/></body></mujocoinclude>)");
  EXPECT_EQ(must(scene_of(world(R"(<include file="part.xml"/>)"))).description.bodies.size(), 1);
  write("loop.xml", R"(<mujoco><include file="model.xml"/></mujoco>)");
  const Result<Scene> loop = scene_of(model(R"(<include file="loop.xml"/>)"));
  ASSERT_FALSE(loop);
  EXPECT_EQ(loop.error().front().code, ErrorCode::conflict);
}

TEST(Mjcf, FaultsHaveCodes) {
  struct Fault {
    std::string text;
    ErrorCode code;
  };
  const std::string b = "<body name=\"a\"><freejoint/>", e = "</body>";
  const std::vector<Fault> faults = {
      {world(b + "<geom type=\"cone\"/>" + e), ErrorCode::unknown_choice},
      {world(b + "<geom type=\"box\" size=\"1\"/>" + e), ErrorCode::out_of_range},
      {world(b + "<geom size=\"x\"/>" + e), ErrorCode::wrong_type},
      {world(b + "<geom type=\"mesh\" mesh=\"m\"/>" + e), ErrorCode::unknown_name},
      {world(b + "<geom class=\"c\" size=\"1\"/>" + e), ErrorCode::unknown_name},
      {world("<body name=\"a\"><joint type=\"screw\"/>" + std::string(ball) + e),
       ErrorCode::unknown_choice},
      {world("<body name=\"a\"><joint axis=\"0 0 0\"/>" + std::string(ball) + e),
       ErrorCode::zero_vector},
      {world("<joint/>"), ErrorCode::conflict},
      {world(b + ball + e + b + ball + e), ErrorCode::duplicate_name},
      {world("<body name=\"a\"><joint/></body>"), ErrorCode::invalid_inertia},
      {world("<replicate count=\"999999\">" + b + ball + e + "</replicate>"), ErrorCode::too_many},
      {model("<compiler coordinate=\"global\"/>"), ErrorCode::unsupported},
      {model("<compiler eulerseq=\"abc\"/>"), ErrorCode::unknown_choice},
      {model("<include file=\"none.xml\"/>"), ErrorCode::not_found},
      {model("<actuator><motor joint=\"j\"/></actuator>"), ErrorCode::unknown_name},
      {model("<contact><exclude body1=\"x\" body2=\"y\"/></contact>"), ErrorCode::unknown_name}};
  for (const Fault& fault : faults) {
    const Result<Scene> scene = scene_of(fault.text);
    ASSERT_FALSE(scene) << fault.text;
    EXPECT_EQ(scene.error().front().code, fault.code) << fault.text << errors_of(scene.error());
    EXPECT_GT(scene.error().front().line, 0) << fault.text;
  }
}

// What is switched off in src/imports/scene/support.hpp is listed.
TEST(Mjcf, PublicModelsAreImported) {
  const std::filesystem::path folder =
      std::filesystem::path(CAIRN_SOURCE_DIR) / "../shared/data/models/mjcf";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "needs ../shared/data/models";
  const std::vector<std::pair<const char*, std::size_t>> moving = {
      {"car", 3}, {"cards", 53}, {"dominos", 96}, {"newton_cradle", 7}, {"slider_crank", 3}};
  for (const auto& [name, count] : moving) {
    const Scene scene = must(load_scene((folder / (std::string(name) + ".xml")).string()));
    std::size_t found = 0;
    for (const BodyDescription& b : scene.description.bodies) found += !b.fixed;
    EXPECT_EQ(found, count) << name;
    EXPECT_FALSE(scene.warnings.empty()) << name;
  }
}

}  // namespace
}  // namespace cairn::test_mjcf
