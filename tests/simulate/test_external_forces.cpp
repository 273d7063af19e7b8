// Forces from outside: Newton's law, the ledger's work, and no trace of them once they are gone.
#include <gtest/gtest.h>
#include <limits>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"

namespace cairn::test_external_forces {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

Scene scene_of(const std::string& rest) {
  Result<Scene> scene = parse_scene(R"({"cairn": 1, "gravity": [0, 0, 0], "bodies": [)" + rest +
                                        R"(], "simulation": {"step": 0.01, "duration": 1}})",
                                    "test.json");
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
  return *scene;
}

constexpr const char* box =
    R"({"name": "box", "mass": 2, "shapes": [{"type": "box", "size": [1, 2, 3]}]})";

Simulator simulator_of(const Scene& scene) {
  return Simulator(scene.model, *scene.initial, scene.simulation.scheme, scene.simulation.solver,
                   scene.simulation.verdict);
}

//  F at the centre of mass: v = n h F / m, and the work of n steps is what the box has gained.
TEST(ExternalForces, PushAFreeBodyAsNewtonSays) {
  const Scene scene = scene_of(box);
  Simulator simulator = simulator_of(scene);
  const Vec3 force(3, -1, 0.5);
  const ExternalForce push{.body = BodyId{0}, .force = force};
  const Controls controls{.forces = {push}, .motors = {}};
  const double h = 0.01;
  double work = 0;
  const int n = 100;
  for (int i = 0; i < n; ++i) {
    const StepReport& report = simulator.step(h, controls);
    // Euler's implicit step does F . h v+ on the body.
    work += report.ledger.work_applied;
    EXPECT_NEAR(report.ledger.imbalance(), 0, 16 * eps * (1 + work));
  }
  const BodyMotion motion = body_motion(*scene.model, simulator.state(), BodyId{0});
  EXPECT_LE((motion.velocity - n * h * force / 2).norm(), n * eps * n * h * force.norm());
  EXPECT_NEAR(work, force.dot(motion.position), 4 * n * eps * work);
}

std::vector<SchemeOptions> schemes() {
  return {Euler{},  Relaxed{}, Trapezoidal{}, Trapezoidal{.form = TrapezoidalForm::next},
          Hybrid{}, Penalty{}};
}

// Every scheme takes F and a torque about an axis of inertia: v = n h F/m, w = n h T/I, and the
// work that the ledger counts is the energy that the box has gained, up to the scheme's own term.
TEST(ExternalForces, ActInEveryScheme) {
  const Scene scene = scene_of(box);
  for (const SchemeOptions& scheme : schemes()) {
    Simulator simulator(scene.model, *scene.initial, scheme, scene.simulation.solver,
                        scene.simulation.verdict);
    const Vec3 force(3, -1, 0.5), torque(0, 0.2, 0);
    const ExternalForce push{.body = BodyId{0}, .force = force, .torque = torque};
    const Controls controls{.forces = {push}, .motors = {}};
    const double h = 0.01, inertia = 2.0 / 12 * (1 * 1 + 3 * 3);
    const int n = 100;
    double work = 0, own = 0;
    for (int i = 0; i < n; ++i) {
      const StepReport& report = simulator.step(h, controls);
      ASSERT_FALSE(report.failed()) << name(scheme) << ' ' << report.message;
      work += report.ledger.work_applied;
      own += report.ledger.integrator;
      EXPECT_NEAR(report.ledger.imbalance(), 0, 64 * eps * (1 + work)) << name(scheme);
    }
    const BodyMotion motion = body_motion(*scene.model, simulator.state(), BodyId{0});
    const double w = n * h * 0.2 / inertia;
    EXPECT_LE((motion.velocity - n * h * force / 2).norm(), n * eps * n * h * force.norm())
        << name(scheme);
    EXPECT_LE((motion.angular_velocity - Vec3(0, w, 0)).norm(), 4 * n * eps * w) << name(scheme);
    EXPECT_GT(work, 0) << name(scheme);
    EXPECT_NEAR(simulator.kinetic_energy(), work + own, 64 * n * eps * work) << name(scheme);
  }
}

// A block on a floor under every scheme with friction: it stays below mu m g and slides above.
TEST(ExternalForces, MoveABlockAgainstItsFriction) {
  for (const SchemeOptions& scheme : schemes()) {
    if (std::holds_alternative<Penalty>(scheme)) continue;
    for (const double share : {0.9, 1.5}) {
      const Result<Scene> scene = parse_scene(
          R"({"cairn": 1, "gravity": [0, 0, -10], "materials": {"default": {"friction": 0.5}},
              "bodies": [{"name": "block", "mass": 2, "position": [0, 0, 0.5],
                          "shapes": [{"type": "box", "size": [4, 4, 1]}]},
                         {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace"}]}],
              "simulation": {"step": 0.01, "duration": 1}})",
          "test.json");
      ASSERT_TRUE(scene);
      Simulator simulator(scene->model, *scene->initial, scheme, scene->simulation.solver,
                          scene->simulation.verdict);
      const ExternalForce push{.body = BodyId{0}, .force = Vec3(share * 10, 0, 0)};
      const Controls controls{.forces = {push}, .motors = {}};
      for (int i = 0; i < 50; ++i)
        ASSERT_FALSE(simulator.step(0.01, controls).failed()) << name(scheme);
      const double v = body_motion(*scene->model, simulator.state(), BodyId{0}).velocity.x();
      // a t with a = (F - mu m g)/m. The first step may still stick, h a. The relaxed law lifts
      // what slides at the rate h mu a, for which it presses and slows it down by mu^2 h a.
      const double a = share < 1 ? 0 : (share - 1) * 10 / 2;
      EXPECT_NEAR(v, 0.5 * a, share < 1 ? 1e-9 : 1.25 * 0.01 * a) << name(scheme) << ' ' << share;
    }
  }
}

// r x F about the centre of mass: the box starts to turn about x with h r_y F_z / I_x.
TEST(ExternalForces, TurnABodyByTheirArm) {
  const Scene scene = scene_of(box);
  Simulator simulator = simulator_of(scene);
  const ExternalForce push{.body = BodyId{0}, .force = Vec3(0, 0, 5), .point = Vec3(0, 1, 0)};
  const Controls controls{.forces = {push}, .motors = {}};
  simulator.step(0.01, controls);
  const double inertia = 2.0 / 12 * (2 * 2 + 3 * 3), w = 0.01 * 5 / inertia;
  const BodyMotion motion = body_motion(*scene.model, simulator.state(), BodyId{0});
  EXPECT_LE((motion.angular_velocity - Vec3(w, 0, 0)).norm(), 16 * eps * w);
}

TEST(ExternalForces, DoNothingToFixedBodies) {
  const Scene scene =
      scene_of(R"({"name": "wall", "fixed": true, "shapes": [{"type": "sphere", "radius": 1}]})");
  Simulator simulator = simulator_of(scene);
  const ExternalForce push{.body = BodyId{0}, .force = Vec3(1, 2, 3)};
  const Controls controls{.forces = {push}, .motors = {}};
  EXPECT_EQ(simulator.step(0.01, controls).status, StepStatus::certified);
  EXPECT_EQ(simulator.state().poses, scene.initial->poses);
}

// They are no part of the state: taken away, the run goes on as one that never had them.
TEST(ExternalForces, LeaveNothingBehind) {
  const Scene scene = scene_of(box);
  Simulator pushed = simulator_of(scene), free = simulator_of(scene);
  const ExternalForce push{.body = BodyId{0}, .force = Vec3(1, 0, 0), .torque = Vec3(0, 2, 1)};
  const Controls controls{.forces = {push}, .motors = {}};
  for (int i = 0; i < 10; ++i) pushed.step(0.01, controls);
  free.set_state(pushed.state());
  for (int i = 0; i < 10; ++i) {
    pushed.step(0.01);
    free.step(0.01);
    EXPECT_EQ(hash(pushed.state()), hash(free.state()));
  }
}

// A force that is not finite stops the step and leaves the state.
TEST(ExternalForces, ThatAreNotFiniteStopTheStep) {
  const Scene scene = scene_of(box);
  Simulator simulator = simulator_of(scene);
  const ExternalForce push{.body = BodyId{0},
                           .force = Vec3(std::numeric_limits<double>::infinity(), 0, 0)};
  const Controls controls{.forces = {push}, .motors = {}};
  EXPECT_EQ(simulator.step(0.01, controls).status, StepStatus::stopped);
  EXPECT_EQ(simulator.state().t, 0);
}

}  // namespace
}  // namespace cairn::test_external_forces
