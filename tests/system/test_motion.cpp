// Prescribed motion, active sets, fast bodies.
#include <cmath>

#include "system/worlds.hpp"

namespace cairn::test_motion {
namespace {

using namespace testing;

constexpr double pi = 3.14159265358979323846;

BodyDescription floor_moving(const std::string& z) {
  BodyDescription floor;
  floor.name = "floor";
  floor.motion = Motion{};
  floor.motion->position = {TimeFunction(0), TimeFunction(0), function(z)};
  floor.shapes = {{Halfspace{Vec3::UnitZ()}, Pose{}, "default"}};
  return floor;
}

//    o        z = A sin(w t): the ball stays on the floor while A w^2 < g. Its velocity is then
//    that of
//  =====      the floor, and the floor's work is what the ball's energy gains.
// The start velocity is the floor's mean velocity before t = 0, so that nothing collides in step
// one.
TEST(PrescribedMotion, BallStaysOnSlowlyOscillatingFloor) {
  const double A = 0.05, w = 4 * pi, h = 0.002;
  ASSERT_LT(A * w * w, g);
  ModelDescription d = world(Vec3(0, 0, -g), 0.5, 0.5);
  d.bodies = {floor_moving("0.05*sin(4*pi*t)"),
              moving("ball", Sphere{0.1}, 2, Vec3(0, 0, 0.1), Vec3(0, 0, A * std::sin(w * h) / h))};
  Simulator sim = simulator(d);
  const double start = sim.kinetic_energy() + sim.potential_energy();
  double work = 0, integrator = 0, largest = 0;
  for (int i = 0; i < 1000; ++i) {
    if (!certified_step(sim, h)) break;
    const StepReport& report = sim.report();
    ASSERT_NEAR(motion(sim, "ball").position.z() - 0.1, A * std::sin(w * report.t), 1e-12);
    EXPECT_EQ(report.active_contacts, 1);
    EXPECT_EQ(report.collisions, 0);
    // The floor pushes with m (g + a): impulse times its mean velocity is the work of the step.
    const double impulse = report.contacts.at(0).impulse[0];
    const double lift = A * (std::sin(w * report.t) - std::sin(w * (report.t - h)));
    EXPECT_NEAR(report.ledger.work_motion, impulse * lift / h, 1e-12);
    work += report.ledger.work_motion;
    integrator += report.ledger.integrator;
    largest = std::max(largest, std::abs(report.ledger.work_motion));
  }
  const double end = sim.kinetic_energy() + sim.potential_energy();
  EXPECT_NEAR(end - start, work + integrator, 1e-12);
  EXPECT_GT(largest, 1e-4);  // it does work
}

TEST(PrescribedMotion, BallIsThrownByFastFloor) {
  const double A = 0.05, w = 6 * pi;
  ASSERT_GT(A * w * w, g);
  ModelDescription d = world(Vec3(0, 0, -g), 0.5, 0);
  d.bodies = {floor_moving("0.05*sin(6*pi*t)"),
              moving("ball", Sphere{0.1}, 2, Vec3(0, 0, 0.1), Vec3(0, 0, A * w))};
  Simulator sim = simulator(d);
  double gap = 0;
  for (int i = 0; i < 500; ++i) {
    if (!certified_step(sim, 0.002)) break;
    const double floor = A * std::sin(w * sim.state().t);
    gap = std::max(gap, motion(sim, "ball").position.z() - 0.1 - floor);
    EXPECT_LE(sim.report().penetration, 1e-15);
    EXPECT_LE(sim.report().ledger.rise(), 1e-12);  // its work is not a rise
  }
  EXPECT_GT(gap, 0.01);
}

// A conveyor: a plank moved along x drags a block until both have the same speed.
TEST(PrescribedMotion, ConveyorDragsBlock) {
  ModelDescription d = world(Vec3(0, 0, -g), 0.2, 0);
  d.bodies = {floor_moving("0"), moving("block", Box{Vec3(1, 1, 0.2)}, 1, Vec3(0, 0, 0.1))};
  d.bodies[0].motion->position[0] = function("1.5*t");
  Simulator sim = simulator(d);
  const double h = 0.01, t = 1.5 / (0.2 * g);  // 0.7645 s
  certified_steps(sim, h, 50);
  EXPECT_NEAR(motion(sim, "block").velocity.x(), 0.2 * g * 50 * h, 1e-12);
  certified_steps(sim, h, static_cast<int>(t / h) - 50 + 1);
  EXPECT_NEAR(motion(sim, "block").velocity.x(), 1.5, 1e-12);
  EXPECT_NEAR(motion(sim, "block").position.z(), 0.1, 1e-12);
}

// ---- Active sets

// 20 discs fall into a trough at several metres per second, far more than eps = 0.1 m per step.
Simulator falling_discs(const Euler& scheme) {
  ModelDescription d = world(Vec3(0, -g, 0), 0.3, 0);
  d.bodies = {fixed_halfspace("left", Vec3(1, 1, 0)), fixed_halfspace("right", Vec3(-1, 1, 0))};
  for (int i = 0; i < 20; ++i)
    d.bodies.push_back(moving("disc" + std::to_string(100 + i), Disc{0.5}, 1,
                              Vec3(0.3 * (i % 3) - 0.3, 4 + 1.5 * i, 0), Vec3(0, -5, 0)));
  return simulator(d, scheme);
}

double deepest(Simulator sim) {
  double penetration = 0;
  for (int i = 0; i < 100; ++i) {
    if (!certified_step(sim, 0.05)) break;
    penetration = std::max(penetration, sim.report().penetration);
  }
  return penetration;
}

// Gaps of discs are convex functions of their positions, so a linearised gap that stays open keeps
// the gap open: the complete set leaves no penetration beyond the tolerance of the solver.
TEST(ActiveSet, RulesOfThePaperMissContactsThatTheCompleteSetHas) {
  const double complete = deepest(falling_discs({}));
  const double distance =
      deepest(falling_discs({.active_set = ActiveSet::distance, .active_distance = 0.1}));
  const double speed =
      deepest(falling_discs({.active_set = ActiveSet::speed, .active_factor = 0.2}));
  EXPECT_LE(complete, 1e-8);
  EXPECT_GT(distance, 1e-2);
  EXPECT_GT(speed, 1e-2);
  // Generous rules see every contact in time.
  EXPECT_LE(deepest(falling_discs({.active_set = ActiveSet::distance, .active_distance = 10})),
            1e-8);
  EXPECT_LE(deepest(falling_discs({.active_set = ActiveSet::speed, .active_factor = 5})), 1e-8);
  RecordProperty("penetration", std::to_string(complete * 1e9) + " nm, " +
                                    std::to_string(distance) + " m, " + std::to_string(speed) +
                                    " m");
}

// ---- Fast bodies

// A ball of 1 cm moves up to 17 m per step of 1/60 s: it must never be behind the target.
TEST(FastBodies, NoTunnellingThroughHalfspace) {
  for (const double speed : {1.0, 10.0, 100.0, 1000.0})
    for (const double e : {0.0, 0.5, 1.0}) {
      ModelDescription d = world(Vec3(0, 0, -g), 0.3, e);
      d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
                  moving("ball", Sphere{0.01}, 1, Vec3(0, 0, 5), Vec3(0.3 * speed, 0, -speed))};
      Simulator sim = simulator(d);
      bool touched = false;
      for (int i = 0; i < 400; ++i) {
        if (!certified_step(sim, 1.0 / 60)) break;
        touched = touched || sim.report().active_contacts > 0;
        ASSERT_GE(motion(sim, "ball").position.z(), 0.01 - 1e-12) << speed << " m/s";
      }
      EXPECT_TRUE(touched);
    }
}

// Central and off-centre hits of one ball by another, also with the target moving: the order along
// the line of flight never changes, and the pair never overlaps.
TEST(FastBodies, NoTunnellingThroughSphere) {
  for (const double speed : {1.0, 10.0, 100.0, 1000.0})
    for (const double offset : {0.0, 0.004, 0.012, 0.018})
      for (const double e : {0.0, 1.0}) {
        ModelDescription d = world(Vec3::Zero(), 0.3, e);
        d.bodies = {moving("bullet", Sphere{0.01}, 1, Vec3::Zero(), Vec3(speed, 0, 0)),
                    moving("target", Sphere{0.01}, 1, Vec3(1.37, offset, 0))};
        Simulator sim = simulator(d);
        bool touched = false;
        const int steps = static_cast<int>(3 / speed * 60) + 5;
        for (int i = 0; i < steps; ++i) {
          if (!certified_step(sim, 1.0 / 60)) break;
          touched = touched || sim.report().active_contacts > 0;
          EXPECT_LE(sim.report().penetration, 1e-12);
        }
        EXPECT_TRUE(touched) << speed << " m/s, offset " << offset;
        EXPECT_GT(motion(sim, "target").velocity.x(), 0) << speed << " m/s, offset " << offset;
      }
}

}  // namespace
}  // namespace cairn::test_motion
