// Words to say small worlds with, and to run them step by step.
#pragma once

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"

namespace cairn::testing {

inline constexpr double g = 9.81;  // [m/s^2]

inline BodyDescription fixed_halfspace(std::string name, const Vec3& normal,
                                       const Vec3& point = Vec3::Zero()) {
  BodyDescription body;
  body.name = std::move(name);
  body.fixed = true;
  body.position = point;
  body.shapes = {{Halfspace{normal.normalized()}, Pose{}, "default"}};
  return body;
}

inline BodyDescription moving(std::string name, const Geometry& geometry, double mass,
                              const Vec3& position, const Vec3& velocity = Vec3::Zero(),
                              const Vec3& spin = Vec3::Zero()) {
  BodyDescription body;
  body.name = std::move(name);
  body.mass = mass;
  body.position = position;
  body.velocity = velocity;
  body.angular_velocity = spin;
  body.shapes = {{geometry, Pose{}, "default"}};
  if (is_planar(geometry)) body.dof = "x y rz";
  return body;
}

inline BodyDescription particle(std::string name, std::string dof, const Vec3& position,
                                const Vec3& velocity = Vec3::Zero()) {
  BodyDescription body = moving(std::move(name), Point{}, 1, position, velocity);
  body.dof = std::move(dof);
  return body;
}

inline ModelDescription world(const Vec3& gravity, double friction, double restitution) {
  ModelDescription description;
  description.gravity = gravity;
  description.materials = {{"default", {friction, restitution}}};
  return description;
}

inline TimeFunction function(const std::string& text) {
  return TimeFunction::parse(text).value();
}

// Facts about a scheme hold for its own step, which the verdict does not divide.
inline const VerdictOptions fixed_step = {.split = false};

inline Simulator simulator_of(const ModelDescription& description, const SchemeOptions& scheme,
                              const SolverOptions& solver = Auto{}) {
  const Result<BuiltModel> built = build(description);
  if (!built)
    for (const Error& error : built.error()) ADD_FAILURE() << error.text();
  return Simulator(built.value().model, *built.value().initial, scheme, solver, fixed_step);
}
inline Simulator simulator(const ModelDescription& description, const Euler& scheme = {},
                           const SolverOptions& solver = Auto{}) {
  return simulator_of(description, scheme, solver);
}
inline Simulator trapezoidal(const ModelDescription& description, const Trapezoidal& scheme = {}) {
  return simulator_of(description, scheme);
}

inline Scene scene(const std::string& name, const std::vector<std::string>& assignments = {}) {
  Result<Scene> loaded = load_scene(CAIRN_SOURCE_DIR "/scenes/" + name + ".json", assignments);
  if (!loaded)
    for (const Error& error : loaded.error()) ADD_FAILURE() << error.text();
  return std::move(loaded).value();
}

inline Simulator simulator(const Scene& s) {
  return Simulator(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
}

// A step that must be certified; false ends the caller's loop.
inline bool certified_step(Simulator& sim, double h, const Controls& controls = {}) {
  const StepReport& report = sim.step(h, controls);
  const bool good = !report.failed() && report.verdict.solve.ok;
  EXPECT_TRUE(good) << "step " << report.step << ", residual " << report.certificate << ' '
                    << report.message;
  return good;
}

inline void certified_steps(Simulator& sim, double h, int steps) {
  for (int i = 0; i < steps; ++i)
    if (!certified_step(sim, h)) return;
}

inline void certified_run(Simulator& sim, double h, double duration) {
  certified_steps(sim, h, static_cast<int>(std::lround(duration / h)));
}

inline BodyMotion motion(const Simulator& sim, const std::string& name) {
  return body_motion(sim.model(), sim.state(), sim.model().find_body(name).value());
}

// Random numbers that are the same on every platform: std::uniform_real_distribution is not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  Vec3 vector(double size) {
    const double x = uniform(-size, size), y = uniform(-size, size);
    return {x, y, uniform(-size, size)};
  }
  int below(int n) { return static_cast<int>(uniform(0, n)); }

 private:
  std::mt19937_64 engine_;
};

// Slope of log(error) over log(h) between two runs.
inline double order(double h1, double error1, double h2, double error2) {
  return std::log(error1 / error2) / std::log(h1 / h2);
}

}  // namespace cairn::testing
