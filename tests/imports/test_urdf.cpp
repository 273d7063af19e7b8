// URDF: what links and joints become, and what of a file is refused or listed.
#include "import_helpers.hpp"

namespace cairn::test_urdf {
namespace {

using namespace test_imports;

constexpr const char* link_of_one =
    R"(<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>)";

std::string robot(const std::string& inside) {
  return "<?xml version=\"1.0\"?>\n<robot name=\"r\">\n" + inside + "\n</robot>\n";
}
std::string link(const std::string& name, const std::string& inside = link_of_one) {
  return "<link name=\"" + name + "\">" + inside + "</link>\n";
}
std::string joint_text(const std::string& type, const std::string& inside = "") {
  return "<joint name=\"j\" type=\"" + type + R"("><parent link="a"/><child link="b"/>)" + inside +
         "</joint>\n";
}

// A link turned by 90 degrees about z, whose inertial frame is turned by 90 degrees about x.
TEST(Urdf, InertiaIsTurnedIntoTheFrameOfTheLink) {
  const Scene scene = must(scene_of(robot(link("a", R"(<inertial>
      <origin xyz="1 2 3" rpy="1.5707963267948966 0 0"/>
      <mass value="2"/><inertia ixx="1" iyy="2" izz="2.5"/></inertial>)"))));
  const BodyDescription& a = body(scene, "a");
  EXPECT_EQ(a.mass, 2);
  EXPECT_EQ(*a.center_of_mass, Vec3(1, 2, 3));
  // y of the inertial frame is z of the link and the other way round.
  const Mat3 expected = Vec3(1, 2.5, 2).asDiagonal();
  EXPECT_LT((*a.inertia - expected).norm(), 1e-15);
}

TEST(Urdf, JointFrameAxisAndLimits) {
  const Scene scene = must(
      scene_of(robot(link("a") + link("b") +
                     joint_text("revolute", R"(<origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>
          <axis xyz="2 0 0"/><limit lower="-1" upper="0.5" effort="3" velocity="4"/>
          <dynamics friction="0.25"/>)"))));
  const JointDescription& j = joint(scene, "j");
  EXPECT_LT((axis_of(scene, j) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_EQ(point_of(scene, j), Vec3(0, 0, 1));
  EXPECT_EQ(j.limits.lower, -1);
  EXPECT_EQ(j.limits.upper, 0.5);
  EXPECT_EQ(j.friction, 0.25);
  EXPECT_EQ(notes_with(scene, "<limit> effort"), 1);
  EXPECT_EQ(notes_with(scene, "<limit> velocity"), 1);
}

TEST(Urdf, DampingAndMimic) {
  const std::string second =
      R"(<joint name="k" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0 0 1"/>
         <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/>
         <mimic joint="j" multiplier="-2"/></joint>)";
  const Scene scene = must(scene_of(robot(link("a") + link("b") + link("c") +
                                          joint_text("revolute", R"(<axis xyz="0 0 1"/>
          <limit lower="-1" upper="1" effort="3" velocity="4"/><dynamics damping="0.7"/>)") +
                                          second)));
  EXPECT_EQ(joint(scene, "j").spring.damping, 0.7);
  ASSERT_EQ(scene.description.gears.size(), 1u);
  const GearDescription& gear = scene.description.gears[0];
  ASSERT_EQ(gear.terms.size(), 2u);
  EXPECT_EQ(gear.terms[0].joint, "k");
  EXPECT_EQ(gear.terms[0].ratio, 1);
  EXPECT_EQ(gear.terms[1].joint, "j");
  EXPECT_EQ(gear.terms[1].ratio, 2);
  EXPECT_EQ(scene.model->gears[0].angle, true);
}

TEST(Urdf, CylindersAndPictures) {
  const Scene scene =
      must(scene_of(robot(link("a", std::string(link_of_one) +
                                        R"(<visual><geometry><box size="1 2 3"/></geometry>
          <material name="m"><color rgba="1 0.5 0.25 1"/></material></visual>
          <collision><geometry><cylinder radius="0.3" length="0.8"/></geometry></collision>)"))));
  const BodyDescription& a = body(scene, "a");
  ASSERT_EQ(a.shapes.size(), 1u);
  const auto* cylinder = std::get_if<Frustum>(&a.shapes[0].geometry);
  ASSERT_TRUE(cylinder);
  EXPECT_EQ(cylinder->length, 0.8);
  EXPECT_EQ(a.visual.size(), 1u);
}

// Zero is outside of the range: the joint starts at its lower end, turned by 0.5 rad.
TEST(Urdf, StartIsMovedIntoTheRange) {
  const Scene scene =
      must(scene_of(robot(link("a") + link("b") + joint_text("revolute", R"(<axis xyz="0 0 1"/>
                <limit lower="0.5" upper="1.5" effort="1" velocity="1"/>)"))));
  const JointDescription& j = joint(scene, "j");
  EXPECT_EQ(j.limits.lower, 0);
  EXPECT_EQ(j.limits.upper, 1);
  EXPECT_NEAR(2 * std::acos(body(scene, "b").orientation.w()), 0.5, 1e-15);
  EXPECT_EQ(notes_with(scene, "nearest end of its range"), 1);
}

TEST(Urdf, LinksJoinedRigidlyAreOneBody) {
  const Scene scene = must(
      scene_of(robot(link("a") + link("b") + joint_text("fixed", R"(<origin xyz="2 0 0"/>)"))));
  ASSERT_EQ(scene.description.bodies.size(), 1);
  const BodyDescription& a = body(scene, "a");
  EXPECT_EQ(a.mass, 2);
  EXPECT_EQ(*a.center_of_mass, Vec3(1, 0, 0));
  // Each is 1 m from the common centre.
  const Mat3 expected = Vec3(0.2, 2.2, 2.2).asDiagonal();
  EXPECT_LT((*a.inertia - expected).norm(), 1e-15);
}

TEST(Urdf, BaseIsWhatTheFileSays) {
  const std::string with_mass = robot(link("a"));
  EXPECT_FALSE(body(must(scene_of(with_mass)), "a").fixed);
  EXPECT_TRUE(body(must(scene_of(with_mass, {.base = ImportBase::fixed})), "a").fixed);
  const std::string massless =
      robot(link("a", "") + link("b") + joint_text("continuous", R"(<axis xyz="0 1 0"/>)"));
  EXPECT_TRUE(body(must(scene_of(massless)), "a").fixed);
  // The link world is the frame of the world, whether it is listed or not.
  for (const std::string& world : {std::string("<link name=\"world\"/>"), std::string()}) {
    const Scene scene = must(scene_of(robot(
        world + link("b") +
        R"(<joint name="j" type="continuous"><parent link="world"/><child link="b"/></joint>)")));
    EXPECT_EQ(joint(scene, "j").bodies[0], "world");
    EXPECT_EQ(scene.description.bodies.size(), 1);
  }
}

TEST(Urdf, ShapesOfContactAndOfPicturesAreApart) {
  const std::string shape = R"(<geometry><sphere radius="0.5"/></geometry>)";
  const Scene scene = must(scene_of(robot(link(
      "a", std::string(link_of_one) + "<visual>" + shape + "</visual>" + "<visual>" + shape +
               "</visual><collision>" + R"(<origin xyz="0 0 1"/>)" + shape + "</collision>"))));
  ASSERT_EQ(body(scene, "a").shapes.size(), 1);
  EXPECT_EQ(body(scene, "a").shapes[0].X_BS.p, Vec3(0, 0, 1));
}

TEST(Urdf, PlanarJointHasTwoSlidesAndAHinge) {
  const Scene scene =
      must(scene_of(robot(link("a") + link("b") + joint_text("planar", R"(<axis xyz="0 0 1"/>)"))));
  const auto* planar = std::get_if<PlanarJoint>(&joint(scene, "j").type);
  ASSERT_TRUE(planar);
  EXPECT_LT((planar->normal - Vec3::UnitZ()).norm(), 1e-15);
}

TEST(Urdf, FloatingLinkIsFree) {
  const Scene scene = must(
      scene_of(robot(link("a") + link("b") + joint_text("floating", R"(<origin xyz="0 3 0"/>)"))));
  EXPECT_TRUE(scene.description.joints.empty());
  EXPECT_EQ(body(scene, "b").position, Vec3(0, 3, 0));
}

// What is not taken over has its line; no attribute or element is lost in silence.
TEST(Urdf, EveryUnknownThingIsListed) {
  const std::string file =
      write("model.xml",
            robot(link("a", std::string(link_of_one) + "<strange x=\"1\"/>") +
                  R"(<transmission name="t"><type>x</type></transmission>)" + "<unheard_of/>"));
  const Result<ImportedModel> model = import_model(file);
  ASSERT_TRUE(model);
  int found = 0;
  for (const ImportNote& note : model->notes) {
    EXPECT_GT(note.line, 2);
    for (const char* name : {"strange", "transmission", "unheard_of"})
      found += note.element == name;
  }
  EXPECT_EQ(found, 3);
}

TEST(Urdf, MeshesOfPackagesAreFound) {
  const std::string tetrahedron =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  write("parts/meshes/t.obj", tetrahedron);
  write("ros/share/other/meshes/t.obj", tetrahedron);
  const auto text = [](const std::string& name) {
    return robot(link("a", std::string(link_of_one) + R"(<collision><geometry><mesh filename=")" +
                               name + R"(" scale="2 2 2"/></geometry></collision>)"));
  };
  const std::string file = write("parts/urdf/model.urdf", text("package://parts/meshes/t.obj"));
  // By walking up, by an option, by the environment.
  EXPECT_TRUE(load_scene(file));
  const std::string named = write("model.xml", text("package://anything/meshes/t.obj"));
  EXPECT_FALSE(load_scene(named));
  const Scene scene =
      must(load_scene(named, {}, {.packages = {{"anything", (scratch() / "parts").string()}}}));
  ASSERT_EQ(body(scene, "a").shapes.size(), 1);
  const auto* hull = std::get_if<Hull>(&body(scene, "a").shapes[0].geometry);
  if (hull) {
    EXPECT_EQ(hull->vertices.size(), 4);
    double largest = 0;
    for (const Vec3& v : hull->vertices) largest = std::max(largest, v.maxCoeff());
    EXPECT_EQ(largest, 2);
  }
  ::setenv("AMENT_PREFIX_PATH", (scratch() / "ros").c_str(), 1);
  EXPECT_TRUE(load_scene(write("model.xml", text("package://other/meshes/t.obj"))));
  ::unsetenv("AMENT_PREFIX_PATH");
}

struct Fault {
  const char* what;
  std::string text;
  ErrorCode code;
  int line;
};

TEST(Urdf, FaultsHaveCodesAndLines) {
  const std::string good = link("a") + link("b");
  std::string deep = robot("");
  for (int i = 0; i < 200; ++i) deep.insert(deep.find("</robot>"), "<x>");
  for (int i = 0; i < 200; ++i) deep.insert(deep.find("</robot>"), "</x>");
  const std::vector<Fault> faults = {
      {"no XML", "<robot name=\"r\">\n<link", ErrorCode::syntax, 2},
      {"tags that do not match", "<robot>\n</link>", ErrorCode::syntax, 2},
      {"two root elements", "<robot/>\n<robot/>", ErrorCode::syntax, 2},
      {"another root", "<html/>", ErrorCode::wrong_format, 1},
      {"entities", "<!DOCTYPE r [<!ENTITY a \"b\">]>\n<robot/>", ErrorCode::unsupported, 1},
      {"nesting", deep, ErrorCode::too_deep, 4},
      {"a zero byte", robot(link("a")) + std::string(1, '\0'), ErrorCode::encoding, 6},
      {"an attribute twice", "<robot name=\"a\"\n name=\"b\"/>", ErrorCode::duplicate_key, 2},
      {"no links", robot(""), ErrorCode::empty, 2},
      {"two roots", robot(good), ErrorCode::conflict, 4},
      {"a link twice", robot(link("a") + link("a")), ErrorCode::duplicate_name, 4},
      {"an unknown parent", robot(link("b") + joint_text("fixed")), ErrorCode::unknown_name, 4},
      {"two parents",
       robot(good + joint_text("fixed") +
             R"(<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint>)"),
       ErrorCode::conflict, 6},
      {"a cycle",
       robot(link("c") + good + joint_text("fixed") +
             R"(<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>)"),
       ErrorCode::conflict, 4},
      {"an unknown type", robot(good + joint_text("hinge")), ErrorCode::unknown_choice, 5},
      {"not a number", robot(link("a", "<inertial><mass value=\"x\"/></inertial>")),
       ErrorCode::wrong_type, 3},
      {"NaN", robot(link("a", "<inertial><mass value=\"nan\"/></inertial>")), ErrorCode::not_finite,
       3},
      {"two numbers", robot(good + joint_text("continuous", "<axis xyz=\"1 0\"/>")),
       ErrorCode::wrong_size, 5},
      {"no axis", robot(good + joint_text("continuous", "<axis xyz=\"0 0 0\"/>")),
       ErrorCode::zero_vector, 5},
      {"a mass that is missing", robot(link("a") + link("b", "") + joint_text("continuous")),
       ErrorCode::invalid_inertia, 4},
      {"an inertia that is missing", robot(link("a", "<inertial><mass value=\"1\"/></inertial>")),
       ErrorCode::invalid_inertia, 3},
      {"an impossible inertia",
       robot(link("a",
                  R"(<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="3"/></inertial>)")),
       ErrorCode::invalid_inertia, 3},
      {"a missing mesh",
       robot(link("a",
                  std::string(link_of_one) +
                      R"(<collision><geometry><mesh filename="no.stl"/></geometry></collision>)")),
       ErrorCode::not_found, 3},
      {"a mesh of another format",
       robot(link("a",
                  std::string(link_of_one) +
                      R"(<collision><geometry><mesh filename="a.dae"/></geometry></collision>)")),
       ErrorCode::unsupported, 3},
      {"a mimic of nobody", robot(good + joint_text("continuous", "<mimic joint=\"k\"/>")),
       ErrorCode::unknown_name, 5},
  };
  for (const Fault& fault : faults) {
    const Result<Scene> scene = scene_of(fault.text);
    ASSERT_FALSE(scene) << fault.what;
    const Error& first = scene.error().front();
    EXPECT_EQ(first.code, fault.code) << fault.what << ": " << first.text();
    EXPECT_EQ(first.line, fault.line) << fault.what << ": " << first.text();
    EXPECT_FALSE(first.fix.empty()) << fault.what;
  }
}

TEST(Urdf, RemediesOfInertiasWork) {
  const std::string impossible = robot(
      link("a", R"(<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="4"/></inertial>)"));
  const Scene balanced = must(scene_of(impossible, {.balance_inertia = true}));
  EXPECT_LT((*body(balanced, "a").inertia - 2 * Mat3::Identity()).norm(), 1e-14);
  const std::string massless = robot(link("a") + link("b", "") + joint_text("continuous"));
  const Scene bounded = must(scene_of(massless, {.bound_mass = 0.5, .bound_inertia = 0.25}));
  EXPECT_EQ(body(bounded, "b").mass, 0.5);
  EXPECT_LT((*body(bounded, "b").inertia - 0.25 * Mat3::Identity()).norm(), 1e-15);
}

// A million links are refused before memory is taken for them.
TEST(Urdf, AMillionLinksAreRefusedQuickly) {
  std::string text = "<robot name=\"r\">";
  for (int i = 0; i < 1'000'000; ++i) text += "<link name=\"l" + std::to_string(i) + "\"/>";
  const Result<Scene> scene = scene_of(text + "</robot>");
  ASSERT_FALSE(scene);
  EXPECT_EQ(scene.error().front().code, ErrorCode::too_many);
  EXPECT_EQ(scene.error().front().kind, ErrorKind::limit);
}

// A chain of 20000 links: no recursion goes along it.
TEST(Urdf, LongChainsAreRead) {
  std::string text = "<robot name=\"r\">";
  const int n = 20'000;
  for (int i = 0; i < n; ++i) text += link("l" + std::to_string(i));
  for (int i = 1; i < n; ++i)
    text += "<joint name=\"j" + std::to_string(i) + "\" type=\"fixed\"><parent link=\"l" +
            std::to_string(i - 1) + "\"/><child link=\"l" + std::to_string(i) + "\"/></joint>";
  const Scene scene = must(scene_of(text + "</robot>"));
  ASSERT_EQ(scene.description.bodies.size(), 1);
  EXPECT_EQ(scene.description.bodies[0].mass, n);
}

}  // namespace
}  // namespace cairn::test_urdf
