// Words of other engines lead to the keys of the scene format.
#include <gtest/gtest.h>

#include "cairn/scene.hpp"

namespace cairn::test_foreign_words {
namespace {

std::string fix_of(const std::string& text) {
  const Result<Scene> scene = parse_scene(text, "scene.json");
  if (scene) return "accepted";
  for (const Error& e : scene.error())
    if (e.code == ErrorCode::unknown_key || e.code == ErrorCode::unknown_choice) return e.fix;
  return scene.error().front().text();
}

std::string in_scene(const std::string& key) {
  return "{\"cairn\": 1, \"" + key + "\": []}";
}
std::string in_body(const std::string& key) {
  return R"({"cairn": 1, "bodies": [{"name": "a", "mass": 1, "shapes": [{"type": "sphere", "radius": 1}], ")" +
         key + "\": 1}]}";
}
std::string in_joint(const std::string& key, const std::string& type = "revolute") {
  return R"({"cairn": 1, "bodies": [{"name": "a", "mass": 1, "inertia": 1, "center_of_mass": [0,0,0]}],
    "joints": [{"type": ")" +
         type + R"(", "bodies": ["world", "a"], ")" + key + "\": 1}]}";
}
std::string joint_of_type(const std::string& type) {
  return R"({"cairn": 1, "joints": [{"type": ")" + type + "\"}]}";
}
std::string shape_of_type(const std::string& type) {
  return R"({"cairn": 1, "bodies": [{"name": "a", "mass": 1, "shapes": [{"type": ")" + type +
         "\"}]}]}";
}

TEST(ForeignWords, LeadToTheKeyOfTheFormat) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {in_scene("actuators"), "\"motor\""},
      {in_scene("links"), "\"bodies\""},
      {in_scene("worldbody"), "\"include\""},
      {in_scene("timestep"), "\"simulation\""},
      {in_body("mass_kg"), "\"mass\""},
      {in_body("static"), "\"fixed\": true"},
      {in_body("kinematic"), "\"motion\""},
      {in_body("restitution_coefficient"), "\"materials\""},
      {in_body("geom"), "\"shapes\""},
      {in_body("quat"), "\"orientation\""},
      {in_joint("limits"), "\"lower\" and \"upper\""},
      {in_joint("range"), "\"lower\" and \"upper\""},
      {in_joint("actuator"), "\"motor\""},
      {in_joint("limits", "ball"), "coordinates"},
      {in_joint("motor", "ball"), "coordinates"},
      {in_joint("frictionloss"), "\"friction\""},
      {joint_of_type("hinge"), "\"revolute\""},
      {joint_of_type("slide"), "\"prismatic\""},
      {joint_of_type("weld"), "\"fixed\""},
      {joint_of_type("motor"), "\"motor\""},
      {shape_of_type("plane"), "\"halfspace\""},
      {shape_of_type("cube"), "\"box\""},
  };
  for (const auto& [text, word] : cases)
    EXPECT_NE(fix_of(text).find(word), std::string::npos) << text << "\n" << fix_of(text);
}

// Whether the format has these shapes by now or not, nobody is left alone.
TEST(ForeignWords, ShapesOfOtherEngines) {
  for (const char* type : {"mesh", "cylinder"}) {
    const std::string fix = fix_of(shape_of_type(type));
    EXPECT_EQ(fix.find("use one of the known types"), std::string::npos) << fix;
  }
}

// Misspelt keys still get the nearest one.
TEST(ForeignWords, MisspeltKeysAreCorrected) {
  EXPECT_EQ(fix_of(in_body("densty")), "did you mean 'density'?");
}

// A model where a scene is expected is imported, and what is neither says so in its own words.
TEST(ForeignWords, ModelsAreNoSyntaxErrors) {
  const Result<Scene> robot = parse_scene(
      "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" "
      "iyy=\"1\" "
      "izz=\"1\"/></inertial></link></robot>",
      "scene.json");
  EXPECT_TRUE(robot);
  const Result<Scene> page = parse_scene("<html></html>", "scene.json");
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().front().code, ErrorCode::wrong_format);
}

}  // namespace
}  // namespace cairn::test_foreign_words
