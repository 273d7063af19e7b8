// Scenes for the tests of the live view.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cairn/scene.hpp"

namespace cairn {

inline Scene scene_from(const std::string& text) {
  Result<Scene> scene = parse_scene(text, "test.json");
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
  return *scene;
}

// Two cubes on the ground, one on the other.
inline Scene stack() {
  return scene_from(R"json({
    "cairn": 1, "name": "stack <b>&\"", "gravity": [0, 0, -9.81],
    "materials": {"default": {"friction": 0.5, "restitution": 0}},
    "bodies": [
      {"name": "ground", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
      {"name": "lower", "mass": 1, "position": [0, 0, 0.5], "shapes": [{"type": "box", "size": [1, 1, 1]}]},
      {"name": "upper", "mass": 1, "position": [0, 0, 1.5], "shapes": [{"type": "box", "size": [1, 1, 1]}]}],
    "simulation": {"step": 0.01, "duration": 1}})json");
}

// A ball that floats.
inline Scene ball(double gravity = 0, double scale_of_length = 1, double mass = 1) {
  return scene_from(fmt::format(
      R"json({{"cairn": 1, "gravity": [0, 0, {}], "bodies": [{{"name": "ball", "mass": {},
         "shapes": [{{"type": "sphere", "radius": {}}}]}}], "simulation": {{"step": 0.01, "duration": 1}}}})json",
      gravity, mass, 0.5 * scale_of_length));
}

}  // namespace cairn
