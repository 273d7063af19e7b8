// Scheme `trapezoidal` under forces and motions that jump (E660 to E663), with velocities that
// contradict joints, and with an accuracy that is asked for (E664 to E666): closed forms and
// measured orders.
#include <numbers>

#include "bench/order.hpp"
#include "system/worlds.hpp"

namespace cairn::testing::test_trapezoidal_jumps {
namespace {

ModelDescription pushed(const std::string& force, double stiffness) {
  ModelDescription d = world(Vec3::Zero(), 0, 0);
  d.bodies = {particle("bob", "x", Vec3(1, 0, 0))};
  AppliedForceDescription applied;
  applied.body = "bob";
  applied.force[0] = function(force);
  d.forces = {applied};
  if (stiffness > 0)
    d.forces.push_back(SpringDescription{.bodies = {"world", "bob"},
                                         .anchors = {Vec3(-10, 0, 0), Vec3::Zero()},
                                         .stiffness = stiffness,
                                         .rest_length = 10});
  return d;
}

// Constant pieces: the rule is exact, x = 1 + t^2/2 up to 0.3 s, then with -2 N.
TEST(TrapezoidalJumps, ConstantPiecesAreExact) {
  for (const char* force : {"if(t < 0.3, 1, -2)", "if(t <= 0.3, 1, -2)", "1 - 3*step(t - 0.3)",
                            "-0.5 - 1.5*sign(t - 0.3)", "1 - 3*floor(min(t, 0.5)/0.3)"})
    for (const double h : {0.1, 0.05, 0.01, 0.07, 0.0013}) {  // the last two do not meet the jump
      Simulator sim = trapezoidal(pushed(force, 0));
      const int steps = static_cast<int>(std::lround(0.9 / h));
      certified_steps(sim, h, steps);
      const double t = sim.state().t, rest = t - 0.3;
      const double v = 0.3 - 2 * rest, x = 1 + 0.045 + 0.3 * rest - rest * rest;
      // Rounding of the time, a sum of steps, times the force.
      EXPECT_NEAR(motion(sim, "bob").velocity.x(), v, 1e-12) << force << ' ' << h;
      EXPECT_NEAR(motion(sim, "bob").position.x(), x, 1e-12) << force << ' ' << h;
    }
}

// x'' = -9 x + F(t), F = 5 from t = 0.5 on: x = cos(3 t) + 5/9 (1 - cos(3 (t - 0.5))).
TEST(TrapezoidalJumps, OscillatorKeepsSecondOrder) {
  const double t = 1.5, exact = std::cos(3 * t) + 5.0 / 9 * (1 - std::cos(3 * (t - 0.5)));
  for (const int n : {30, 31}) {  // the jump at a boundary; within a step
    double error[2] = {};
    for (int k = 0; k < 2; ++k) {
      Simulator sim = trapezoidal(pushed("5*step(t - 0.5)", 9));
      certified_steps(sim, t / (n << k), n << k);
      error[k] = std::abs(motion(sim, "bob").position.x() - exact);
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.05) << n;
  }
}

// Forces from outside are constant over a step: what a program sets between steps may jump.
TEST(TrapezoidalJumps, ExternalForcesJumpFromStepToStep) {
  Simulator sim = trapezoidal(pushed("0", 0));
  const double h = 0.01;
  for (int i = 0; i < 60; ++i) {
    ExternalForce force;
    force.body = sim.model().find_body("bob").value();
    force.force = Vec3(i < 30 ? 1 : -2, 0, 0);
    ASSERT_TRUE(certified_step(sim, h, {.forces = {force}, .motors = {}}));
  }
  EXPECT_NEAR(motion(sim, "bob").velocity.x(), 0.3 - 0.6, 1e-14);
  EXPECT_NEAR(motion(sim, "bob").position.x(), 1 + 0.045 + 0.09 - 0.09, 1e-14);
}

//  [cart] -> u(t) jumps at 0.5 s
//    |      the bob takes the part of it along the rod at once, and goes on as a pendulum
//    o
ModelDescription cart(const std::string& motion) {
  ModelDescription d = world(Vec3(0, -g, 0), 0, 0);
  BodyDescription body;
  body.name = "cart";
  body.motion.emplace();
  body.motion->position[0] = function(motion);
  BodyDescription bob = particle("bob", "x y", Vec3(0.6, -0.8, 0));
  d.bodies = {body, bob};
  JointDescription rod;
  rod.name = "rod";
  rod.type = DistanceJoint{};
  rod.bodies = {"cart", "bob"};
  d.joints = {rod};
  return d;
}

TEST(TrapezoidalJumps, VelocityOfAPrescribedBodyJumps) {
  // The jump at a boundary; within a step.
  for (const auto& [n, motion_text] : {std::pair{160, "0.4*max(0, t - 0.5)"},
                                       std::pair{163, "0.2*abs(t - 0.5) + 0.2*(t - 0.5)"}}) {
    const auto end = [text = motion_text](int steps) {
      Simulator sim = trapezoidal(cart(text));
      certified_steps(sim, 1.0 / steps, steps);
      return motion(sim, "bob");
    };
    const BodyMotion coarse = end(n), fine = end(2 * n), reference = end(16 * n);
    EXPECT_GE(order(2, (coarse.position - reference.position).norm(), 1,
                    (fine.position - reference.position).norm()),
              1.9)
        << motion_text;
    EXPECT_GE(order(2, (coarse.velocity - reference.velocity).norm(), 1,
                    (fine.velocity - reference.velocity).norm()),
              1.9)
        << motion_text;
  }
}

// A plate under a box begins to rise with 0.5 m/s: without restitution the box rises with it, with
// e = 0.6 it leaves with 1.6 times the speed.
TEST(TrapezoidalJumps, PlateThatStartsHitsWhatRestsOnIt) {
  for (const double e : {0.0, 0.6}) {
    ModelDescription d = world(Vec3(0, 0, -g), 0.3, e);
    BodyDescription plate;
    plate.name = "plate";
    plate.shapes = {{Box{Vec3(2, 2, 0.2)}, Pose{}, "default"}};
    plate.motion.emplace();
    plate.motion->position[2] = function("0.5*max(0, t - 0.1)");
    d.bodies = {plate, moving("box", Box{Vec3(0.2, 0.2, 0.2)}, 1, Vec3(0, 0, 0.2))};
    Simulator sim = trapezoidal(d);
    certified_steps(sim, 0.01, 11);
    EXPECT_NEAR(motion(sim, "box").velocity.z(), 0.5 * (1 + e) - (e > 0 ? g * 0.01 : 0), 1e-9) << e;
    certified_steps(sim, 0.01, 1);
    EXPECT_NEAR(motion(sim, "box").velocity.z(), 0.5 * (1 + e) - (e > 0 ? g * 0.02 : 0), 1e-9) << e;
  }
}

// (E662): of the velocities at the start the part along the rod is lost at once. In the mean form
// it would change its sign in every step.
TEST(TrapezoidalJumps, VelocitiesThatContradictJointsDoNotReflect) {
  ModelDescription d = cart("0");
  d.bodies[1].velocity = Vec3(1, 2, 0);
  const Vec3 along = Vec3(0.6, -0.8, 0), across(0.8, 0.6, 0);
  Simulator sim = trapezoidal(d);
  const double h = 1e-3, start = across.dot(d.bodies[1].velocity);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(certified_step(sim, h));
    const BodyMotion m = motion(sim, "bob");
    // What the rule leaves at the ends of steps is h^2 times the jerk, here about 3 w g.
    EXPECT_LE(std::abs(m.velocity.dot(m.position.normalized())), 6 * g * h * h) << i;
    if (i > 0) continue;
    const double lost = along.dot(d.bodies[1].velocity);
    EXPECT_NEAR(sim.report().ledger.impact, 0.5 * lost * lost, 1e-12);
  }
  // Energy of what is left: the height gives back what gravity takes.
  const BodyMotion m = motion(sim, "bob");
  EXPECT_NEAR(0.5 * m.velocity.squaredNorm() + g * (m.position.y() + 0.8), 0.5 * start * start,
              1e-9);
}

// (E664): no part is shorter than min_step, whatever the step.
TEST(TrapezoidalAccuracy, PartsAreNotShorterThanTheirLeast) {
  for (const double least : {0.05, 0.03, 0.013, 0.004})
    for (const double h : {0.2, 0.1, 0.07, 0.05}) {
      Simulator sim = trapezoidal(pushed("0", 9), {.accuracy = 1e-13, .min_step = least});
      for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(certified_step(sim, h));
        double sum = 0;
        for (const SolveRecord& solve : sim.report().solved()) {
          EXPECT_GE(solve.length, std::min(least, h) * (1 - 1e-3)) << least << ' ' << h;
          sum += solve.length;
        }
        EXPECT_NEAR(sum, h, 1e-12);
      }
    }
}

