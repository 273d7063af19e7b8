// Friction with closed forms: inclines, stopping, sliding into rolling, no hover.
#include <cmath>

#include "system/worlds.hpp"

namespace cairn::test_friction {
namespace {

using namespace testing;

constexpr double degree = 3.14159265358979323846 / 180;

struct Slope {
  Vec3 down, normal;  // unit vectors
};

Slope slope(double angle) {
  return {Vec3(std::cos(angle), 0, -std::sin(angle)), Vec3(std::sin(angle), 0, std::cos(angle))};
}

//    \ []       a flat box on an incline through the origin
//     \.
//      \___
Simulator block_on_slope(double angle, double mu, double speed, const Euler& scheme = {}) {
  const Slope s = slope(angle);
  ModelDescription d = world(Vec3(0, 0, -g), mu, 0);
  BodyDescription block = moving("block", Box{Vec3(1, 1, 0.2)}, 2, 0.1 * s.normal, speed * s.down);
  block.orientation = Quat(Eigen::AngleAxisd(angle, Vec3::UnitY()));
  d.bodies = {fixed_halfspace("slope", s.normal), block};
  return simulator(d, scheme);
}

Simulator point_on_slope(double angle, double mu) {
  ModelDescription d = world(Vec3(0, 0, -g), mu, 0);
  d.bodies = {fixed_halfspace("slope", slope(angle).normal),
              particle("block", "x y z", Vec3::Zero())};
  return simulator(d);
}

// Euler adds a h in each step, so that x(T) = a T^2/2 (1 + h/T): the relative error is h/T, and
// the rest is the rounding of T/h steps.
TEST(Incline, DisplacementErrsByExactlyHOverT) {
  const double a = g * (std::sin(30 * degree) - 0.3 * std::cos(30 * degree));
  EXPECT_NEAR(a, 2.356287236662, 1e-12);
  for (const int steps : {20, 200, 2000}) {
    const double T = 2, h = T / steps;
    Simulator sim = block_on_slope(30 * degree, 0.3, 0);
    certified_steps(sim, h, steps);
    const Vec3 moved = motion(sim, "block").position - 0.1 * slope(30 * degree).normal;
    EXPECT_NEAR(moved.dot(slope(30 * degree).down) / (a * T * T / 2) - 1, h / T, 1e-9);
    EXPECT_NEAR(moved.dot(slope(30 * degree).normal), 0, 1e-12);
    EXPECT_NEAR(moved.y(), 0, 1e-12);
  }
}

// mu above tan: nothing moves, 20000 steps of 0.05 s.
TEST(Incline, HoldsForAThousandSecondsWithoutCreep) {
  Simulator sim = block_on_slope(20 * degree, 0.5, 0);
  const Vec3 start = motion(sim, "block").position;
  certified_steps(sim, 0.05, 20000);
  EXPECT_LE((motion(sim, "block").position - start).norm(), 1e-12);
}

// 3 m/s downhill at 20 degrees, mu 0.5: stops at v0/a, after v0^2/(2a), a = g (mu cos - sin). Euler
// loses up to h v0/2 of the distance; the stop falls into the step that holds its time.
TEST(Incline, StopsAtClosedFormTimeAndPlace) {
  const double a = g * (0.5 * std::cos(20 * degree) - std::sin(20 * degree));
  EXPECT_NEAR(3 / a, 2.392392767222, 1e-11);
  for (const double h : {0.02, 0.01, 0.001}) {
    Simulator sim = block_on_slope(20 * degree, 0.5, 3);
    double stopped = 0;
    while (sim.state().t < 3) {
      if (!certified_step(sim, h)) break;
      if (motion(sim, "block").velocity.norm() > 1e-12) stopped = sim.state().t;
    }
    EXPECT_GE(3 / a, stopped);
    EXPECT_LE(3 / a, stopped + h * (1 + 1e-9));
    const double distance = motion(sim, "block").position.dot(slope(20 * degree).down);
    EXPECT_LE(distance, 3 * 3 / (2 * a) + 1e-9);
    EXPECT_GE(distance, 3 * 3 / (2 * a) - 0.5 * h * 3 - 1e-9);
  }
}

// Holds if and only if tan(angle) <= mu. A nanoradian below the limit nothing moves; a nanoradian
// above it the body gains g (sin - mu cos) = g 1e-9 sqrt(1 + mu^2) each second, to first order.
void expect_limit_angle(bool box, double mu) {
  const double limit = std::atan(mu), h = 0.01;
  for (const double beyond : {-1e-9, 1e-9}) {
    Simulator sim =
        box ? block_on_slope(limit + beyond, mu, 0) : point_on_slope(limit + beyond, mu);
    certified_steps(sim, h, 100);
    const double a = beyond > 0 ? g * beyond * std::sqrt(1 + mu * mu) : 0;
    EXPECT_NEAR(motion(sim, "block").velocity.dot(slope(limit).down), a * 100 * h,
                beyond > 0 ? 1e-2 * a : 1e-12)
        << "mu = " << mu << ", " << beyond << " rad beyond the limit";
  }
}

TEST(Incline, LimitAngleOfPointMassWithinANanoradian) {
  for (const double mu : {0.1, 0.5, 1.0}) expect_limit_angle(false, mu);
}

// Four corners share the load in infinitely many ways.
TEST(Incline, LimitAngleOfBoxWithinANanoradian) {
  for (const double mu : {0.1, 0.5, 1.0}) expect_limit_angle(true, mu);
}

// A solid sphere at 7 m/s, mu 0.2, slides until 2 v0/(7 mu g) and then rolls at 5/7 v0: angular
// momentum about the line of contact is kept by every step, so that the speed is exact.
TEST(SlideToRoll, TimeToTheStepAndSpeedExactly) {
  const double exact = 2 * 7 / (7 * 0.2 * g);
  EXPECT_NEAR(exact, 1.019367991845, 1e-12);
  for (const double h : {0.02, 0.005, 0.00125}) {
    ModelDescription d = world(Vec3(0, 0, -g), 0.2, 0);
    d.bodies = {fixed_halfspace("table", Vec3::UnitZ()),
                moving("ball", Sphere{0.5}, 1, Vec3(0, 0, 0.5), Vec3(7, 0, 0))};
    Simulator sim = simulator(d);
    double slides = 0;
    while (sim.state().t < 1.5) {
      if (!certified_step(sim, h)) break;
      const BodyMotion m = motion(sim, "ball");
      if (std::abs(m.velocity.x() - 0.5 * m.angular_velocity.y()) > 1e-10) slides = sim.state().t;
      EXPECT_NEAR(m.position.z(), 0.5, 1e-12);
    }
    EXPECT_GE(exact, slides);  // the step that holds the instant ends rolling
    EXPECT_LE(exact, slides + h * (1 + 1e-9));
    EXPECT_NEAR(motion(sim, "ball").velocity.x(), 5, 1e-11);
    EXPECT_NEAR(motion(sim, "ball").angular_velocity.y(), 10, 1e-11);
  }
}

// A sliding body stays on its plane: Coulomb's law keeps the normal velocity at zero whatever the
// slip is, while a convex relaxation lifts by h mu |v_T|. This holds for the exact cone and for
// pyramids, whose law is Coulomb's with another norm of the slip. Slip is diagonal, off all facets.
class NoHover : public ::testing::TestWithParam<int> {};

TEST_P(NoHover, SlidingBodyKeepsItsHeight) {
  const Euler scheme{.facets = GetParam()};
  const Vec3 v0(3, 1.7, 0);
  const double h = 0.01, mu = 0.3;
  for (const bool box : {true, false}) {
    ModelDescription d = world(Vec3(0, 0, -g), mu, 0);
    d.bodies = {fixed_halfspace("table", Vec3::UnitZ())};
    d.bodies.push_back(box ? moving("body", Box{Vec3(1, 1, 0.2)}, 1, Vec3(0, 0, 0.1), v0)
                           : moving("body", Sphere{0.1}, 1, Vec3(0, 0, 0.1), v0));
    Simulator sim = simulator(d, scheme);
    double worst = 0, relaxed = 0;
    for (int i = 0; i < 100; ++i) {
      if (!certified_step(sim, h)) break;
      const BodyMotion m = motion(sim, "body");
      relaxed = std::max(relaxed, h * mu * m.velocity.norm());
      worst = std::max(worst, std::abs(m.position.z() - 0.1));
      if (box) worst = std::max(worst, (m.orientation * Vec3::UnitZ()).head<2>().norm());
    }
    EXPECT_LE(worst, 1e-12) << (box ? "box" : "sphere");
    EXPECT_GT(relaxed, 1e-3);  // what a relaxation would show
  }
}

// The exact cone brakes with mu g against the slip. The inscribed pyramid with k sides brakes with
// at most that and at least mu g cos(pi/k), within pi/k of the direction of the slip.
TEST_P(NoHover, PyramidBrakesWithinItsBounds) {
  const int k = GetParam();
  const double h = 0.01, mu = 0.3, rounding = 1e-12, pi = 180 * degree;
  for (int i = 0; i < 20; ++i) {
    const Vec3 v0 = 3 * Vec3(std::cos(0.1 * i + 0.03), std::sin(0.1 * i + 0.03), 0);
    ModelDescription d = world(Vec3(0, 0, -g), mu, 0);
    d.bodies = {fixed_halfspace("table", Vec3::UnitZ()),
                moving("ball", Sphere{0.1}, 1, Vec3(0, 0, 0.1), v0)};
    Simulator sim = simulator(d, {.facets = k});
    certified_steps(sim, h, 1);
    const Vec3 brake = (v0 - motion(sim, "ball").velocity) / (g * h);
    const double inside = k == 0 ? 1 : std::cos(pi / k);
    EXPECT_LE(brake.norm(), mu + rounding);
    EXPECT_GE(brake.norm(), mu * inside - rounding);
    EXPECT_GE(brake.normalized().dot(v0.normalized()), inside - rounding);
  }
}

INSTANTIATE_TEST_SUITE_P(Facets, NoHover, ::testing::Values(0, 4, 8, 16));

}  // namespace
}  // namespace cairn::test_friction
