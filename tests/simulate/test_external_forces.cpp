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
  simulator.set_external_forces({&push, 1});
  const double h = 0.01;
  double work = 0;
  const int n = 100;
  for (int i = 0; i < n; ++i) {
    const StepReport& report = simulator.step(h);
    // Euler's implicit step does F . h v+ on the body.
    work += report.ledger.work_applied;
    EXPECT_NEAR(report.ledger.imbalance(), 0, 16 * eps * (1 + work));
  }
  const BodyMotion motion = body_motion(*scene.model, simulator.state(), BodyId{0});
  EXPECT_LE((motion.velocity - n * h * force / 2).norm(), n * eps * n * h * force.norm());
  EXPECT_NEAR(work, force.dot(motion.position), 4 * n * eps * work);
}

// r x F about the centre of mass: the box starts to turn about x with h r_y F_z / I_x.
TEST(ExternalForces, TurnABodyByTheirArm) {
  const Scene scene = scene_of(box);
  Simulator simulator = simulator_of(scene);
  const ExternalForce push{.body = BodyId{0}, .force = Vec3(0, 0, 5), .point = Vec3(0, 1, 0)};
  simulator.set_external_forces({&push, 1});
  simulator.step(0.01);
  const double inertia = 2.0 / 12 * (2 * 2 + 3 * 3), w = 0.01 * 5 / inertia;
  const BodyMotion motion = body_motion(*scene.model, simulator.state(), BodyId{0});
  EXPECT_LE((motion.angular_velocity - Vec3(w, 0, 0)).norm(), 16 * eps * w);
}

TEST(ExternalForces, DoNothingToFixedBodies) {
  const Scene scene =
      scene_of(R"({"name": "wall", "fixed": true, "shapes": [{"type": "sphere", "radius": 1}]})");
  Simulator simulator = simulator_of(scene);
  const ExternalForce push{.body = BodyId{0}, .force = Vec3(1, 2, 3)};
  simulator.set_external_forces({&push, 1});
  EXPECT_EQ(simulator.step(0.01).status, StepStatus::certified);
  EXPECT_EQ(simulator.state().poses, scene.initial->poses);
}

// They are no part of the state: taken away, the run goes on as one that never had them.
TEST(ExternalForces, LeaveNothingBehind) {
  const Scene scene = scene_of(box);
  Simulator pushed = simulator_of(scene), free = simulator_of(scene);
  const ExternalForce push{.body = BodyId{0}, .force = Vec3(1, 0, 0), .torque = Vec3(0, 2, 1)};
  pushed.set_external_forces({&push, 1});
  for (int i = 0; i < 10; ++i) pushed.step(0.01);
  pushed.set_external_forces({});
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
  simulator.set_external_forces({&push, 1});
  EXPECT_EQ(simulator.step(0.01).status, StepStatus::stopped);
  EXPECT_EQ(simulator.state().t, 0);
}

}  // namespace
}  // namespace cairn::test_external_forces
