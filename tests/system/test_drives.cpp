// Motors and dry friction of joints (E763): closed forms, exact limits, conservation, random
// mechanisms.
#include <cmath>
#include <numbers>

#include "system/worlds.hpp"

namespace cairn::test_drives {
namespace {

using namespace testing;

constexpr double h = 0.002;

BodyDescription free_body(const std::string& name, double mass, const Vec3& inertia,
                          const Vec3& position) {
  BodyDescription body;
  body.name = name;
  body.mass = mass;
  body.inertia = Mat3(inertia.asDiagonal());
  body.position = position;
  return body;
}

// An arm of 1 m with a bob at its end, level at the start; the angle grows downwards.
constexpr double mass = 2, inertia = 0.1, about_hinge = mass + inertia;
ModelDescription arm(double gravity = g) {
  ModelDescription d;
  d.gravity = Vec3(0, 0, -gravity);
  d.bodies = {free_body("bob", mass, Vec3(inertia, inertia, inertia), Vec3(1, 0, 0))};
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.type = RevoluteJoint{Vec3::UnitY()};
  hinge.bodies = {"world", "bob"};
  hinge.anchors = {Vec3::Zero(), Vec3(-1, 0, 0)};
  d.joints = {hinge};
  return d;
}

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

JointMotor keeps(const std::string& velocity, double max_effort) {
  JointMotor motor;
  motor.velocity = function(velocity);
  motor.max_effort = max_effort;
  return motor;
}

JointMotor gives(const std::string& effort) {
  JointMotor motor;
  motor.effort = function(effort);
  return motor;
}

const JointReport& joint(const Simulator& sim) {
  return sim.report().joints.at(0);
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
    EXPECT_NEAR(joint(sim).position, 0.7, 1e-12);
    EXPECT_NEAR(joint(sim).drive, 5, 1e-12);
    EXPECT_NEAR(joint(sim).limit, -5, 1e-9);
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
      ASSERT_NEAR(joint(sim).velocity, -0.3 * i * h / inertia, 1e-12) << i;
      ASSERT_NEAR(joint(sim).drive, -0.3, 1e-12);
      work += sim.report().ledger.work_applied;
    }
    EXPECT_NEAR(work, 0.3 * std::abs(joint(sim).position), 1e-12);
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
      worst[refined] =
          std::max(worst[refined], std::abs(joint(sim).velocity - 2 * std::sin(3 * i * step) / 3));
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
      ASSERT_NEAR(joint(sim).velocity, -0.8, 1e-12) << i;
      ASSERT_NEAR(joint(sim).position, -0.8 * i * h, 1e-9 * i) << i;
      ASSERT_NEAR(joint(sim).drive, -mass * g * std::cos(joint(sim).position), 0.05) << i;
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
    ASSERT_NEAR(joint(sim).drive, 20, 1e-12);
    ASSERT_NEAR(joint(sim).velocity, (20 / 3.0 - g) * i * h, 1e-12 * i);
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
        const double moved = std::abs(joint(sim).velocity);
        if (share > 1) {
          EXPECT_LE(moved, 1e-15) << hinge;
          EXPECT_LE(std::abs(joint(sim).position), 1e-15) << hinge;
          EXPECT_NEAR(joint(sim).friction, hinge ? -torque : weight, 1e-9);
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
      ASSERT_NEAR(joint(sim).velocity, std::min(0.0, -1.2 + 4 * i * h / 3), 1e-12) << i;
      lost += sim.report().ledger.friction - sim.report().ledger.integrator;
    }
    EXPECT_NEAR(lost, 0.5 * 3 * 1.2 * 1.2, 1e-12);
    EXPECT_NEAR(joint(sim).position, -1.2 * 1.2 * 3 / 8, 1.2 * h);
    EXPECT_NEAR(joint(sim).friction, 0, 1e-12);
  }
}

JointMotor goes_to(const std::string& position, double max_effort) {
  JointMotor motor;
  motor.position = function(position);
  motor.max_effort = max_effort;
  return motor;
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
        ASSERT_NEAR(std::remainder(joint(sim).position - q, 2 * std::numbers::pi), 0, 1e-12) << i;
        const double effort =
            hinge ? about_hinge * 8 - mass * g * std::cos(q) : 3 * (0.6 + g * std::sin(0.6));
        if (i > 1) {                  // it starts at rest: half the acceleration
          const double rate = 8 * t;  // the weight turns on, and so does the momentum of the bob
          const double first_order = h * mass * (g * (1 + rate) + rate * rate * rate);
          ASSERT_NEAR(joint(sim).drive, effort, hinge ? first_order : 1e-6) << i;
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
    ASSERT_NEAR(joint(sim).velocity, 2 * i * h, 1e-9 * i);  // (11 - 5) N / 3 kg
    ASSERT_NEAR(joint(sim).drive, -5, 1e-9);
  }
  const double away = joint(sim).position;
  for (int i = 0; i < 2000 && joint(sim).position > 1e-9; ++i) {
    ASSERT_TRUE(certified_step(sim, h));
    ASSERT_GE(joint(sim).velocity, -0.25 - 1e-12);
  }
  EXPECT_GT(away, 0.2);
  EXPECT_NEAR(joint(sim).position, 0, 1e-12);
}

// Friction of the motor's joint adds to its load.
TEST(Drives, AMotorWorksAgainstFriction) {
  ModelDescription d = slide(0);
  d.joints[0].friction = 4;
  d.joints[0].motor = keeps("0.5", 10);
  Simulator sim = simulator(d);
  certified_steps(sim, h, 200);
  EXPECT_NEAR(joint(sim).velocity, 0.5, 1e-12);
  EXPECT_NEAR(joint(sim).drive, 4, 1e-9);
  EXPECT_NEAR(joint(sim).friction, -4, 1e-9);
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
      Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero();
      for (std::size_t i = 0; i < 2; ++i) {
        const BodyMotion m = body_motion(sim.model(), sim.state(), static_cast<BodyId>(i));
        const Mat3 R = m.orientation.toRotationMatrix();
        const Mat3 I = R * *d.bodies[i].inertia * R.transpose();
        momentum += *d.bodies[i].mass * m.velocity;
        spin += m.position.cross(*d.bodies[i].mass * m.velocity) + I * m.angular_velocity;
      }
      EXPECT_LE(momentum.norm(), 1e-12);
      EXPECT_LE(spin.norm(), 1e-12);
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
  EXPECT_NEAR(joint(sim).velocity, 0, 1e-9);
  EXPECT_NEAR(work, 0.8 * 0.8 * inertia, 1e-9);  // half of it is left, half was friction
}

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
    ASSERT_NEAR(joint(sim).drive, weight, 1e-12);
  }
  EXPECT_NEAR(joint(sim).position, 0, 1e-12);
  certified_steps(sim, h, 1);  // without a target it gives what its function says
  EXPECT_NEAR(joint(sim).velocity, mass * g * h / about_hinge, 1e-6);

  d.joints[0].motor = keeps("0", 1e6);
  Simulator other = simulator(d);
  for (int i = 1; i <= 100; ++i) {
    ASSERT_TRUE(certified_step(other, h, {.forces = {}, .motors = {{JointId{0}, 0.1 * i}}}));
    ASSERT_NEAR(joint(other).velocity, 0.1 * i, 1e-3) << i;
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
}  // namespace cairn::test_drives
