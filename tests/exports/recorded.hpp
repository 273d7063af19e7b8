// Small scenes, run and recorded, for tests that read traces.
#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "cairn/scene.hpp"
#include "cairn/trace.hpp"

namespace cairn {

// Nothing touches anything; one name is markup.
inline constexpr const char* falling_ball = R"json({
  "cairn": 1, "name": "fall", "gravity": [0, 0, -9.81],
  "bodies": [{"name": "ball", "mass": 2, "position": [0, 0, 5], "shapes": [{"type": "sphere", "radius": 0.5}]},
             {"name": "<b>&", "mass": 1, "position": [3, 0, 5], "shapes": [{"type": "sphere", "radius": 0.5}]}],
  "simulation": {"step": 0.01, "duration": 0.2}})json";

// Bodies that are moved by hand: one slides, one turns about an axis away from its origin.
inline constexpr const char* shaken = R"json({
  "cairn": 1, "name": "shaken", "gravity": [0, -9.81, 0],
  "bodies": [{"name": "walls", "motion": {"position": ["0.2*sin(5*t)", 0, 0]},
              "shapes": [{"type": "halfspace", "normal": [0, 1, 0]}]},
             {"name": "turning", "motion": {"position": [5, 0, 0], "axis": [0, 0, 1], "angle": "3*t"},
              "shapes": [{"type": "box", "size": [1, 1, 1], "position": [1, 0, 0]}]},
             {"name": "disc", "dof": "x y rz", "mass": 1, "position": [0, 1, 0], "shapes": [{"type": "disc", "radius": 1}]}],
  "no_contact": [["turning", "disc"]],
  "simulation": {"step": 0.01, "duration": 0.5}})json";

// Every shape, several in a body, contacts with friction, a fixed body, commas and quotes in names.
inline constexpr const char* every_shape = R"json({
  "cairn": 1, "name": "every shape", "gravity": [0, 0, -9.81],
  "materials": {"default": {"friction": 0.5, "restitution": 0.2}},
  "bodies": [
    {"name": "floor, \"the\" one", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
    {"name": "ball", "mass": 1, "position": [0, 0, 0.5], "velocity": [1, 0, 0], "shapes": [{"type": "sphere", "radius": 0.5}]},
    {"name": "two", "mass": 1, "position": [2, 0, 0.15], "angular_velocity": [0, 0, 2],
     "shapes": [{"type": "box", "size": [0.5, 0.4, 0.3]},
                {"type": "capsule", "radius": 0.1, "length": 0.5, "position": [0, 0, 0.3]}]},
    {"name": "egg", "mass": 1, "position": [0, 2, 0.3], "shapes": [{"type": "ellipsoid", "radii": [0.5, 0.4, 0.3]}]},
    {"name": "rock", "mass": 1, "position": [-2, 0, 0.6],
     "shapes": [{"type": "hull", "vertices": [[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5], [0, 0.5, -0.5], [0, 0, 0.5]]}]},
    {"name": "point", "mass": 1, "position": [0, -2, 0.1], "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
     "shapes": [{"type": "point"}]}],
  "simulation": {"step": 0.01, "duration": 0.3}})json";

class Recording {
 public:
  explicit Recording(const char* text) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("cairn_export_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    const Scene scene = parse_scene(text, "scene.json").value();
    Simulator sim(scene.model, *scene.initial, scene.simulation.scheme, scene.simulation.solver,
                  scene.simulation.verdict);
    TraceWriter writer = TraceWriter::create(trace(), scene.resolved).value();
    EXPECT_TRUE(writer.append_initial(sim.state()));
    const auto steps = static_cast<int>(scene.simulation.duration / scene.simulation.step + 0.5);
    for (int i = 0; i < steps; ++i) {
      const StepReport& report = sim.step(scene.simulation.step);
      EXPECT_TRUE(writer.append(report, sim.state()));
    }
    EXPECT_TRUE(writer.finish());
  }
  ~Recording() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  std::string trace() const { return path("trace.cairn"); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace cairn
