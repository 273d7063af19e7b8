// Motors and dry friction of joints (E763): closed forms, exact limits, conservation, random
// mechanisms.
#include <cmath>
#include <numbers>

#include "system/mechanisms.hpp"

namespace cairn::test_drives {
namespace {

using namespace testing;
using namespace testing::arm_of_a_bob;

constexpr double h = 0.002;

// A load on a slide; `angle` of its axis above the horizontal.
ModelDescription slide(double angle) {
  ModelDescription d;
  d.bodies = {free_body("load", 3, Vec3(1, 1, 1), Vec3::Zero())};
  JointDescription joint;
  joint.name = "slide";
  joint.type = PrismaticJoint{Vec3(std::cos(angle), 0, std::sin(angle))};
  joint.bodies = {"world", "load"};
  d.joints = {joint};
  return d;
}

std::vector<SchemeOptions> schemes() {
  return {Euler{}, Relaxed{}};
}

TEST(Drives, AMotorAtItsLimitHoldsExactlyThatTorque) {
  for (const SchemeOptions& scheme : schemes()) {
    ModelDescription d = arm(0);
    d.joints[0].limits = {-1, 0.7, 0};
    d.joints[0].motor = keeps("2", 5);
    Simulator sim = simulator_of(d, scheme);
    certified_steps(sim, h, 1500);
    EXPECT_NEAR(first_joint(sim).position, 0.7, 1e-12);
    EXPECT_NEAR(first_joint(sim).drive, 5, 1e-12);
    EXPECT_NEAR(first_joint(sim).limit, -5, 1e-9);
  }
}

// A constant effort is integrated without error.
TEST(Drives, AnEffortTurnsAFreeRotor) {
  for (const SchemeOptions& scheme : schemes()) {
    ModelDescription d = arm(0);
    d.joints[0].anchors[1] = Vec3::Zero();
    d.joints[0].anchors[0] = d.bodies[0].position;
    d.joints[0].motor = gives("-0.3");
    Simulator sim = simulator_of(d, scheme);
    double work = 0;
    for (int i = 1; i <= 500; ++i) {
      ASSERT_TRUE(certified_step(sim, h));
      ASSERT_TRUE(sim.report().accepted());
      ASSERT_NEAR(first_joint(sim).velocity, -0.3 * i * h / inertia, 1e-12) << i;
      ASSERT_NEAR(first_joint(sim).drive, -0.3, 1e-12);
      work += sim.report().ledger.work_applied;
    }
    EXPECT_NEAR(work, 0.3 * std::abs(first_joint(sim).position), 1e-12);
  }
}

TEST(Drives, AnEffortFollowsTime) {
  ModelDescription d = slide(0);
  d.joints[0].motor = gives("6*cos(3*t)");
  double worst[2] = {0, 0};
  for (const int refined : {0, 1}) {
    const double step = refined ? h / 4 : h;
    Simulator sim = simulator(d);
    for (int i = 1; i <= (refined ? 4000 : 1000); ++i) {
      ASSERT_TRUE(certified_step(sim, step));
      worst[refined] = std::max(
          worst[refined], std::abs(first_joint(sim).velocity - 2 * std::sin(3 * i * step) / 3));
    }
  }
  EXPECT_LE(worst[0], 2 * h);
  EXPECT_NEAR(worst[1], worst[0] / 4, 0.1 * worst[0]);
}

// While the load is below the largest effort the rate is exact and the motor carries the weight.
TEST(Drives, AVelocityIsKeptAgainstTheWeight) {
  for (const SchemeOptions& scheme : schemes()) {
    ModelDescription d = arm();
    d.joints[0].motor = keeps("-0.8", 1e4);
    Simulator sim = simulator_of(d, scheme);
    for (int i = 1; i <= 1000; ++i) {
      ASSERT_TRUE(certified_step(sim, h));
      ASSERT_TRUE(sim.report().accepted()) << i << sim.report().verdict.energy.sentence;
      if (i == 1) continue;  // which brings it up to speed
      ASSERT_NEAR(first_joint(sim).velocity, -0.8, 1e-12) << i;
      ASSERT_NEAR(first_joint(sim).position, -0.8 * i * h, 1e-9 * i) << i;
      ASSERT_NEAR(first_joint(sim).drive, -mass * g * std::cos(first_joint(sim).position), 0.05)
          << i;
    }
  }
}

// Too weak a motor gives all it has: the arm sinks with the difference of the torques.
TEST(Drives, AWeakMotorGivesAllItHas) {
  ModelDescription d = slide(std::numbers::pi / 2);
  d.joints[0].motor = keeps("1", 20);
  Simulator sim = simulator(d);
  for (int i = 1; i <= 300; ++i) {
    ASSERT_TRUE(certified_step(sim, h));
    ASSERT_NEAR(first_joint(sim).drive, 20, 1e-12);
    ASSERT_NEAR(first_joint(sim).velocity, (20 / 3.0 - g) * i * h, 1e-12 * i);
  }
}

TEST(Friction, OfAJointHoldsAndSlipsAtItsExactLimit) {
  const double weight = 3 * g * std::sin(0.6), torque = mass * g;
  for (const SchemeOptions& scheme : schemes())
    for (const bool hinge : {false, true})
      for (const double share : {1 + 1e-9, 1 - 1e-9}) {
        ModelDescription d = hinge ? arm() : slide(0.6);
        d.joints[0].friction = share * (hinge ? torque : weight);
        Simulator sim = simulator_of(d, scheme);
        certified_steps(sim, h, share > 1 ? 500 : 1);
        const double moved = std::abs(first_joint(sim).velocity);
        if (share > 1) {
          EXPECT_LE(moved, 1e-15) << hinge;
          EXPECT_LE(std::abs(first_joint(sim).position), 1e-15) << hinge;
          EXPECT_NEAR(first_joint(sim).friction, hinge ? -torque : weight, 1e-9);
        } else {
          const double expected = 1e-9 * h * (hinge ? torque / about_hinge : weight / 3);
          EXPECT_NEAR(moved, expected, 1e-4 * expected) << hinge;
        }
      }
}

// v = v0 - F t / m until it stops; the ledger has all of it as friction.
TEST(Friction, OfAJointStopsALoad) {
  for (const SchemeOptions& scheme : schemes()) {
    ModelDescription d = slide(0);
    d.bodies[0].velocity = Vec3(-1.2, 0, 0);
    d.joints[0].friction = 4;
    Simulator sim = simulator_of(d, scheme);
    double lost = 0;
    for (int i = 1; i <= 600; ++i) {
      ASSERT_TRUE(certified_step(sim, h));
      ASSERT_TRUE(sim.report().accepted());
      ASSERT_NEAR(first_joint(sim).velocity, std::min(0.0, -1.2 + 4 * i * h / 3), 1e-12) << i;
      lost += sim.report().ledger.friction - sim.report().ledger.integrator;
    }
    EXPECT_NEAR(lost, 0.5 * 3 * 1.2 * 1.2, 1e-12);
    EXPECT_NEAR(first_joint(sim).position, -1.2 * 1.2 * 3 / 8, 1.2 * h);
    EXPECT_NEAR(first_joint(sim).friction, 0, 1e-12);
  }
}

// A servo is where its function says at the end of every step, against the weight and through
// several turns; the motor carries what Newton's law says.
TEST(Drives, APositionIsKeptExactly) {
  for (const SchemeOptions& scheme : schemes())
    for (const bool hinge : {false, true}) {
      ModelDescription d = hinge ? arm() : slide(0.6);
      d.joints[0].motor = goes_to(hinge ? "4*t^2" : "0.3*t^2", 1e4);
      Simulator sim = simulator_of(d, scheme);
      for (int i = 1; i <= 1000; ++i) {
        ASSERT_TRUE(certified_step(sim, h));
        ASSERT_TRUE(sim.report().accepted()) << i << sim.report().verdict.energy.sentence;
        const double t = i * h, q = hinge ? 4 * t * t : 0.3 * t * t;
        ASSERT_NEAR(std::remainder(first_joint(sim).position - q, 2 * std::numbers::pi), 0, 1e-12)
            << i;
        const double effort =
            hinge ? about_hinge * 8 - mass * g * std::cos(q) : 3 * (0.6 + g * std::sin(0.6));
        if (i > 1) {                  // it starts at rest: half the acceleration
          const double rate = 8 * t;  // the weight turns on, and so does the momentum of the bob
          const double first_order = h * mass * (g * (1 + rate) + rate * rate * rate);
          ASSERT_NEAR(first_joint(sim).drive, effort, hinge ? first_order : 1e-6) << i;
        }
      }
    }
}

// Beyond its largest effort it falls behind; afterwards it comes back at its largest velocity.
TEST(Drives, AServoThatWasHeldComesBackAtItsLargestVelocity) {
  ModelDescription d = slide(0);
  d.joints[0].motor = goes_to("0", 5);
  d.joints[0].motor->max_velocity = 0.25;
  Simulator sim = simulator(d);
  const ExternalForce pull{.body = sim.model().find_body("load").value(), .force = Vec3(11, 0, 0)};
  for (int i = 1; i <= 250; ++i) {
    ASSERT_TRUE(certified_step(sim, h, {.forces = {pull}, .motors = {}}));
    ASSERT_NEAR(first_joint(sim).velocity, 2 * i * h, 1e-9 * i);  // (11 - 5) N / 3 kg
    ASSERT_NEAR(first_joint(sim).drive, -5, 1e-9);
  }
  const double away = first_joint(sim).position;
  for (int i = 0; i < 2000 && first_joint(sim).position > 1e-9; ++i) {
    ASSERT_TRUE(certified_step(sim, h));
    ASSERT_GE(first_joint(sim).velocity, -0.25 - 1e-12);
  }
  EXPECT_GT(away, 0.2);
  EXPECT_NEAR(first_joint(sim).position, 0, 1e-12);
}

// Friction of the motor's joint adds to its load.
TEST(Drives, AMotorWorksAgainstFriction) {
  ModelDescription d = slide(0);
  d.joints[0].friction = 4;
  d.joints[0].motor = keeps("0.5", 10);
  Simulator sim = simulator(d);
  certified_steps(sim, h, 200);
  EXPECT_NEAR(first_joint(sim).velocity, 0.5, 1e-12);
  EXPECT_NEAR(first_joint(sim).drive, 4, 1e-9);
  EXPECT_NEAR(first_joint(sim).friction, -4, 1e-9);
}

// The bodies turn against each other, and their momenta stay zero.
TEST(Drives, AMotorBetweenFreeBodiesKeepsBothMomenta) {
  for (const SchemeOptions& scheme : schemes())
    for (const bool slides : {false, true}) {
      ModelDescription d;
      d.gravity = Vec3::Zero();
      d.bodies = {free_body("a", 1, Vec3(0.1, 0.2, 0.3), Vec3(-0.5, 0, 0)),
                  free_body("b", 4, Vec3(0.5, 0.4, 0.3), Vec3(0.5, 0, 0))};
      JointDescription link;
      link.name = "link";
      if (slides)
        link.type = PrismaticJoint{Vec3(1, 1, 0).normalized()};
      else
        link.type = RevoluteJoint{Vec3(0, 1, 1).normalized()};
      link.bodies = {"a", "b"};
      link.anchors = {Vec3(0.5, 0, 0), Vec3(-0.5, 0, 0)};
      link.motor = keeps(slides ? "0.3*sin(5*t)" : "2*sin(5*t)", 3);
      link.friction = 0.2;
      d.joints = {link};
      Simulator sim = simulator_of(d, scheme);
      for (int i = 0; i < 800; ++i) {
        ASSERT_TRUE(certified_step(sim, h));
        ASSERT_TRUE(sim.report().accepted())
            << i << sim.report().verdict.motion.sentence << sim.report().verdict.energy.sentence;
      }
      EXPECT_LE(momenta(sim, d)[0].norm(), 1e-12);
      EXPECT_LE(momenta(sim, d)[1].norm(), 1e-12);
    }
}

// A crank that turns as prescribed takes the arm along by friction alone.
TEST(Friction, OfAJointTakesAlong) {
  ModelDescription d = arm(0);
  d.joints[0].anchors = {Vec3::Zero(), Vec3::Zero()};
  d.bodies[0].position = Vec3::Zero();
  BodyDescription crank;
  crank.name = "crank";
  crank.motion =
      Motion{{function("0"), function("0"), function("0")}, Vec3::UnitY(), function("0.8*t")};
  d.bodies.push_back(crank);
  d.joints[0].bodies[0] = "crank";
  d.joints[0].friction = 1;
  Simulator sim = simulator(d);
  double work = 0;
  for (int i = 1; i <= 1500; ++i) {
    ASSERT_TRUE(certified_step(sim, h));
    ASSERT_TRUE(sim.report().accepted());
    ASSERT_NEAR(motion(sim, "bob").angular_velocity.y(), std::min(0.8, i * h / inertia), 1e-12);
    work += sim.report().ledger.work_motion;
  }
  EXPECT_NEAR(first_joint(sim).velocity, 0, 1e-9);
  EXPECT_NEAR(work, 0.8 * 0.8 * inertia, 1e-9);  // half of it is left, half was friction
}

}  // namespace
}  // namespace cairn::test_drives
