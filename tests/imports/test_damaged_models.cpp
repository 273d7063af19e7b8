// Damaged files give errors or scenes, never anything else.
#include <random>

#include "import_helpers.hpp"

namespace cairn::test_damaged_models {
namespace {

using namespace test_imports;

constexpr const char* urdf = R"(<?xml version="1.0"?>
<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material>
<link name="a"><inertial><origin xyz="0 0 1" rpy="0 1 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<collision><geometry><box size="1 1 1"/></geometry></collision><visual><geometry><cylinder radius="1" length="2"/></geometry></visual></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" iyy="1" izz="1"/></inertial>
<collision><geometry><sphere radius="1"/></geometry></collision></link>
<link name="c"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="3 0 0"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="2" velocity="3"/><dynamics damping="0.1" friction="0.2"/></joint>
<joint name="k" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/><mimic joint="j" multiplier="2" offset="1"/></joint>
<transmission name="t"><joint name="j"/></transmission></robot>)";

constexpr const char* mjcf =
    R"(<mujoco model="m"><compiler angle="radian" eulerseq="xyz" autolimits="true"/>
<option gravity="0 0 -9" timestep="0.001"/><default><geom density="100"/><default class="c"><joint damping="1" armature="0.1"/></default></default>
<asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><material name="red" rgba="1 0 0 1"/></asset>
<worldbody><geom type="plane" size="1 1 1"/><site name="s" pos="0 0 2"/>
<body name="a" pos="0 0 1" euler="0.1 0.2 0.3" childclass="c"><joint name="j" axis="0 1 0" range="-1 1" ref="0.1"/><geom size="0.1"/><site name="p"/>
<body name="b" pos="1 0 0"><joint name="x" type="slide"/><joint name="y" type="ball"/><geom type="mesh" mesh="t"/></body></body>
<replicate count="3" offset="0 3 0" euler="0 0 1"><frame pos="5 0 0"><body name="r"><freejoint/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/></body></frame></replicate>
</worldbody><tendon><spatial range="0 5" limited="true"><site site="s"/><site site="p"/></spatial><fixed name="f"><joint joint="j" coef="1"/></fixed></tendon>
<equality><joint joint1="j" joint2="x" polycoef="0 2 0 0 0"/><connect body1="r0" body2="r1" anchor="1 0 0"/></equality>
<actuator><position joint="j" kp="10"/><motor joint="x" gear="3"/></actuator><contact><exclude body1="a" body2="r2"/></contact>
<keyframe><key name="k" qpos="0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0"/></keyframe></mujoco>)";

std::string damaged(std::string text, std::mt19937& random) {
  static constexpr const char* words[] = {"nan",    "1e999",
                                          "-1",     "0",
                                          "",       "\"",
                                          "<",      ">",
                                          "/>",     "&#0;",
                                          "&amp;",  "1e308",
                                          "world",  "j",
                                          "a",      "<x>",
                                          "<!--",   "<![CDATA[",
                                          "\n",     "=",
                                          "\xff",   "99999999999999999999",
                                          "true",   "mesh",
                                          "<body>", "</link>"};
  const int changes = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = random() % text.size();
    const std::size_t length = std::min<std::size_t>(random() % 40, text.size() - at);
    switch (random() % 10) {
      case 0:
        text[at] = static_cast<char>(random() % 256);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, words[random() % std::size(words)]);
        break;
      case 3:
        text.replace(at, length, words[random() % std::size(words)]);
        break;
      case 4:
        text.insert(random() % text.size(), text.substr(at, length));
        break;
      default: {
        // The value of an attribute.
        const std::size_t open = text.find('"', at);
        const std::size_t close = open == std::string::npos ? open : text.find('"', open + 1);
        if (close != std::string::npos)
          text.replace(open + 1, close - open - 1, words[random() % std::size(words)]);
      }
    }
  }
  if (random() % 10 == 0) text.resize(random() % (text.size() + 1));
  return text;
}

TEST(DamagedModels, EndAsErrorsOrScenes) {
  std::mt19937 random(11);
  int scenes = 0, errors = 0;
  const std::string file = (scratch() / "damaged.xml").string();
  for (int i = 0; i < 6000; ++i) {
    const std::string text = damaged(i % 2 == 0 ? urdf : mjcf, random);
    const Result<Scene> scene = parse_scene(text, file);
    if (scene) {
      ++scenes;
      continue;
    }
    ++errors;
    ASSERT_FALSE(scene.error().empty());
    for (const Error& e : scene.error()) {
      ASSERT_NE(e.code, ErrorCode::internal) << e.text() << "\n" << text;
      ASSERT_NE(e.code, ErrorCode::none) << e.text();
    }
  }
  // Both happen: the damage is neither nothing nor everything.
  EXPECT_GT(scenes, 100);
  EXPECT_GT(errors, 100);
}

TEST(DamagedModels, UndamagedOnesAreRead) {
  for (const char* text : {urdf, mjcf}) {
    const Result<Scene> scene = parse_scene(text, "model.xml");
    EXPECT_TRUE(scene) << errors_of(scene ? Errors{} : scene.error());
  }
}

}  // namespace
}  // namespace cairn::test_damaged_models
