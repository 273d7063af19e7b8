// Motors and dry friction of joints (E763, E764) in random mechanisms, under controllers, and what
// is refused.
#include <cmath>
#include <numbers>

#include "system/mechanisms.hpp"

namespace cairn::test_drive_laws {
namespace {

using namespace testing;
using namespace testing::arm_of_a_bob;

constexpr double h = 0.002;

// What (E763, E764) say: inside its bounds the coordinate advances as asked, at them it lags
// behind. The row is that of the beginning of the step: bodies that turn are off by `turning`.
void expect_law(double effort, double bound, double asked, double rate, double turning,
                const std::string& where) {
  ASSERT_LE(std::abs(effort), bound * (1 + 1e-9)) << where;
  if (std::abs(effort) < bound * (1 - 1e-6)) {
    ASSERT_NEAR(rate, asked, 1e-9) << where;
  } else if (std::abs(asked - rate) > turning) {
    ASSERT_EQ(effort > 0, asked > rate) << where << ", rate " << rate << " of " << asked;
  }
}

TEST(Drives, RandomChainsObeyTheirLaws) {
  constexpr double step = 0.005;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    ModelDescription d = world(Vec3(0, 0, -g), 0.3, 0);
    const int bodies = 1 + random.below(5);
    double x = 0;
    for (int i = 0; i < bodies; ++i) {
      const double length = random.uniform(0.2, 0.5);
      d.bodies.push_back(moving("b" + std::to_string(i), Box{Vec3(0.8 * length, 0.06, 0.06)},
                                std::pow(10, random.uniform(-1, 1.5)), Vec3(x + length / 2, 0, 2)));
      JointDescription link;
      link.name = "j" + std::to_string(i);
      const Vec3 axis = random.vector(1).normalized();
      const bool slides = random.below(3) == 0;
      if (slides)
        link.type = PrismaticJoint{axis};
      else
        link.type = RevoluteJoint{axis};
      const auto at = static_cast<std::size_t>(i);
      link.bodies = {i == 0 ? "world" : d.bodies[at - 1].name, d.bodies[at].name};
      link.anchors = {i == 0 ? Vec3(0, 0, 2) : Vec3(x - d.bodies[at - 1].position.x(), 0, 0),
                      Vec3(-length / 2, 0, 0)};
      if (random.below(3) == 0) {
        std::swap(link.bodies[0], link.bodies[1]);
        std::swap(link.anchors[0], link.anchors[1]);
      }
      const double size = std::pow(10, random.uniform(-1, 2)) * (slides ? 3 : 1);
      if (random.below(2) == 0) link.friction = random.uniform(0, 0.5) * size;
      if (random.below(3) > 0)
        link.motor =
            keeps(std::to_string(random.uniform(-1, 1) * (slides ? 0.1 : 1)) + "*cos(2*t)", size);
      if (slides && random.below(2) == 0) link.limits = {-0.1, 0.1, 0};
      d.joints.push_back(link);
      x += length;
    }
    const Result<BuiltModel> built = build(d);
    ASSERT_TRUE(built) << seed << ": " << built.error().front().text();
    const SchemeOptions scheme = seed % 2 == 0 ? SchemeOptions(Euler{}) : Relaxed{};
    Simulator sim(built->model, *built->initial, scheme);
    for (int n = 0; n < 200; ++n) {
      std::vector<double> before;
      for (std::size_t k = 0; k < sim.model().joints.size(); ++k)
        before.push_back(joint_position(sim.model(), sim.state(), static_cast<JointId>(k)));
      ASSERT_TRUE(certified_step(sim, step)) << seed;
      const StepReport& report = sim.report();
      ASSERT_TRUE(report.accepted())
          << seed << " step " << n << ": " << report.verdict.motion.sentence
          << report.verdict.energy.sentence;
      if (!report.divided.empty() || report.collisions > 0) continue;
      double turning = 1e-4;
      for (const BodyDescription& body : d.bodies)
        turning += 4 * step * motion(sim, body.name).angular_velocity.squaredNorm();
      for (std::size_t k = 0; k < sim.model().joints.size(); ++k) {
        const Joint& link = sim.model().joints[k];
        const JointReport& out = report.joints[k];
        const std::string where =
            std::to_string(seed) + " step " + std::to_string(n) + " " + link.name;
        double way = out.position - before[k];
        if (std::holds_alternative<RevoluteJoint>(link.type))
          way = std::remainder(way, 2 * std::numbers::pi);
        const double rate = way / step;
        if (link.motor)
          expect_law(out.drive, link.motor->max_effort, (*link.motor->velocity)(sim.state().t),
                     rate, turning, where);
        if (link.friction > 0) expect_law(out.friction, link.friction, 0, rate, turning, where);
      }
    }
  }
}

// A controller that sets the effort from the state: gravity compensation holds the arm wherever it
// is, and a target velocity stands in place of the function of time.
TEST(Controls, TargetsStandInPlaceOfFunctions) {
  ModelDescription d = arm();
  d.joints[0].motor = gives("0");
  Simulator sim = simulator(d);
  for (int i = 0; i < 500; ++i) {
    const double angle = joint_position(sim.model(), sim.state(), JointId{0});
    const double weight = -mass * g * std::cos(angle);
    ASSERT_TRUE(certified_step(sim, h, {.forces = {}, .motors = {{JointId{0}, weight}}}));
    ASSERT_NEAR(first_joint(sim).drive, weight, 1e-12);
  }
  EXPECT_NEAR(first_joint(sim).position, 0, 1e-12);
  certified_steps(sim, h, 1);  // without a target it gives what its function says
  EXPECT_NEAR(first_joint(sim).velocity, mass * g * h / about_hinge, 1e-6);

  d.joints[0].motor = keeps("0", 1e6);
  Simulator other = simulator(d);
  for (int i = 1; i <= 100; ++i) {
    ASSERT_TRUE(certified_step(other, h, {.forces = {}, .motors = {{JointId{0}, 0.1 * i}}}));
    ASSERT_NEAR(first_joint(other).velocity, 0.1 * i, 1e-3) << i;
  }
}

TEST(Controls, NonsenseIsRefusedOrStops) {
  ModelDescription d = arm();
  Simulator without = simulator(d);
  EXPECT_THROW(without.step(h, {.forces = {}, .motors = {{JointId{0}, 1}}}), std::invalid_argument);
  d.joints[0].motor = gives("0");
  Simulator sim = simulator(d);
  EXPECT_THROW(sim.step(h, {.forces = {}, .motors = {{JointId{0}, 1}, {JointId{0}, 2}}}),
               std::invalid_argument);
  EXPECT_EQ(sim.step(h, {.forces = {}, .motors = {{JointId{0}, std::nan("")}}}).reason,
            StopReason::not_finite);
  EXPECT_EQ(sim.state().step, 0);
}

TEST(Drives, NonsenseIsRefused) {
  const auto refused = [](const auto& change, const char* path) {
    ModelDescription d = arm();
    change(d.joints[0]);
    const Result<BuiltModel> built = build(d);
    ASSERT_FALSE(built) << path;
    EXPECT_EQ(built.error().front().path, path) << built.error().front().text();
    EXPECT_FALSE(built.error().front().fix.empty());
  };
  refused([](JointDescription& j) { j.friction = -1; }, "joints[0].friction");
  refused([](JointDescription& j) { j.friction = std::nan(""); }, "joints[0].friction");
  refused([](JointDescription& j) { j.motor = keeps("1", 0); }, "joints[0].motor.max_effort");
  refused([](JointDescription& j) { j.motor = keeps("1/t", 1); }, "joints[0].motor.velocity");
  refused([](JointDescription& j) { j.motor = gives("log(t)"); }, "joints[0].motor.effort");
  refused([](JointDescription& j) { j.motor = goes_to("1/t", 1); }, "joints[0].motor.position");
  refused(
      [](JointDescription& j) {
        j.motor = goes_to("1", 1);
        j.motor->max_velocity = 0;
      },
      "joints[0].motor.max_velocity");
  refused(
      [](JointDescription& j) {
        j.type = BallJoint{};
        j.motor = gives("1");
      },
      "joints[0].motor");
  refused(
      [](JointDescription& j) {
        j.type = FixedJoint{};
        j.friction = 1;
      },
      "joints[0].friction");
}

TEST(Drives, AnEffortThatEndsIsAStopNotACrash) {
  ModelDescription d = arm();
  d.joints[0].motor = gives("sqrt(0.1 - t)");
  Simulator sim = simulator(d);
  for (int i = 0; i < 60 && !sim.report().failed(); ++i) sim.step(h);
  EXPECT_TRUE(sim.report().failed());
  EXPECT_NE(sim.report().message.find("'hinge'"), std::string::npos) << sim.report().message;
}

TEST(Drives, SchemesWithoutThemSaySo) {
  for (const bool motor : {false, true}) {
    ModelDescription d = arm();
    d.joints[0].friction = motor ? 0 : 1;
    if (motor) d.joints[0].motor = gives("1");
    const Result<BuiltModel> built = build(d);
    ASSERT_TRUE(built);
    for (const SchemeOptions& scheme :
         {SchemeOptions(Trapezoidal{}), SchemeOptions(Hybrid{}), SchemeOptions(Penalty{})}) {
      const Result<void> taken = accepts(scheme, Auto{}, *built->model, *built->initial);
      ASSERT_FALSE(taken);
      EXPECT_NE(taken.error().front().text().find("'hinge'"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace cairn::test_drive_laws
