// Limits and reactions of joints (E760 to E762): closed forms, conservation, random mechanisms.
#include <cmath>
#include <numbers>

#include "system/mechanisms.hpp"

namespace cairn::test_limits {
namespace {

using namespace testing;

constexpr double h = 0.002;

JointDescription hinge(const std::string& a, const Vec3& anchor_a, const std::string& b,
                       const Vec3& anchor_b, const Vec3& axis) {
  JointDescription d;
  d.name = "hinge";
  d.type = RevoluteJoint{axis};
  d.bodies = {a, b};
  d.anchors = {anchor_a, anchor_b};
  return d;
}

// A bob at the end of an arm of 1 m that starts level and falls; the angle grows downwards.
constexpr double inertia = 0.01;
ModelDescription pendulum(double upper, double restitution) {
  ModelDescription d;
  d.bodies = {free_body("bob", 2, Vec3(inertia, inertia, inertia), Vec3(1, 0, 0))};
  d.joints = {hinge("world", Vec3::Zero(), "bob", Vec3(-1, 0, 0), Vec3::UnitY())};
  d.joints[0].limits = {-1, upper, restitution};
  return d;
}

TEST(Limits, AHingeComesToRestAtItsEndAndCarriesTheMoment) {
  for (const bool relaxed : {false, true}) {
    Simulator sim = simulator_of(pendulum(0.7, 0), relaxed ? SchemeOptions(Relaxed{}) : Euler{});
    certified_steps(sim, h, 600);
    EXPECT_NEAR(joint_position(sim.model(), sim.state(), JointId{0}), 0.7, 1e-12);
    EXPECT_NEAR(joint_velocity(sim.model(), sim.state(), JointId{0}), 0, 1e-12);
    const JointReport& joint = sim.report().joints.at(0);
    EXPECT_NEAR(joint.position, 0.7, 1e-12);
    EXPECT_NEAR(joint.limit, -2 * g * std::cos(0.7), 1e-9);
    EXPECT_NEAR((joint.force - Vec3(0, 0, 2 * g)).norm(), 0, 1e-9);
    EXPECT_LE(sim.report().joint_error_angle, 1e-12);
    EXPECT_TRUE(sim.report().accepted());
  }
}

// Energy about the hinge before and after the impact: e^2 of it is left, but for one step of fall.
TEST(Limits, AnImpactReturnsTheShareOfTheSpeed) {
  for (const double e : {0.0, 0.5, 1.0}) {
    Simulator sim = simulator(pendulum(0.7, e));
    double fastest = 0, back = 0;
    for (int i = 0; i < 400; ++i) {
      ASSERT_TRUE(certified_step(sim, h));
      const double rate = joint_velocity(sim.model(), sim.state(), JointId{0});
      fastest = std::max(fastest, rate);
      back = std::min(back, rate);
    }
    EXPECT_NEAR(fastest, std::sqrt(2 * 2 * g * std::sin(0.7) / (2 + inertia)), 0.03) << e;
    EXPECT_NEAR(back, -e * fastest, 0.02) << e;
  }
}

// A slide that falls to the end of its way: v^2 = 2 g s, and e of it upwards.
TEST(Limits, ASlideFallsToItsEnd) {
  for (const bool reversed : {false, true}) {
    ModelDescription d;
    d.bodies = {free_body("load", 3, Vec3(1, 1, 1), Vec3(0, 0, 2))};
    JointDescription slide;
    slide.name = "slide";
    slide.type = PrismaticJoint{Vec3::UnitZ()};
    slide.bodies = {"world", "load"};
    slide.anchors = {Vec3(0, 0, 2), Vec3::Zero()};
    slide.limits = {-0.5, 0.25, 0.5};
    if (reversed) {  // the coordinate is that of the world relative to the load
      std::swap(slide.bodies[0], slide.bodies[1]);
      std::swap(slide.anchors[0], slide.anchors[1]);
      slide.limits = {-0.25, 0.5, 0.5};
    }
    d.joints = {slide};
    Simulator sim = simulator(d);
    double up = 0, highest = 1;
    bool bounced = false;
    for (int i = 0; i < 3000; ++i) {
      ASSERT_TRUE(certified_step(sim, h));
      const double v = motion(sim, "load").velocity.z(), z = motion(sim, "load").position.z();
      ASSERT_GE(z, 1.5 - 1e-12);
      bounced = bounced || v > 0;
      up = std::max(up, v);
      if (bounced) highest = i < 400 ? std::max(highest, z) : highest;
    }
    EXPECT_NEAR(up, 0.5 * std::sqrt(2 * g * 0.5), 0.03);
    EXPECT_NEAR(highest, 1.5 + 0.25 * 0.5, 0.01);
    EXPECT_NEAR(motion(sim, "load").position.z(), 1.5, 1e-12);
    EXPECT_NEAR(sim.report().joints.at(0).limit, (reversed ? -1 : 1) * 3 * g, 1e-9);
    EXPECT_NEAR(sim.report().joints.at(0).force.norm(), 0, 1e-9);  // across the slide
  }
}

// A crank that turns as prescribed takes the arm along once it is at the end of its range.
TEST(Limits, APrescribedBodyCarriesWhatIsAtItsLimit) {
  ModelDescription d;
  d.gravity = Vec3::Zero();
  BodyDescription crank;
  crank.name = "crank";
  crank.motion =
      Motion{{function("0"), function("0"), function("0")}, Vec3::UnitZ(), function("0.8*t")};
  d.bodies = {crank, free_body("arm", 1, Vec3(0.1, 0.1, 0.1), Vec3(0.5, 0, 0))};
  d.joints = {hinge("crank", Vec3::Zero(), "arm", Vec3(-0.5, 0, 0), Vec3::UnitZ())};
  d.joints[0].limits = {-0.3, 1, 0};
  Simulator sim = simulator(d);
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(certified_step(sim, h));
    if (i < 400) continue;
    ASSERT_NEAR(sim.report().joints.at(0).position, -0.3, 1e-9) << i;
    ASSERT_NEAR(sim.report().joints.at(0).velocity, 0, 1e-6) << i;
  }
  EXPECT_NEAR(motion(sim, "arm").angular_velocity.z(), 0.8, 1e-6);
  EXPECT_NEAR(sim.report().joints.at(0).force.norm(), 0.5 * 0.8 * 0.8, 1e-4);  // centripetal
}

// Two bodies in free space whose hinge hits its ends again and again: momenta stay.
TEST(Limits, ImpactsKeepBothMomenta) {
  for (const double e : {0.0, 0.5, 1.0}) {
    ModelDescription d;
    d.gravity = Vec3::Zero();
    d.bodies = {free_body("a", 1, Vec3(0.1, 0.2, 0.3), Vec3(-0.5, 0, 0)),
                free_body("b", 4, Vec3(0.5, 0.4, 0.3), Vec3(0.5, 0, 0))};
    d.bodies[0].angular_velocity = Vec3(0.3, 2, -0.1);
    d.bodies[0].velocity = Vec3(0, 0, 1);  // the hinge is at rest
    d.joints = {hinge("a", Vec3(0.5, 0, 0), "b", Vec3(-0.5, 0, 0), Vec3::UnitY())};
    d.joints[0].limits = {-0.2, 0.2, e};
    Simulator sim = simulator(d);
    ASSERT_TRUE(certified_step(sim, h));
    const auto start = momenta(sim, d);
    int hits = 0;
    for (int i = 0; i < 1500; ++i) {
      ASSERT_TRUE(certified_step(sim, h));
      ASSERT_TRUE(sim.report().accepted());
      hits += sim.report().collisions;
    }
    EXPECT_GE(hits, e > 0 ? 3 : 0);
    EXPECT_LE((momenta(sim, d)[0] - start[0]).norm(), 1e-12 * start[0].norm());
    EXPECT_LE((momenta(sim, d)[1] - start[1]).norm(), 1e-11 * start[1].norm());
  }
}

// The reaction of a swinging pendulum along its arm is m (w^2 r + g sin); as the mean of a step it
// differs from that at its end in first order.
TEST(Reactions, APendulumPullsWithItsCentripetalForce) {
  ModelDescription d = pendulum(1, 0);
  d.joints[0].limits = {};
  for (const bool trapezoid : {false, true}) {
    std::array<double, 2> worst = {};
    for (const int refined : {0, 1}) {
      Simulator sim = trapezoid ? trapezoidal(d) : simulator(d);
      const double step = refined ? h / 4 : h;
      for (int i = 0; i < (refined ? 1200 : 300); ++i) {
        ASSERT_TRUE(certified_step(sim, step));
        const JointReport& joint = sim.report().joints.at(0);
        const Vec3 arm = motion(sim, "bob").position.normalized();
        const double expected = -2 * (joint.velocity * joint.velocity - g * arm.z());
        double& error = worst[refined ? 1 : 0];
        error = std::max(error, std::abs(joint.force.dot(arm) - expected));
        ASSERT_NEAR(joint.torque.norm(), 0, 1e-9) << i;
        ASSERT_EQ(joint.limit, 0);
      }
    }
    EXPECT_LE(worst[0], 0.5);
    EXPECT_LE(worst[1], 0.3 * worst[0]);
  }
}

// A beam that is clamped to the world: force and moment of its weight.
TEST(Reactions, AFixedJointCarriesForceAndMoment) {
  ModelDescription d;
  d.bodies = {free_body("beam", 5, Vec3(0.1, 1, 1), Vec3(0.75, 0, 0))};
  JointDescription clamp;
  clamp.name = "clamp";
  clamp.type = FixedJoint{};
  clamp.bodies = {"world", "beam"};
  clamp.anchors = {Vec3::Zero(), Vec3(-0.75, 0, 0)};
  for (const bool reversed : {false, true}) {
    d.joints = {clamp};
    if (reversed) std::swap(d.joints[0].bodies[0], d.joints[0].bodies[1]);
    if (reversed) std::swap(d.joints[0].anchors[0], d.joints[0].anchors[1]);
    Simulator sim = simulator(d);
    certified_steps(sim, h, 20);
    const double sign = reversed ? -1 : 1;  // on the second body
    const JointReport& joint = sim.report().joints.at(0);
    EXPECT_NEAR((joint.force - sign * Vec3(0, 0, 5 * g)).norm(), 0, 1e-9);
    EXPECT_NEAR((joint.torque - sign * Vec3(0, -0.75 * 5 * g, 0)).norm(), 0, 1e-9);
  }
}

JointDescription random_joint(Random& random, int i, const std::string& a, const Vec3& anchor_a,
                              double length) {
  JointDescription d;
  d.name = "j" + std::to_string(i);
  const Vec3 axis = random.vector(1).normalized();
  const bool slides = random.below(3) == 0;
  if (slides)
    d.type = PrismaticJoint{axis};
  else
    d.type = RevoluteJoint{axis};
  d.bodies = {a, "b" + std::to_string(i)};
  d.anchors = {anchor_a, Vec3(-length / 2, 0, 0)};
  const double scale = slides ? 0.2 : 1;
  d.limits = {-scale * random.uniform(0, 1.5), scale * random.uniform(0.05, 1.5),
              random.below(2) == 0 ? 0 : random.uniform(0, 1)};
  if (random.below(3) == 0) {
    std::swap(d.bodies[0], d.bodies[1]);
    std::swap(d.anchors[0], d.anchors[1]);
  }
  return d;
}

// Chains with limits on every joint: accepted, inside their ranges, and a limit pushes only at its
// end and only inwards.
TEST(Limits, RandomChainsStayInTheirRanges) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    ModelDescription d = world(Vec3(0, 0, -g), 0.3, 0);
    const int bodies = 1 + random.below(5);
    double x = 0;
    for (int i = 0; i < bodies; ++i) {
      const double length = random.uniform(0.2, 0.5);
      d.bodies.push_back(moving("b" + std::to_string(i), Box{Vec3(0.8 * length, 0.06, 0.06)},
                                std::pow(10, random.uniform(-1, 1.5)), Vec3(x + length / 2, 0, 2)));
      x += length;
    }
    x = 0;
    for (int i = 0; i < bodies; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double length = 2 * (d.bodies[at].position.x() - x);
      const Vec3 anchor = i == 0 ? Vec3(0, 0, 2) : Vec3(x - d.bodies[at - 1].position.x(), 0, 0);
      d.joints.push_back(
          random_joint(random, i, i == 0 ? "world" : d.bodies[at - 1].name, anchor, length));
      x += length;
    }
    const Result<BuiltModel> built = build(d);
    ASSERT_TRUE(built) << seed << ": " << built.error().front().text();
    Simulator sim(built->model, *built->initial);
    for (int n = 0; n < 200; ++n) {
      ASSERT_TRUE(certified_step(sim, 0.005)) << seed;
      const StepReport& report = sim.report();
      ASSERT_TRUE(report.accepted())
          << seed << " step " << n << ": " << report.verdict.motion.sentence
          << report.verdict.energy.sentence;
      for (std::size_t k = 0; k < sim.model().joints.size(); ++k) {
        const JointLimits& range = sim.model().joints[k].limits;
        const JointReport& joint = report.joints[k];
        ASSERT_GE(joint.position, range.lower - 1e-3) << seed << " step " << n;
        ASSERT_LE(joint.position, range.upper + 1e-3) << seed << " step " << n;
        if (joint.limit > 0 && report.collisions == 0) {
          ASSERT_LE(joint.position, range.lower + 0.05) << seed << " step " << n;
        }
        if (joint.limit < 0 && report.collisions == 0) {
          ASSERT_GE(joint.position, range.upper - 0.05) << seed << " step " << n;
        }
      }
    }
  }
}

