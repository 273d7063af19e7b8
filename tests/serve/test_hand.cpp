// The hand: a damped spring that is stable for every step, bounded, and the same at every scale.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "cairn/simulator.hpp"
#include "serve/hand.hpp"
#include "serve/scenes.hpp"

namespace cairn::test_hand {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

Simulator simulator_of(const Scene& scene) {
  return Simulator(scene.model, *scene.initial, scene.simulation.scheme, scene.simulation.solver,
                   scene.simulation.verdict);
}

void step_with(Simulator& simulator, const serve::Hand& hand, double h) {
  const ExternalForce force = serve::pull(simulator.model(), simulator.state(), hand, h);
  const StepReport& report = simulator.step(h, {.forces = {force}, .motors = {}});
  ASSERT_EQ(report.status, StepStatus::certified);
}

TEST(Hand, RestsWhereItHolds) {
  const Scene scene = stack();
  const Vec3 point(0.5, 0.5, 0.5);
  const BodyId upper = *scene.model->find_body("upper");
  const ExternalForce force =
      serve::pull(*scene.model, *scene.initial,
                  {upper, point, scene.initial->poses[index(upper)] * point}, 0.01);
  EXPECT_EQ(force.force, Vec3::Zero());
}

// Critical damping, backward Euler: the way to the target shrinks in every step, for h w from 0.06
// to 60, and the target is never passed.
TEST(Hand, BringsAFloatingBallToItsTargetWithEveryStep) {
  for (const double h : {0.01, 0.1, 1.0, 10.0}) {
    const Scene scene = ball();
    Simulator simulator = simulator_of(scene);
    const serve::Hand hand{BodyId{0}, Vec3::Zero(), Vec3(0.3, 0, 0)};
    double left = 0.3;
    for (int i = 0; i < 2000 && left > 1e-9; ++i) {
      step_with(simulator, hand, h);
      const double now = 0.3 - simulator.state().poses[0].p.x();
      EXPECT_GE(now, -1e-9);
      EXPECT_LE(now, left);
      left = now;
    }
    EXPECT_LE(left, 1e-9) << h;
  }
}

// At a corner the mass that is felt is less than the body's: still no step is too long.
TEST(Hand, IsStableAtACorner) {
  for (const double h : {0.01, 0.1, 1.0}) {
    const Scene scene = scene_from(
        R"({"cairn": 1, "gravity": [0, 0, 0], "bodies": [{"name": "rod", "mass": 1,
            "shapes": [{"type": "box", "size": [4, 0.1, 0.1]}]}]})");
    Simulator simulator = simulator_of(scene);
    const Vec3 corner(2, 0.05, 0.05);
    const serve::Hand hand{BodyId{0}, corner, corner + Vec3(0, 1, 0)};
    double most = 0;
    for (int i = 0; i < 500; ++i) {
      step_with(simulator, hand, h);
      most = std::max(most, simulator.kinetic_energy());
    }
    // No more than the spring had at first, k d^2 / 2 with k = 4 m a / r.
    const double r = scene.model->bodies[0].radius, a = scene.model->length_unit;
    EXPECT_LE(most, 0.5 * 4 * a / r) << h;
    const Vec3 end = simulator.state().poses[0] * corner;
    EXPECT_LT((end - hand.target).norm(), 0.5) << h;
  }
}

// A ball that hangs at rest: k d = m g (1 + (h c + h^2 k) / m), k = 4 m g / r, c = 2 sqrt(k m)
// (E191).
TEST(Hand, HoldsAWeightAtTheLengthOfItsSpring) {
  const double g = 9.81, r = 0.5, h = 0.01;
  const Scene scene = ball(-g);
  Simulator simulator = simulator_of(scene);
  const serve::Hand hand{BodyId{0}, Vec3::Zero(), Vec3::Zero()};
  for (int i = 0; i < 2000; ++i) step_with(simulator, hand, h);
  const double k = 4 * g / r, c = 2 * std::sqrt(k);
  const double d = (g / k) * (1 + h * c + h * h * k);
  EXPECT_NEAR(-simulator.state().poses[0].p.z(), d, 1e-9);
}

TEST(Hand, NeverPullsHarderThanItsBound) {
  const Scene scene = ball(-9.81);
  for (const double far : {1.0, 1e3, 1e150, 1e300}) {
    const ExternalForce force = serve::pull(*scene.model, *scene.initial,
                                            {BodyId{0}, Vec3::Zero(), Vec3(far, -far, 0)}, 0.01);
    EXPECT_TRUE(force.force.allFinite());
    EXPECT_LE(force.force.norm(), serve::hand_strength * 9.81 * (1 + 4 * eps));
  }
  const Body& body = scene.model->bodies[0];
  EXPECT_LE(serve::point_of_hand(body, Vec3(1e9, 1, 1)).norm(), body.radius * (1 + 4 * eps));
  EXPECT_EQ(serve::point_of_hand(body, Vec3(1e300, 1e300, 0)).norm(), 0);
}

// Lengths by 8, masses by 4, times by 2 (so gravity by 2): forces by 8, bit for bit.
TEST(Hand, ScalesByPowersOfTwo) {
  const Scene one = ball(-9.81), large = ball(-2 * 9.81, 8, 4);
  const Vec3 target(0.25, -0.75, 0.3);
  const ExternalForce a =
      serve::pull(*one.model, *one.initial, {BodyId{0}, Vec3::Zero(), target}, 0.01);
  const ExternalForce b =
      serve::pull(*large.model, *large.initial, {BodyId{0}, Vec3::Zero(), 8 * target}, 0.02);
  EXPECT_EQ(Vec3(8 * a.force), b.force);
}

// What the hand does is work of applied forces: the ledger adds up.
TEST(Hand, IsInTheLedger) {
  const Scene scene = stack();
  Simulator simulator = simulator_of(scene);
  const BodyId upper = *scene.model->find_body("upper");
  const serve::Hand hand{upper, Vec3(0.5, 0, 0.2), Vec3(2, 0.5, 2.5)};
  double work = 0;
  for (int i = 0; i < 50; ++i) {
    step_with(simulator, hand, 0.01);
    const Ledger& ledger = simulator.report().ledger;
    work += ledger.work_applied;
    EXPECT_NEAR(ledger.imbalance(), 0, 1e-10 * (1 + std::abs(ledger.potential_start)));
  }
  EXPECT_GT(work, 1);
}

}  // namespace
}  // namespace cairn::test_hand
