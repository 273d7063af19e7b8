// Impacts with closed forms: wall, chain, spinning sphere, Zeno.
#include <cmath>

#include "system/worlds.hpp"

namespace cairn::test_impacts {
namespace {

using namespace testing;

//   o -> v0 = 1         |        Anitescu 2003, section III.D; no gravity
//   x = 0               | x = 1
double velocity_after_wall(double h, double e, Restitution form) {
  ModelDescription d = world(Vec3::Zero(), 0, e);
  d.bodies = {particle("ball", "x", Vec3::Zero(), Vec3::UnitX()),
              fixed_halfspace("wall", -Vec3::UnitX(), Vec3::UnitX())};
  Simulator sim = simulator(d, {.restitution = form});
  // Three steps behind the impact: the delayed forms bounce one step after it.
  certified_steps(sim, h, static_cast<int>(std::ceil(1 / h)) + 3);
  EXPECT_EQ(sim.penetration(), 0);
  return motion(sim, "ball").velocity.x();
}

// Steps between `least` and 1, spread evenly in the logarithm. 1/h keeps 1e-3 away from integers,
// where the rounding of 1/h steps added up (1e-16 / h) would decide in which step the ball arrives.
double generic_step(Random& random, double least) {
  for (;;) {
    const double h = std::pow(least, random.uniform(0, 1)), ratio = 1 / h;
    if (std::abs(ratio - std::round(ratio)) > 1e-3) return h;
  }
}

TEST(Wall, BallLeavesWithMinusEWhateverTheStep) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const double h = generic_step(random, 1e-3);
    for (const double e : {0.0, 0.3, 1.0}) {
      ASSERT_NEAR(velocity_after_wall(h, e, Restitution::completed), -e, 1e-12) << "h = " << h;
      ASSERT_NEAR(velocity_after_wall(h, e, Restitution::delayed), -e, 1e-12) << "h = " << h;
    }
  }
}

// The formula the paper warns of: the velocity of the contact step, 1 - (steps before) h over h, is
// what bounces. The gap left over is known to 1e-16 / h of its own, so that its ratio to h is good
// to 1e-16 / h^2: 3e-13 at the least step, 0.02.
TEST(Wall, UncorrectedDelayedFormErrsAsThePaperSays) {
  Random random(2);
  double worst = 0;
  for (int i = 0; i < 1000; ++i) {
    const double h = generic_step(random, 0.02), ratio = 1 / h;
    for (const double e : {0.0, 0.3, 1.0}) {
      const double predicted = -e * (ratio - std::ceil(ratio) + 1);
      ASSERT_NEAR(velocity_after_wall(h, e, Restitution::delayed_uncorrected), predicted, 1e-12)
          << "h = " << h;
      worst = std::max(worst, std::abs(predicted + e));
    }
  }
  EXPECT_GT(worst, 0.9);  // that is, wrong by up to e
}

//   o -> ooo      n equal balls in contact, e = 1, all contacts at once
// The first leaves with 2/n - 1, the others with 2/n, to the rounding of n velocities of size 1.
TEST(BallChain, SimultaneousNewtonGivesTwoOverN) {
  for (const int n : {2, 3, 4, 5, 8, 13}) {
    ModelDescription d = world(Vec3::Zero(), 0, 1);
    for (int i = 0; i < n; ++i)
      d.bodies.push_back(moving("ball" + std::to_string(100 + i), Sphere{0.5}, 1, Vec3(i, 0, 0),
                                Vec3(i == 0 ? 1 : 0, 0, 0)));
    Simulator sim = simulator(d);
    certified_steps(sim, 0.01, 5);
    for (int i = 0; i < n; ++i) {
      const Vec3 v = motion(sim, "ball" + std::to_string(100 + i)).velocity;
      EXPECT_NEAR(v.x(), 2.0 / n - (i == 0 ? 1 : 0), 1e-12) << "ball " << i << " of " << n;
      EXPECT_EQ(v.y(), 0);
      EXPECT_EQ(v.z(), 0);
    }
  }
}

// m = R = 1, v = (3, -2), e = 0.8, mu = 0.2 slips throughout: vx+ = 3 - mu (1 + e) 2 = 2.28 and
// omega+ = 5/2 mu (1 + e) 2 = 1.8. The step that closes a gap acts at the middle of it, so its arm
// is R + gap/2 with gap <= 2 h: relative error of the spin at most h.
TEST(SpinningSphere, ImpactWithFriction) {
  for (const double height : {0.0, 0.313}) {
    for (const double h : {0.01, 0.001}) {
      ModelDescription d = world(Vec3::Zero(), 0.2, 0.8);
      d.bodies = {fixed_halfspace("plane", Vec3::UnitY()),
                  moving("sphere", Sphere{1}, 1, Vec3(0, 1 + height, 0), Vec3(3, -2, 0))};
      Simulator sim = simulator(d);
      certified_steps(sim, h, static_cast<int>(height / 2 / h) + 5);
      const BodyMotion m = motion(sim, "sphere");
      EXPECT_NEAR(m.velocity.x(), 2.28, 1e-12);
      EXPECT_NEAR(m.velocity.y(), 1.6, 1e-12);
      EXPECT_NEAR(m.angular_velocity.z(), -1.8, height == 0 ? 1e-12 : 1.8 * h);
    }
  }
}

// H = 1, e = 0.7: at rest after sqrt(2 H / g) (1 + e) / (1 - e).
//
// The scheme reverses the ball in the step in which it would touch, that is, by the part x of a
// step (0 <= x <= 1) too early, at the height x h v and before gravity has done x g h: the next
// landing is faster by x g h (1/e - e), which prolongs all later flights together by 2 x h (1/e -
// e) / (1 - e), and each bounce is itself up to a step off. Approaches slower than the threshold 2
// g h do not bounce; these flights would last 2 * 2 g h e / (g (1 - e)) <= 4 h / (1 - e). The
// number of bounces above the threshold grows like log(1/h), so that the Zeno time has an error of
// O(h log(1/h)).
TEST(BouncingBall, ZenoTimeToFirstOrder) {
  const double e = 0.7, v0 = std::sqrt(2 * g), exact = v0 / g * (1 + e) / (1 - e);
  EXPECT_NEAR(exact, 2.558633965586, 1e-11);
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4}) {
    ModelDescription d = world(Vec3(0, 0, -g), 0, e);
    d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
                moving("ball", Sphere{0.5}, 1, Vec3(0, 0, 1.5))};
    Simulator sim = simulator(d);
    double rest = 0;
    while (sim.state().t < 3) {
      if (!certified_step(sim, h)) break;
      EXPECT_EQ(sim.report().penetration, 0);
      const BodyMotion m = motion(sim, "ball");
      if (m.velocity.norm() > 1e-12 || m.position.z() > 0.5 + 1e-12) rest = sim.state().t;
    }
    const double bounces = std::log(v0 / (2 * g * h)) / std::log(1 / e) + 1;
    const double each = 2 * (1 / e - e) / (1 - e) + 1;
    EXPECT_NEAR(rest, exact, h * (each * bounces + 4 / (1 - e))) << "h = " << h;
    RecordProperty("error_over_h_at_" + std::to_string(std::lround(1 / h)),
                   std::to_string((rest - exact) / h));
  }
}

}  // namespace
}  // namespace cairn::test_impacts