TEST(Limits, NonsenseIsRefused) {
  const auto refused = [](const JointLimits& limits, const JointType& type, const char* path) {
    ModelDescription d = pendulum(0.7, 0);
    d.joints[0].type = type;
    d.joints[0].limits = limits;
    const Result<BuiltModel> built = build(d);
    ASSERT_FALSE(built);
    EXPECT_EQ(built.error().front().path, path) << built.error().front().text();
    EXPECT_FALSE(built.error().front().fix.empty());
  };
  const double all = std::numeric_limits<double>::infinity();
  refused({-1, 1, 0}, BallJoint{}, "joints[0].lower");
  refused({0.1, 1, 0}, RevoluteJoint{Vec3::UnitY()}, "joints[0].lower");
  refused({-1, -0.5, 0}, RevoluteJoint{Vec3::UnitY()}, "joints[0].upper");
  refused({0, 0, 0}, RevoluteJoint{Vec3::UnitY()}, "joints[0].upper");
  refused({-4, 4, 0}, RevoluteJoint{Vec3::UnitY()}, "joints[0].lower");
  refused({-all, 1, 0}, RevoluteJoint{Vec3::UnitY()}, "joints[0].lower");
  refused({-1, 1, 1.5}, RevoluteJoint{Vec3::UnitY()}, "joints[0].restitution");
  refused({-1, 1, std::nan("")}, RevoluteJoint{Vec3::UnitY()}, "joints[0].restitution");
}

TEST(Limits, SchemesWithoutThemSaySo) {
  const Result<BuiltModel> built = build(pendulum(0.7, 0));
  ASSERT_TRUE(built);
  for (const SchemeOptions& scheme :
       {SchemeOptions(Trapezoidal{}), SchemeOptions(Hybrid{}), SchemeOptions(Penalty{})}) {
    const Result<void> taken = accepts(scheme, Auto{}, *built->model, *built->initial);
    ASSERT_FALSE(taken);
    EXPECT_NE(taken.error().front().text().find("'hinge'"), std::string::npos);
  }
}

}  // namespace
}  // namespace cairn::test_limits
