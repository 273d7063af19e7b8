// Gears, screws, springs, dampers, rotors and motors with gains (E871 to E874): closed forms of
// their first-order steps, conservation, saturation.
#include <cmath>
#include <numbers>

#include "system/mechanisms.hpp"

namespace cairn::test_gears {
namespace {

using namespace testing;

constexpr double h = 0.005;

// A rotor of inertia I about z at (x, 0, 0), on a hinge to the world.
void add_rotor(ModelDescription& d, const std::string& name, double I, double x) {
  d.gravity = Vec3::Zero();
  d.bodies.push_back(free_body(name, 1, Vec3(I, I, I), Vec3(x, 0, 0)));
  JointDescription hinge;
  hinge.name = "hinge_" + name;
  hinge.type = RevoluteJoint{};
  hinge.bodies = {"world", name};
  hinge.anchors = {Vec3(x, 0, 0), Vec3::Zero()};
  d.joints.push_back(hinge);
}

void add_slider(ModelDescription& d, const std::string& name, double mass, double x) {
  d.gravity = Vec3::Zero();
  d.bodies.push_back(free_body(name, mass, Vec3(1, 1, 1), Vec3(x, 0, 0)));
  JointDescription slide;
  slide.name = "slide_" + name;
  slide.type = PrismaticJoint{};
  slide.bodies = {"world", name};
  slide.anchors = {Vec3(x, 0, 0), Vec3::Zero()};
  d.joints.push_back(slide);
}

std::vector<SchemeOptions> schemes() {
  return {Euler{}, Relaxed{}};
}

const JointReport& report_of(const Simulator& sim, const std::string& name) {
  return sim.report().joints.at(index(*sim.model().find_joint(name)));
}

// Takes accepted steps; false at the first one that is not.
bool steps(Simulator& sim, int count, double step = h) {
  for (int i = 0; i < count; ++i) {
    sim.step(step);
    if (!sim.report().accepted()) return false;
  }
  return true;
}

std::string why(const Simulator& sim) {
  const Verdict& v = sim.report().verdict;
  return v.solve.sentence + v.motion.sentence + v.energy.sentence + sim.report().message;
}

// ratio_a q_a + ratio_b q_b = 0 under a torque T on a: q_a'' = T / (I_a + I_b (ratio_a/ratio_b)^2).
TEST(Gears, TwoRotorsAccelerateAsOne) {
  for (const SchemeOptions& scheme : schemes())
    for (const double ratio : {2.0, -0.375, 12.0}) {
      ModelDescription d;
      add_rotor(d, "a", 0.2, 0);
      add_rotor(d, "b", 0.05, 1);
      d.joints[0].motor = gives("0.7");
      d.gears = {{"gear", {{"hinge_a", "", ratio}, {"hinge_b", "", 1}}}};
      Simulator sim = simulator_of(d, scheme);
      const double alpha = 0.7 / (0.2 + 0.05 * ratio * ratio);
      for (int i = 1; i <= 1000; ++i) {
        ASSERT_TRUE(steps(sim, 1)) << i;
        const double expected = alpha * i * h;
        ASSERT_NEAR(report_of(sim, "hinge_a").velocity, expected, 1e-12 * (1 + expected)) << i;
        ASSERT_NEAR(report_of(sim, "hinge_b").velocity, -ratio * expected,
                    1e-12 * (1 + std::abs(ratio) * expected))
            << i;
        ASSERT_LE(sim.report().joint_error_angle, 1e-12) << i;
      }
    }
}

// Turns are counted by nobody: the sum is known up to the common divisor of the ratios times a
// turn.
TEST(Gears, StayInStepOverThousandsOfTurns) {
  ModelDescription d;
  add_rotor(d, "a", 0.2, 0);
  add_rotor(d, "b", 0.05, 1);
  d.bodies[0].angular_velocity = Vec3(0, 0, 40);
  d.bodies[1].angular_velocity = Vec3(0, 0, -60);
  d.gears = {{"gear", {{"hinge_a", "", 1.5}, {"hinge_b", "", 1}}}};
  Simulator sim = simulator(d);
  ASSERT_TRUE(steps(sim, 20000));
  EXPECT_LE(sim.report().joint_error_angle, 1e-12);
  EXPECT_NEAR(report_of(sim, "hinge_a").velocity, 40, 1e-10);
}

// Rack and pinion: x = r q. Force F on the rack: x'' = F / (m + I / r^2).
TEST(Gears, RackAndPinion) {
  for (const SchemeOptions& scheme : schemes()) {
    ModelDescription d;
    add_rotor(d, "pinion", 0.02, 0);
    add_slider(d, "rack", 3, 1);
    constexpr double r = 0.05;
    d.joints[1].motor = gives("11");
    d.gears = {{"rack", {{"hinge_pinion", "", r}, {"slide_rack", "", -1}}}};
    Simulator sim = simulator_of(d, scheme);
    ASSERT_TRUE(steps(sim, 400));
    const double v = 11 / (3 + 0.02 / (r * r)) * 400 * h;
    EXPECT_NEAR(report_of(sim, "slide_rack").velocity, v, 1e-12 * (1 + v));
    EXPECT_NEAR(report_of(sim, "hinge_pinion").velocity, v / r, 1e-11 * (1 + v / r));
    EXPECT_LE(sim.report().joint_error, 1e-13);
  }
}

// A nut on a screw falls with m g / (m + I (2 pi / pitch)^2) and turns with it.
TEST(Gears, ScrewUnderItsWeight) {
  for (const SchemeOptions& scheme : schemes())
    for (const double pitch : {0.1, -0.02}) {
      ModelDescription d;
      d.gravity = Vec3(0, 0, -g);
      d.bodies = {free_body("nut", 2, Vec3(0.1, 0.1, 0.02), Vec3::Zero())};
      JointDescription joint;
      joint.name = "screw";
      joint.type = ScrewJoint{Vec3::UnitZ(), pitch};
      joint.bodies = {"world", "nut"};
      d.joints = {joint};
      Simulator sim = simulator_of(d, scheme);
      ASSERT_TRUE(steps(sim, 500));
      const double k = 2 * std::numbers::pi / pitch, v = -2 * g / (2 + 0.02 * k * k) * 500 * h;
      EXPECT_NEAR(report_of(sim, "screw.translation").velocity, v, 1e-12 * (1 + std::abs(v)));
      EXPECT_NEAR(report_of(sim, "screw.rotation").velocity, k * v, 1e-11 * (1 + std::abs(k * v)));
    }
}

// A gear between two hinges of a chain of four bodies in flight: one row over all of them.
TEST(Gears, FourBodiesInFlightKeepTheirMomenta) {
  for (const SchemeOptions& scheme : schemes())
    for (int seed = 1; seed <= 6; ++seed) {
      Random random(static_cast<std::uint64_t>(seed));
      const auto some = [&](double size) {
        return Vec3(random.uniform(-size, size), random.uniform(-size, size),
                    random.uniform(-size, size));
      };
      ModelDescription d;
      d.gravity = Vec3::Zero();
      for (int i = 0; i < 4; ++i) {
        const Vec3 I = Vec3(0.2, 0.25, 0.3) + some(0.02);
        d.bodies.push_back(
            free_body("body" + std::to_string(i), random.uniform(0.5, 4), I, Vec3(i, 0, 0)));
        d.bodies.back().velocity = Vec3(1, -2, 0.5);
      }
      for (int i = 0; i < 3; ++i) {
        JointDescription joint;
        joint.name = "joint" + std::to_string(i);
        if (i == 1)
          joint.type = BallJoint{};
        else
          joint.type = RevoluteJoint{some(1)};
        joint.bodies = {"body" + std::to_string(i), "body" + std::to_string(i + 1)};
        joint.anchors = {Vec3(0.5, 0, 0), Vec3(-0.5, 0, 0)};
        d.joints.push_back(joint);
      }
      d.gears = {{"gear", {{"joint0", "", 2}, {"joint2", "", -1.5}}}};
      d.joints[0].motor = gives("0.4*cos(3*t)");
      Simulator sim = simulator_of(d, scheme);
      ASSERT_EQ(sim.model().gears[0].bodies[3] == BodyId::world, false);
      const auto before = momenta(sim, d);
      ASSERT_TRUE(steps(sim, 400, 0.01)) << seed << ": " << why(sim);
      const auto after = momenta(sim, d);
      EXPECT_LE((after[0] - before[0]).norm(), 1e-11 * (1 + before[0].norm())) << seed;
      EXPECT_LE((after[1] - before[1]).norm(), 1e-10 * (1 + before[1].norm())) << seed;
      EXPECT_LE(sim.report().joint_error_angle, 1e-11) << seed;
    }
}

// One step of implicit damping: w+ = w / (1 + h c / I).
TEST(Springs, DampersDecayAsTheirStepSays) {
  for (const SchemeOptions& scheme : schemes())
    for (const double c : {0.3, 40.0, 1e9}) {
      ModelDescription d;
      add_rotor(d, "a", 0.2, 0);
      d.bodies[0].angular_velocity = Vec3(0, 0, 5);
      d.joints[0].spring.damping = c;
      Simulator sim = simulator_of(d, scheme);
      double w = 5;
      for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(steps(sim, 1));
        w /= 1 + h * c / 0.2;
        ASSERT_NEAR(report_of(sim, "hinge_a").velocity, w, 1e-13) << i;
        ASSERT_LE(sim.report().ledger.passive, 0);
      }
    }
}

// Implicit Euler of I q'' = -k (q - rest) - c q', stable for every k.
TEST(Springs, FollowTheirRecurrence) {
  for (const SchemeOptions& scheme : schemes())
    for (const double k : {2.0, 500.0, 1e7}) {
      ModelDescription d;
      add_slider(d, "a", 0.7, 0);
      d.joints[0].spring = {k, 0.3, 0.1};
      Simulator sim = simulator_of(d, scheme);
      double x = 0, v = 0;
      for (int i = 0; i < 400; ++i) {
        ASSERT_TRUE(steps(sim, 1)) << i << ": " << why(sim);
        v = (v - h / 0.7 * k * (x - 0.3)) / (1 + h / 0.7 * (h * k + 0.1));
        x += h * v;
        ASSERT_NEAR(report_of(sim, "slide_a").position, x, 1e-12) << i;
        ASSERT_NEAR(report_of(sim, "slide_a").velocity, v, 1e-11) << i;
        ASSERT_NEAR(report_of(sim, "slide_a").spring, -k * (x - 0.3) - 0.1 * v, 1e-11 * (1 + k))
            << i;
        ASSERT_NEAR(sim.report().ledger.potential_end, 0.5 * k * (x - 0.3) * (x - 0.3),
                    1e-11 * (1 + k))
            << i;
      }
    }
}

// A rotor of inertia J that turns with the joint: T = (I + J) q''.
TEST(Rotors, AddTheirInertia) {
  for (const SchemeOptions& scheme : schemes()) {
    ModelDescription d;
    add_rotor(d, "a", 0.2, 0);
    d.joints[0].armature = 1.3;
    d.joints[0].motor = gives("-0.6");
    Simulator sim = simulator_of(d, scheme);
    for (int i = 1; i <= 300; ++i) {
      ASSERT_TRUE(steps(sim, 1));
      const double w = -0.6 / 1.5 * i * h;
      ASSERT_NEAR(report_of(sim, "hinge_a").velocity, w, 1e-12);
      ASSERT_NEAR(sim.kinetic_energy(), 0.5 * 1.5 * w * w, 1e-12);
    }
  }
}

// (h^2 kp + h kd + I) w+ = I w + h kp (q_d - q) + h kd v_d, and exactly max_effort beyond it.
TEST(MotorsWithGains, FollowTheirRecurrenceAndSaturate) {
  for (const SchemeOptions& scheme : schemes())
    for (const double kp : {3.0, 1e4, 1e9}) {
      constexpr double I = 0.2, kd = 0.8, most = 2.5;
      ModelDescription d;
      add_rotor(d, "a", I, 0);
      JointMotor motor = goes_to("0.4*sin(3*t)", most);
      motor.velocity = function("1.2*cos(3*t)");
      motor.stiffness = kp;
      motor.damping = kd;
      d.joints[0].motor = motor;
      Simulator sim = simulator_of(d, scheme);
      double q = 0, w = 0;
      int saturated = 0;
      for (int i = 1; i <= 400; ++i) {
        ASSERT_TRUE(steps(sim, 1)) << i;
        const double t = i * h, s = h * h * kp + h * kd,
                     pull = h * kp * (0.4 * std::sin(3 * t) - q) + h * kd * 1.2 * std::cos(3 * t);
        double next = (I * w + pull) / (I + s), effort = (pull - s * next) / h;
        if (std::abs(effort) > most) {
          ++saturated;
          effort = std::copysign(most, effort);
          next = w + h * effort / I;
          ASSERT_NEAR(report_of(sim, "hinge_a").drive, effort, 1e-12) << i;
        }
        w = next;
        q += h * w;
        ASSERT_NEAR(report_of(sim, "hinge_a").velocity, w, 1e-9) << kp << " " << i;
        ASSERT_NEAR(report_of(sim, "hinge_a").position, q, 1e-10) << kp << " " << i;
      }
      EXPECT_GT(saturated, kp > 100 ? 0 : -1);
    }
}

TEST(Gears, FaultsAreNamed) {
  ModelDescription d;
  add_rotor(d, "a", 0.2, 0);
  add_rotor(d, "b", 0.2, 1);
  const auto fault = [&](std::vector<GearTermDescription> terms) {
    ModelDescription wrong = d;
    wrong.gears = {{"gear", std::move(terms)}};
    const Result<BuiltModel> built = build(wrong);
    return built ? std::string() : built.error().front().path;
  };
  EXPECT_EQ(fault({{"hinge_a", "", 1}, {"hinge_b", "", 2}}), "");
  EXPECT_EQ(fault({{"hinge_a", "", 1}}), "gears[0].joints");
  EXPECT_EQ(fault({{"hinge_a", "", 1}, {"hinge_c", "", 2}}), "gears[0].joints[1].joint");
  EXPECT_EQ(fault({{"hinge_a", "", 1}, {"hinge_a", "", 2}}), "gears[0].joints[1].joint");
  EXPECT_EQ(fault({{"hinge_a", "", 1}, {"hinge_b", "", 0}}), "gears[0].joints[1].ratio");
  EXPECT_EQ(fault({{"hinge_a", "", 1}, {"hinge_b", "", std::sqrt(2.0)}}), "gears[0].joints");
}

}  // namespace
}  // namespace cairn::test_gears