// (E665): told in the verdict, and the step is kept.
TEST(TrapezoidalAccuracy, WhatIsNotReachedIsReported) {
  Simulator sim = trapezoidal(pushed("0", 9), {.accuracy = 1e-12, .min_step = 0.05});
  const StepReport& report = sim.step(0.2);
  EXPECT_EQ(report.status, StepStatus::uncertified);
  EXPECT_FALSE(report.verdict.motion.ok);
  EXPECT_NE(report.verdict.motion.sentence.find("accuracy of 1e-12 m is not reached"),
            std::string::npos)
      << report.verdict.motion.sentence;
  EXPECT_EQ(sim.state().step, 1);
  Simulator easy = trapezoidal(pushed("0", 9), {.accuracy = 1e-6});
  EXPECT_EQ(easy.step(0.2).status, StepStatus::certified);
}

// (E666): the true error at the end is below the estimate times 1.5, for every force and scheme.
TEST(TrapezoidalAccuracy, ErrorAtTheEndIsBelowItsEstimate) {
  const double t = 1.5;
  const std::pair<const char*, double> cases[] = {
      {"0", std::cos(3 * t)},
      {"5*step(t - 0.5)", std::cos(3 * t) + 5.0 / 9 * (1 - std::cos(3 * (t - 0.5)))},
      {"2*cos(t)", 0.75 * std::cos(3 * t) + 0.25 * std::cos(t)}};
  for (const auto& [force, exact] : cases)
    for (const SchemeOptions& scheme : {SchemeOptions(Trapezoidal{}), SchemeOptions(Euler{})}) {
      std::vector<bench::OrderRun> runs;
      const Result<BuiltModel> built = build(pushed(force, 9));
      ASSERT_TRUE(built);
      for (int k = 0; k < 5; ++k) {
        Simulator sim(built->model, *built->initial, scheme, Auto{}, fixed_step);
        certified_steps(sim, 0.025 / (1 << k), 60 << k);
        bench::OrderRun run;
        run.h = 0.025 / (1 << k);
        run.state = sim.state();
        runs.push_back(run);
        if (k < 2) continue;
        const double estimate = bench::error_at_end(bench::order_table(*built->model, runs),
                                                    bench::order_of(scheme)),
                     error = std::abs(motion(sim, "bob").position.x() - exact);
        EXPECT_LE(error, 1.5 * estimate) << force << ' ' << name(scheme) << ' ' << k;
        EXPECT_GE(error, 0.5 * estimate) << force << ' ' << name(scheme) << ' ' << k;
      }
    }
}

}  // namespace
}  // namespace cairn::testing::test_trapezoidal_jumps
