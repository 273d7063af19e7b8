// The verdict of a step and what follows from it.
#include <cmath>
#include <gtest/gtest.h>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"

namespace cairn::test_verdict {
namespace {

Scene scene_of(const std::string& bodies, const std::string& more = "") {
  Result<Scene> scene = parse_scene(
      R"({"cairn": 1, "gravity": [0, 0, 0], "bodies": [)" + bodies + "]" + more + "}", "test.json");
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
  return *scene;
}

Simulator simulator_of(const Scene& s, VerdictOptions verdict = {}) {
  return Simulator(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, verdict);
}

//   o ->  |     a ball of 1 cm at 500 m/s and a plate of 1 mm, 5 m a step
TEST(Verdict, ABulletDoesNotPassAPlate) {
  const Scene scene = scene_of(R"(
    {"name": "plate", "fixed": true, "shapes": [{"type": "box", "size": [0.001, 10, 10]}]},
    {"name": "rod", "mass": 1, "position": [-3, 0.1, 0.2], "velocity": [500, 0, 0],
     "angular_velocity": [30, 200, 100], "shapes": [{"type": "box", "size": [0.01, 0.02, 0.3]}]})");
  Simulator sim = simulator_of(scene);
  for (int i = 0; i < 4; ++i) {
    const StepReport& report = sim.step(0.01);
    if (report.failed()) break;
    EXPECT_LE(report.verdict.swept_overlap, report.verdict.accepted() ? 0.05 : 1);
  }
  EXPECT_LT(body_motion(*scene.model, sim.state(), BodyId{1}).position.x(), 0);
}

// Without division the same step is judged, and not accepted.
TEST(Verdict, AFixedStepIsJudgedByTheSameLimits) {
  const Scene scene = scene_of(R"(
    {"name": "ball", "mass": 1, "position": [-1, 0, 0], "velocity": [200, 0, 0],
     "shapes": [{"type": "sphere", "radius": 0.01}]},
    {"name": "blade", "motion": {"position": [0, 0, 0], "axis": [0, 0, 1], "angle": "2*pi*100*t"},
     "shapes": [{"type": "box", "size": [0.01, 4, 4]}]})");
  VerdictOptions fixed;
  fixed.split = false;
  Simulator sim = simulator_of(scene, fixed);
  bool refused = false;
  for (int i = 0; i < 3; ++i) {
    const StepReport& report = sim.step(0.01);
    EXPECT_TRUE(report.divided.empty());
    refused = refused || report.failed() || !report.verdict.motion.ok;
  }
  EXPECT_TRUE(refused);
}

//   (())   o ->  |     two balls that overlap by 30 % of their radius beside a rod that meets a
//   plate
// (E731): an overlap from before does not keep the step whole.
TEST(Verdict, AnOverlapFromBeforeDoesNotKeepTheStepWhole) {
  const Scene scene = scene_of(R"(
    {"name": "plate", "fixed": true, "shapes": [{"type": "box", "size": [0.01, 10, 10]}]},
    {"name": "rod", "mass": 1, "position": [-0.5, 0.1, 0.2], "velocity": [100, 0, 0],
     "angular_velocity": [30, 200, 100], "shapes": [{"type": "box", "size": [0.05, 0.05, 0.5]}]},
    {"name": "a", "fixed": true, "position": [-9, 0, 0],
     "shapes": [{"type": "sphere", "radius": 0.1}]},
    {"name": "b", "mass": 1, "position": [-9, 0, 0.17],
     "shapes": [{"type": "sphere", "radius": 0.1}]})");
  Simulator sim = simulator_of(scene);
  const StepReport& report = sim.step(0.01);
  ASSERT_FALSE(report.failed()) << report.message;
  EXPECT_FALSE(report.verdict.motion.ok);  // of the balls
  EXPECT_GT(report.divided.size(), 1u);
}

// Two balls alone that begin so are not divided: each part would begin so.
TEST(Verdict, AnOverlapFromBeforeIsNoReasonToDivide) {
  const Scene scene = scene_of(R"(
    {"name": "a", "fixed": true, "shapes": [{"type": "sphere", "radius": 0.1}]},
    {"name": "b", "mass": 1, "position": [0, 0, 0.17],
     "shapes": [{"type": "sphere", "radius": 0.1}]})");
  Simulator sim = simulator_of(scene);
  const StepReport& report = sim.step(0.01);
  EXPECT_FALSE(report.verdict.motion.ok);
  EXPECT_TRUE(report.divided.empty());
}

// Parts follow each other and make the step; their solves are those of the step.
TEST(Verdict, PartsMakeTheStep) {
  const Scene scene = scene_of(R"(
    {"name": "plate", "fixed": true, "shapes": [{"type": "box", "size": [0.01, 10, 10]}]},
    {"name": "rod", "mass": 1, "position": [-0.5, 0.1, 0.2], "velocity": [100, 0, 0],
     "angular_velocity": [30, 200, 100], "shapes": [{"type": "box", "size": [0.05, 0.05, 0.5]}]})");
  Simulator sim = simulator_of(scene);
  const State before = sim.state();
  const double h = 0.01;
  const StepReport& report = sim.step(h);
  ASSERT_FALSE(report.failed()) << report.message;
  ASSERT_GT(report.divided.size(), 1u);
  double t = before.t, length = 0;
  int solve = 0;
  for (const StepPart& part : report.divided) {
    EXPECT_NEAR(part.t, t, 1e-15);
    EXPECT_EQ(part.first_solve, solve);
    t += part.length;
    length += part.length;
    solve += part.solves;
  }
  EXPECT_NEAR(length, h, 1e-15);
  EXPECT_EQ(solve, report.solves.size());
  EXPECT_EQ(report.divided.back().v, sim.state().v);
  EXPECT_EQ(sim.state().step, before.step + 1);
  EXPECT_EQ(sim.state().t, before.t + h);
  EXPECT_NEAR(report.ledger.imbalance(), 0, 1e-9 * report.ledger.kinetic_start);
}

// Two balls in empty space: what their collision does to momentum is rounding.
TEST(Verdict, MomentumOfAnIsolatedCollisionIsKept) {
  const Scene scene =
      scene_of(R"(
    {"name": "a", "mass": 1, "position": [0, 0, 0], "velocity": [3, 0, 0], "angular_velocity": [0, 5, 9],
     "shapes": [{"type": "sphere", "radius": 0.1}]},
    {"name": "b", "mass": 70, "position": [0.25, 0.07, 0.03], "velocity": [-1, 0, 2],
     "shapes": [{"type": "sphere", "radius": 0.1}]})",
               R"(, "materials": {"default": {"friction": 0.4, "restitution": 0.5}})");
  Simulator sim = simulator_of(scene);
  bool met = false;
  for (int i = 0; i < 20; ++i) {
    const StepReport& report = sim.step(0.01);
    met = met || report.active_contacts > 0;
    EXPECT_LE(report.verdict.momentum, 1e-14);
    EXPECT_TRUE(report.verdict.accepted()) << report.verdict.motion.sentence;
  }
  EXPECT_TRUE(met);
}

// Limits that nothing can meet are not met, and the sentence names the bodies.
TEST(Verdict, NamesTheBodiesThatOverlap) {
  const Scene scene = scene_of(R"(
    {"name": "plank", "fixed": true, "shapes": [{"type": "box", "size": [2, 2, 0.04]}]},
    {"name": "box", "mass": 1, "position": [0, 0, 0.1], "shapes": [{"type": "box", "size": [0.2, 0.2, 0.2]}]})");
  Simulator sim = simulator_of(scene);
  const StepReport& report = sim.step(1e-4);
  EXPECT_FALSE(report.verdict.motion.ok);
  EXPECT_EQ(report.status, StepStatus::uncertified);
  EXPECT_NE(report.verdict.motion.sentence.find("'box'"), std::string::npos);
  EXPECT_NE(report.verdict.motion.sentence.find("'plank'"), std::string::npos);
}

// Two steps without work for them: what is missing is reported, and the run goes on.
TEST(Verdict, AStepWithoutWorkIsNotAccepted) {
  const Scene scene =
      scene_of(R"(
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
    {"name": "a", "mass": 1, "position": [0, 0, 0.1], "velocity": [1, 0, -1],
     "shapes": [{"type": "box", "size": [0.2, 0.2, 0.2]}]},
    {"name": "b", "mass": 5, "position": [0, 0.05, 0.3], "velocity": [0, -1, -3],
     "shapes": [{"type": "box", "size": [0.2, 0.2, 0.2]}]})",
               R"(, "materials": {"default": {"friction": 0.4, "restitution": 0}})");
  Simulator sim = simulator_of(scene, {.work = 1e-3});
  for (int i = 0; i < 2; ++i) {
    const StepReport& report = sim.step(0.01);
    ASSERT_FALSE(report.failed());
    EXPECT_FALSE(report.verdict.solve.ok);
    EXPECT_FALSE(report.verdict.solve.sentence.empty());
    EXPECT_TRUE(report.solves[0].solution.out_of_budget);
    EXPECT_EQ(report.status, StepStatus::uncertified);
  }
  Simulator free = simulator_of(scene, {.work = 0});
  EXPECT_TRUE(free.step(0.01).verdict.solve.ok);
}

}  // namespace
}  // namespace cairn::test_verdict
