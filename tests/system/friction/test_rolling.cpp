// Rolling and torsional friction with closed forms (E246): balls that come to rest on a plane and
// on an incline, a spinning ball, discs in the plane, piles.
#include <cmath>

#include "system/scaling.hpp"
#include "system/worlds.hpp"

namespace cairn::test_rolling {
namespace {

using namespace testing;

constexpr double radius = 0.5, rho = 0.02;

// The laws of all bodies: mu, rolling and torsional friction.
ModelDescription rough(double mu, double rolling, double torsional) {
  ModelDescription d = world(Vec3(0, 0, -g), mu, 0);
  d.materials[0].second.rolling_friction = rolling;
  d.materials[0].second.torsional_friction = torsional;
  return d;
}

std::vector<SchemeOptions> schemes() {
  return {Euler{}, Euler{.nonlinear = true}, Euler{.facets = 8}, Relaxed{}, Hybrid{}};
}

//   ( ) ->       m v' = f, I w' = -f r - rho m g, v = w r: v' = -rho g / (r (1 + I/(m r^2)))
//  ____________  Euler loses a h a step, so that x = h (N v0 - a h N (N+1)/2), N = floor(v0/(a h))
TEST(RollingFriction, BallStopsWhereTheClosedFormSays) {
  const double v0 = 1, a = rho * g / (radius * 1.4), h = 0.01, s = v0 * v0 / (2 * a);
  for (const SchemeOptions& scheme : schemes()) {
    ModelDescription d = rough(0.3, rho, 0);
    d.bodies = {fixed_halfspace("table", Vec3::UnitZ()),
                moving("ball", Sphere{radius}, 2, Vec3(0, 0, radius), Vec3(v0, 0, 0),
                       Vec3(0, v0 / radius, 0))};
    Simulator sim = simulator_of(d, scheme);
    const double N = std::floor(v0 / (a * h));
    certified_steps(sim, h, static_cast<int>(N) + 50);
    const BodyMotion ball = motion(sim, "ball");
    EXPECT_NEAR(ball.position.x(), h * (N * v0 - a * h * N * (N + 1) / 2), 1e-9) << name(scheme);
    EXPECT_NEAR(ball.position.x(), s - 0.5 * h * v0, 0.125 * a * h * h + 1e-9);
    EXPECT_LE(ball.velocity.norm() + radius * ball.angular_velocity.norm(), 1e-12);
  }
}

// The two rows of the disc have no direction of their own.
TEST(RollingFriction, IsTheSameInAllDirections) {
  const double v0 = 1, a = rho * g / (radius * 1.4), h = 0.01;
  for (const double angle : {0.3, 1.1, 2.0, 4.4}) {
    const Vec3 along(std::cos(angle), std::sin(angle), 0);
    ModelDescription d = rough(0.3, rho, 0.01);
    d.bodies = {fixed_halfspace("table", Vec3::UnitZ()),
                moving("ball", Sphere{radius}, 2, Vec3(0, 0, radius), v0 * along,
                       Vec3::UnitZ().cross(along) * (v0 / radius))};
    Simulator sim = simulator(d);
    certified_steps(sim, h, 100);
    EXPECT_NEAR((motion(sim, "ball").velocity - (v0 - 100 * h * a) * along).norm(), 0, 1e-10);
  }
}

// Sliding first: v' = -mu g, w' = (mu r - rho) m g / I until v = w r.
TEST(RollingFriction, SlidesThenRollsThenRests) {
  const double v0 = 3, mu = 0.2;
  const double t1 = v0 / (g * (mu + 2.5 * (mu - rho / radius))), v1 = v0 - mu * g * t1;
  const double a = rho * g / (radius * 1.4);
  const double s = v0 * t1 - 0.5 * mu * g * t1 * t1 + v1 * v1 / (2 * a);
  double last = 0;
  for (const double h : {0.01, 0.005}) {
    ModelDescription d = rough(mu, rho, 0);
    d.bodies = {fixed_halfspace("table", Vec3::UnitZ()),
                moving("ball", Sphere{radius}, 2, Vec3(0, 0, radius), Vec3(v0, 0, 0))};
    Simulator sim = simulator(d);
    certified_run(sim, h, t1 + v1 / a + 1);
    const double error = motion(sim, "ball").position.x() - s;
    // Euler's own: h v0/2 of the sum of velocities, and a step at each of the two events.
    EXPECT_LE(std::abs(error), h * v0);
    EXPECT_EQ(motion(sim, "ball").velocity.norm() > 1e-12, false);
    if (last != 0) {
      EXPECT_NEAR(error / last, 0.5, 0.05);
    }
    last = error;
  }
}

// I w' = -rho_t m g: exactly linear, and at rest after w0 (2/5) r^2 / (rho_t g).
TEST(TorsionalFriction, SpinningBallStopsInTheTimeOfTheClosedForm) {
  const double w0 = 10, rho_t = 0.01, h = 0.01, rate = rho_t * g / (0.4 * radius * radius);
  for (const SchemeOptions& scheme : schemes()) {
    ModelDescription d = rough(0.3, 0, rho_t);
    d.bodies = {
        fixed_halfspace("table", Vec3::UnitZ()),
        moving("ball", Sphere{radius}, 2, Vec3(0, 0, radius), Vec3::Zero(), Vec3(0, 0, w0))};
    Simulator sim = simulator_of(d, scheme);
    const int steps = static_cast<int>(std::floor(w0 / (rate * h)));
    certified_steps(sim, h, steps);
    EXPECT_NEAR(motion(sim, "ball").angular_velocity.z(), w0 - steps * h * rate, 1e-10);
    EXPECT_GT(motion(sim, "ball").angular_velocity.z(), 0);
    certified_step(sim, h);
    EXPECT_NEAR(motion(sim, "ball").angular_velocity.norm(), 0, 1e-12);
    EXPECT_NEAR(motion(sim, "ball").position.head<2>().norm(), 0, 1e-12);
  }
}

//     \( )      rests if m g sin r <= rho m g cos, and else rolls with
//      \ .      g (sin - rho/r cos) / (1 + I/(m r^2))
TEST(RollingFriction, BallOnAnInclineRestsUpToTheAngleOfTheClosedForm) {
  const double limit = std::atan(rho / radius), h = 0.01;
  for (const double factor : {0.5, 0.999, 1.001, 2.0}) {
    const double angle = factor * limit;
    const Vec3 normal(std::sin(angle), 0, std::cos(angle)),
        down(std::cos(angle), 0, -std::sin(angle));
    ModelDescription d = rough(0.5, rho, 0);
    d.bodies = {fixed_halfspace("slope", normal),
                moving("ball", Sphere{radius}, 2, radius * normal)};
    Simulator sim = simulator(d);
    certified_steps(sim, h, 200);
    const double a = g * (std::sin(angle) - rho / radius * std::cos(angle)) / 1.4;
    const double v = motion(sim, "ball").velocity.dot(down);
    EXPECT_NEAR(v, factor < 1 ? 0 : 200 * h * a, 1e-11) << factor;
    if (factor < 1) {
      EXPECT_NEAR((motion(sim, "ball").position - radius * normal).norm(), 0, 1e-11);
    }
  }
}

// A disc in the plane has I = m r^2 / 2; it rolls against its rolling friction alone about z.
TEST(RollingFriction, DiscInThePlane) {
  const double v0 = 1, a = rho * g / (radius * 1.5), h = 0.01;
  for (const SchemeOptions& scheme : schemes()) {
    ModelDescription d = rough(0.3, rho, 0.1);
    d.gravity = Vec3(0, -g, 0);
    d.bodies = {fixed_halfspace("table", Vec3::UnitY()),
                moving("disc", Disc{radius}, 2, Vec3(0, radius, 0), Vec3(v0, 0, 0),
                       Vec3(0, 0, -v0 / radius))};
    Simulator sim = simulator_of(d, scheme);
    certified_steps(sim, h, 100);
    EXPECT_NEAR(motion(sim, "disc").velocity.x(), v0 - 100 * h * a, 1e-10) << name(scheme);
    const Problem& problem = sim.report().solves[0].problem;
    ASSERT_EQ(problem.constraints.size(), 2u);  // no torsion in the plane
    EXPECT_EQ(problem.constraints[1].law, Law::disc);
    EXPECT_EQ(problem.constraints[1].rows, 1);
    EXPECT_EQ(problem.constraints[1].tie, 0);
  }
}

// On a belt: a ball put on it at rest is carried along; rolling friction works against its turning
// relative to the belt, which does not turn.
TEST(RollingFriction, MovingAndTurningGround) {
  ModelDescription d = rough(0.5, 0, 0.02);
  BodyDescription table;
  table.name = "table";
  table.shapes = {{Box{Vec3(4, 4, 1)}, Pose{}, "default"}};
  Motion turn;
  turn.position = {function("0"), function("0"), function("-0.5")};
  turn.angle = function("2*t");
  table.motion = turn;
  d.bodies = {table, moving("ball", Sphere{radius}, 2, Vec3(0, 0, radius))};
  Simulator sim = simulator(d);
  // Torsion spins the ball up with rho_t g / (0.4 r^2) until it turns with the table.
  const double h = 0.01, rate = 0.02 * g / (0.4 * radius * radius);
  certified_steps(sim, h, 50);
  EXPECT_NEAR(motion(sim, "ball").angular_velocity.z(), 50 * h * rate, 1e-9);
  certified_steps(sim, h, 200);
  EXPECT_NEAR(motion(sim, "ball").angular_velocity.z(), 2, 1e-9);
  EXPECT_NEAR(sim.report().ledger.imbalance(), 0, 1e-12);
}

// What friction about contacts takes is friction in the ledger: all of the kinetic energy at the
// end, since nothing else is lost but the integrator's own share.
TEST(RollingFriction, LedgerCountsItAsFriction) {
  ModelDescription d = rough(0.3, rho, 0.01);
  d.bodies = {fixed_halfspace("table", Vec3::UnitZ()),
              moving("ball", Sphere{radius}, 2, Vec3(0, 0, radius), Vec3(1, 0, 0), Vec3(0, 2, 7))};
  Simulator sim = simulator(d);
  const double start = sim.kinetic_energy();
  double friction = 0, own = 0;
  for (int i = 0; i < 1000; ++i) {
    certified_step(sim, 0.01);
    const Ledger& ledger = sim.report().ledger;
    EXPECT_GE(ledger.friction, -1e-15);
    EXPECT_NEAR(ledger.imbalance(), 0, 1e-13);
    friction += ledger.friction;
    own += ledger.integrator;
  }
  EXPECT_NEAR(sim.kinetic_energy(), 0, 1e-20);
  EXPECT_NEAR(friction - own, start, 1e-10);
  EXPECT_LT(std::abs(own), 0.02 * start);
}

// Scaling by powers of two changes no bit; a copy of the state goes on with the same bits.
TEST(RollingFriction, UnitsAndRestart) {
  const auto make = [](double length, double mass, double time) {
    ModelDescription d = rough(0.3, rho * length, 0.01 * length);
    d.gravity = Vec3(0, 0, -g) * (length / (time * time));
    const double r = radius * length, speed = length / time;
    d.bodies = {fixed_halfspace("table", Vec3::UnitZ()),
                moving("ball", Sphere{r}, 2 * mass, Vec3(0, 0, r), Vec3(1, 0.25, 0) * speed,
                       Vec3(1, 2, 7) / time),
                moving("other", Sphere{r}, mass, Vec3(1.25 * length, 0, r),
                       Vec3(-1, 0.25, 0) * speed, Vec3(0, 0, 3) / time)};
    return simulator(d);
  };
  expect_same_bits_in_other_units_and_from_a_state(make, 80);
}

// Spheres dropped onto each other: every step certified, in the end at rest, and a heap that stays
// steeper than without.
TEST(RollingFriction, PileOfSpheresIsCertifiedAndRests) {
  const auto spread = [](double rolling) {
    ModelDescription d = rough(0.5, rolling, rolling);
    d.bodies = {fixed_halfspace("table", Vec3::UnitZ())};
    Random random(3);
    for (int i = 0; i < 24; ++i)
      d.bodies.push_back(
          moving("ball" + std::to_string(100 + i), Sphere{0.1}, 1,
                 Vec3(random.uniform(-0.08, 0.08), random.uniform(-0.08, 0.08), 0.12 + 0.21 * i)));
    Simulator sim = simulator(d);
    certified_steps(sim, 0.01, 300);
    double sum = 0;
    for (int i = 0; i < 24; ++i)
      sum += motion(sim, "ball" + std::to_string(100 + i)).position.head<2>().squaredNorm();
    return std::pair(std::sqrt(sum / 24), sim.kinetic_energy());
  };
  const auto [plain, plain_energy] = spread(0);
  const auto [rough_spread, energy] = spread(0.02);
  EXPECT_GT(plain_energy, 1e-6);  // without it they roll for ever
  EXPECT_LT(energy, 1e-12);
  EXPECT_LT(rough_spread, 0.5 * plain);
}

// How the corners of a face share its load is not unique, and the bounds of their torques with it
// (E265): a box that lands, tips and slides is certified in every step all the same.
TEST(RollingFriction, ThrownBoxIsCertified) {
  for (int seed = 0; seed < 4; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    ModelDescription d = rough(0.4, 0.02, 0.01);
    d.bodies = {fixed_halfspace("table", Vec3::UnitZ()),
                moving("box", Box{{0.5, 0.4, 0.3}}, 1, Vec3(0, 0, 0.5), 2 * random.vector(1),
                       random.vector(3))};
    d.bodies[1].orientation = exp_rotation(random.vector(1));
    Simulator sim = simulator(d);
    certified_steps(sim, 0.01, 200);
    EXPECT_LE(sim.kinetic_energy(), 1e-12);
  }
}

// A scheme that cannot take it says so.
TEST(RollingFriction, TrapezoidalRefuses) {
  ModelDescription d = rough(0.3, rho, 0);
  d.bodies = {fixed_halfspace("table", Vec3::UnitZ()),
              moving("ball", Sphere{radius}, 2, Vec3(0, 0, radius))};
  Simulator sim = trapezoidal(d);
  const StepReport& report = sim.step(0.01);
  EXPECT_EQ(report.status, StepStatus::stopped);
  EXPECT_EQ(report.reason, StopReason::unsupported) << report.message;
}

}  // namespace
}  // namespace cairn::test_rolling
