// Scheme penalty (Anitescu 2003, section II): depth at rest, both stiff limits, energy, stability,
// and what it refuses.
#include <cmath>

#include "system/worlds.hpp"

namespace cairn::test_penalty {
namespace {

using namespace testing;

ModelDescription ball(double height, double mass = 1) {
  ModelDescription d = world(Vec3(0, 0, -g), 0, 0);
  d.bodies = {fixed_halfspace("table", Vec3::UnitZ()),
              moving("ball", Sphere{0.5}, mass, Vec3(0, 0, 0.5 + height))};
  return d;
}

// m g = gamma p^b at rest; both implicit forms get there, the gap of a ball on a plane is straight.
TEST(Penalty, RestsAtTheDepthOfTheClosedForm) {
  for (const PenaltyForm form : {PenaltyForm::implicit, PenaltyForm::linearly_implicit})
    for (const double b : {1.0, 1.5, 3.0})
      for (const double gamma : {1e4, 1e6}) {
        Simulator sim =
            simulator_of(ball(0, 2), Penalty{.form = form, .gamma = gamma, .exponent = b});
        certified_steps(sim, 0.05, 2000);
        const double depth = std::pow(2 * g / gamma, 1 / b);
        EXPECT_NEAR(motion(sim, "ball").position.z(), 0.5 - depth, 1e-9 * depth + 1e-13) << b;
      }
}

// Where the step resolves the impact the ball comes back to where it fell from. The spring has
// returned all but the ledger's half h a dv of each step, at most that of the deepest point over
// the whole change of velocity: gamma p^(5/2)/(5/2) = v^2/2 there.
TEST(Penalty, ExplicitReturnsWhatItTakes) {
  const double fall = 0.2, gamma = 1e6, v = std::sqrt(2 * g * fall);
  const double force = gamma * std::pow(1.25 * v * v / gamma, 0.6);
  for (const double h : {4e-5, 2e-5, 1e-5}) {
    Simulator sim =
        simulator_of(ball(fall), Penalty{.form = PenaltyForm::explicit_, .gamma = gamma});
    double apex = 0, spring = 0;
    for (int i = 0; i < static_cast<int>(0.45 / h); ++i) {
      sim.step(h);
      if (motion(sim, "ball").velocity.z() > 0)
        apex = std::max(apex, motion(sim, "ball").position.z() - 0.5);
      spring += sim.report().ledger.impact;
      ASSERT_NEAR(sim.report().ledger.imbalance(), 0, 1e-12);
    }
    EXPECT_NEAR(apex, fall, h * force * v / g);
    EXPECT_LE(std::abs(spring), 0.5 * h * force * 2 * v);
  }
}

TEST(Penalty, ExplicitStopsWhereItIsUnstable) {
  const double h = 0.02;
  // At rest h^2 theta'/m = 1.5 h^2 gamma^(2/3) (m g)^(1/3) / m.
  const double most = std::pow(8 / (3 * h * h), 1.5) / std::sqrt(g);
  Simulator soft =
      simulator_of(ball(0), Penalty{.form = PenaltyForm::explicit_, .gamma = 0.01 * most});
  certified_steps(soft, h, 200);
  Simulator stiff =
      simulator_of(ball(0), Penalty{.form = PenaltyForm::explicit_, .gamma = 100 * most});
  StepStatus status = StepStatus::certified;
  for (int i = 0; i < 200 && status != StepStatus::stopped; ++i) status = stiff.step(h).status;
  EXPECT_EQ(status, StepStatus::stopped);
  EXPECT_EQ(stiff.report().reason, StopReason::unstable) << stiff.report().message;
}

// (E256): the distance to the limit falls like gamma^(-2/3), to the limit of its own form alone.
TEST(Penalty, TendsToItsOwnStiffLimit) {
  ModelDescription d = world(Vec3(0, -g, 0), 0, 0);
  d.bodies = {fixed_halfspace("table", Vec3::UnitY()),
              moving("left", Disc{0.5}, 1, Vec3(-0.5, 0.5, 0)),
              moving("right", Disc{0.5}, 1, Vec3(0.5, 0.5, 0)),
              moving("top", Disc{0.5}, 1, Vec3(0, 1.5, 0))};
  const auto course = [&](const SchemeOptions& scheme) {
    Simulator sim = simulator_of(d, scheme, Auto{.tolerance = 1e-6});
    std::vector<Vec3> positions;
    for (int i = 0; i < 50; ++i) {
      certified_step(sim, 0.01);
      for (const Pose& pose : sim.state().poses) positions.push_back(pose.p);
    }
    return positions;
  };
  const auto distance = [](const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
    return largest;
  };
  const auto linear = course(Euler{.separation_speed = 1e9}),
             nonlinear = course(Euler{.separation_speed = 1e9, .nonlinear = true});
  const double apart = distance(linear, nonlinear);
  for (const PenaltyForm form : {PenaltyForm::linearly_implicit, PenaltyForm::implicit}) {
    const auto &own = form == PenaltyForm::implicit ? nonlinear : linear,
               &other = form == PenaltyForm::implicit ? linear : nonlinear;
    const auto soft = course(Penalty{.form = form, .gamma = 1e7}),
               stiff = course(Penalty{.form = form, .gamma = 1e9});
    EXPECT_LT(distance(stiff, own), 0.1 * apart);
    EXPECT_GT(distance(stiff, other), 0.8 * apart);
    EXPECT_NEAR(order(1e7, distance(soft, own), 1e9, distance(stiff, own)), -2.0 / 3, 0.1);
  }
}

// A pendulum with a ball that swings against a block: joints hold while the springs push.
TEST(Penalty, JointsHold) {
  ModelDescription d = world(Vec3(0, 0, -g), 0, 0);
  JointDescription rod;
  rod.name = "rod";
  rod.type = DistanceJoint{1};
  rod.bodies = {"world", "bob"};
  rod.anchors = {Vec3(0, 0, 2), Vec3::Zero()};
  d.bodies = {fixed_halfspace("wall", -Vec3::UnitX(), Vec3(0.2, 0, 0)),
              moving("bob", Sphere{0.2}, 1, Vec3(-1, 0, 2))};
  d.joints = {rod};
  Simulator sim = simulator_of(d, Penalty{.gamma = 1e6});
  double pushed = 0;
  for (int i = 0; i < 200; ++i) {
    certified_step(sim, 0.01);
    pushed = std::max(pushed, sim.report().penetration);
    EXPECT_NEAR(sim.report().ledger.imbalance(), 0, 1e-10);
    EXPECT_LE(sim.report().joint_error, 0.01);
  }
  EXPECT_GT(pushed, 1e-6);
}

TEST(Penalty, RefusesFrictionAndRestitution) {
  for (const int which : {0, 1, 2, 3}) {
    ModelDescription d = ball(0);
    Material& m = d.materials[0].second;
    (which == 0   ? m.friction
     : which == 1 ? m.restitution
     : which == 2 ? m.rolling_friction
                  : m.torsional_friction) = 0.1;
    Simulator sim = simulator_of(d, Penalty{});
    const StepReport& report = sim.step(0.01);
    EXPECT_EQ(report.status, StepStatus::stopped);
    EXPECT_EQ(report.reason, StopReason::unsupported) << report.message;
  }
}

// The error of a scene names the line.
TEST(Penalty, SceneErrorHasALine) {
  const char* text = R"({"cairn": 1,
"materials": {"default": {
  "friction": 0.3}},
"bodies": [{"name": "a", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
           {"name": "b", "mass": 1, "shapes": [{"type": "sphere", "radius": 1}]}],
"simulation": {"scheme": {"type": "penalty"}}})";
  const Result<Scene> scene = parse_scene(text, "x.json");
  ASSERT_FALSE(scene);
  EXPECT_EQ(scene.error()[0].line, 3);
  EXPECT_EQ(scene.error()[0].path, "materials.default.friction");
}

// Scaling by powers of two changes no bit: gamma in kg m^(1-b) s^-2 with b = 2.
TEST(Penalty, Units) {
  const auto make = [](double length, double mass, double time) {
    ModelDescription d = world(Vec3(0, 0, -g) * (length / (time * time)), 0, 0);
    d.bodies = {fixed_halfspace("table", Vec3::UnitZ()),
                moving("ball", Sphere{0.5 * length}, mass, Vec3(0, 0, 0.625 * length))};
    return simulator_of(d, Penalty{.gamma = 4096 * mass / (length * time * time), .exponent = 2});
  };
  Simulator one = make(1, 1, 1), two = make(0.25, 8, 2);
  certified_steps(one, 0.015625, 50);
  certified_steps(two, 0.03125, 50);
  EXPECT_EQ(Vec3(one.state().poses[0].p * 0.25), two.state().poses[0].p);
}

}  // namespace
}  // namespace cairn::test_penalty
