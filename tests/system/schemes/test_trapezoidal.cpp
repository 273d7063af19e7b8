// Scheme `trapezoidal` where nothing is hit: the order of the rule, its stability and its energy,
// with springs, free rotation and joints.
#include "system/worlds.hpp"

namespace cairn::testing::test_trapezoidal {
namespace {

//  |--/\/\/--o    x'' = -9 x, x(0) = 1: the anchor is far enough that the spring never turns over
ModelDescription oscillator() {
  ModelDescription d = world(Vec3::Zero(), 0, 0);
  d.bodies = {particle("bob", "x", Vec3(1, 0, 0))};
  d.forces = {SpringDescription{.bodies = {"world", "bob"},
                                .anchors = {Vec3(-10, 0, 0), Vec3::Zero()},
                                .stiffness = 9,
                                .rest_length = 10}};
  return d;
}

TEST(Trapezoidal, OscillatorConvergesWithRatioFour) {
  double error[2] = {};
  for (int k = 0; k < 2; ++k) {
    Simulator sim = trapezoidal(oscillator());
    certified_run(sim, 0.02 / (k + 1), 2);
    error[k] = motion(sim, "bob").position.x() - std::cos(6.0);
  }
  // The next term of the error is (3 h)^2 of the first.
  EXPECT_NEAR(error[0] / error[1], 4, 4 * 0.06 * 0.06);
}

// The rule is an orthogonal map in (3 x, v) for every step, so the radius stays 1.
TEST(Trapezoidal, OscillatorHasSpectralRadiusOne) {
  for (const double h : {0.01, 1.0, 100.0}) {
    Simulator sim = trapezoidal(oscillator());
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(certified_step(sim, h));
      const BodyMotion m = motion(sim, "bob");
      ASSERT_NEAR(9 * m.position.x() * m.position.x() + m.velocity.x() * m.velocity.x(), 9,
                  1e-12 * 9 * (i + 1));
    }
  }
}

// Order between h and h/2; the reference has an eighth of the finer step, and 1/64 of its error.
template <class Make, class Measure>
double slope(const Make& make, double h, double duration, const Measure& distance) {
  Simulator coarse = make(), fine = make(), reference = make();
  certified_run(coarse, h, duration);
  certified_run(fine, h / 2, duration);
  certified_run(reference, h / 16, duration);
  return order(h, distance(coarse, reference), h / 2, distance(fine, reference));
}

double pose_distance(const Simulator& a, const Simulator& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.state().poses.size(); ++i) {
    const Pose &x = a.state().poses[i], &y = b.state().poses[i];
    sum += (x.p - y.p).norm() + x.R.angularDistance(y.R);
  }
  return sum;
}

double velocity_distance(const Simulator& a, const Simulator& b) {
  return (a.state().v - b.state().v).norm();
}

ModelDescription tumbling() {
  ModelDescription d = world(Vec3::Zero(), 0, 0);
  BodyDescription body;
  body.name = "book";
  body.mass = 1;
  body.inertia = Vec3(1, 2, 3).asDiagonal();
  body.angular_velocity = Vec3(0.3, 2, 0.2);
  d.bodies = {body};
  return d;
}

// Jacobi: with I1 < I2 < I3 and 2 T I2 < L^2 the body's w2 = a sn(p t + phase, m); what needs no
// phase is its period 4 K(m) / p, after which w returns.
TEST(Trapezoidal, TumblingBodyFollowsEllipticFunctions) {
  const double I1 = 1, I2 = 2, I3 = 3;
  const Vec3 w0(0.3, 2, 0.2);
  const double T2 = I1 * w0[0] * w0[0] + I2 * w0[1] * w0[1] + I3 * w0[2] * w0[2];
  const double L2 = I1 * I1 * w0[0] * w0[0] + I2 * I2 * w0[1] * w0[1] + I3 * I3 * w0[2] * w0[2];
  double p = 0, m = 0;
  if (L2 > T2 * I2) {
    p = std::sqrt((I3 - I2) * (L2 - T2 * I1) / (I1 * I2 * I3));
    m = (I2 - I1) * (T2 * I3 - L2) / ((I3 - I2) * (L2 - T2 * I1));
  } else {
    p = std::sqrt((I2 - I1) * (T2 * I3 - L2) / (I1 * I2 * I3));
    m = (I3 - I2) * (L2 - T2 * I1) / ((I2 - I1) * (T2 * I3 - L2));
  }
  const double period = 4 * std::comp_ellint_1(std::sqrt(m)) / p;
  double error[2] = {};
  for (int k = 0; k < 2; ++k) {
    const int steps = 400 << k;
    Simulator sim = trapezoidal(tumbling());
    certified_steps(sim, period / steps, steps);
    error[k] = (sim.state().v.tail<3>() - w0).norm();
  }
  // The drift is exact (E420): what is left is rounding, some 1e-16 of a turn a step.
  EXPECT_LT(error[0], 1e-10);
  EXPECT_LT(error[1], 1e-10);
}

// Without torque the pose does not depend on the step.
TEST(Trapezoidal, TumblingBodyTurnsAlikeForAllSteps) {
  Simulator coarse = trapezoidal(tumbling()), fine = trapezoidal(tumbling());
  certified_run(coarse, 0.08, 4);
  certified_run(fine, 0.005, 4);
  EXPECT_LT(pose_distance(coarse, fine), 1e-11);
  EXPECT_LT(velocity_distance(coarse, fine), 1e-11);
}

ModelDescription heavy_top() {
  ModelDescription d = world(Vec3(0, 0, -g), 0, 0);
  BodyDescription top;
  top.name = "top";
  top.mass = 1;
  top.inertia = Vec3(0.2, 0.2, 0.1).asDiagonal();
  top.orientation = Quat(Eigen::AngleAxisd(0.5, Vec3::UnitX()));
  top.position = top.orientation * Vec3(0, 0, 0.5);
  top.angular_velocity = top.orientation * Vec3(0, 0, 15);
  d.bodies = {top};
  JointDescription joint;
  joint.name = "tip";
  joint.type = BallJoint{};
  joint.bodies = {"world", "top"};
  joint.anchors = {Vec3::Zero(), Vec3(0, 0, -0.5)};
  d.joints = {joint};
  return d;
}

ModelDescription double_pendulum() {
  ModelDescription d = world(Vec3(0, 0, -g), 0, 0);
  for (int i = 0; i < 2; ++i) {
    BodyDescription rod;
    rod.name = i == 0 ? "upper" : "lower";
    rod.mass = 1;
    rod.inertia = Vec3(0.02, 0.09, 0.1).asDiagonal();
    rod.position = Vec3(0.5 + i, 0, 0);
    d.bodies.push_back(rod);
    JointDescription joint;
    joint.name = i == 0 ? "a" : "b";
    joint.type = i == 0 ? JointType(BallJoint{}) : JointType(RevoluteJoint{Vec3(0, 0.6, 0.8)});
    joint.bodies = {i == 0 ? "world" : "upper", rod.name};
    joint.anchors = {i == 0 ? Vec3::Zero() : Vec3(0.5, 0, 0), Vec3(-0.5, 0, 0)};
    d.joints.push_back(joint);
  }
  return d;
}

TEST(Trapezoidal, MechanismsMoveWithSecondOrder) {
  for (const auto& [name, description, h, duration] :
       {std::tuple("heavy top", heavy_top(), 0.005, 1.0),
        std::tuple("double pendulum", double_pendulum(), 0.01, 1.0)}) {
    for (const bool projection : {true, false}) {
      auto make = [&] { return trapezoidal(description, {.projection = projection}); };
      EXPECT_GT(slope(make, h, duration, pose_distance), 1.9) << name << projection;
      EXPECT_GT(slope(make, h, duration, velocity_distance), 1.9) << name << projection;
    }
    Simulator sim = trapezoidal(description);
    certified_run(sim, h, duration);
    EXPECT_LE(sim.report().joint_error, 1e-14) << name;
  }
}

// The crank turns by hand, so the joints alone say where everything is; the velocities are the
// scheme's.
TEST(Trapezoidal, SliderCrankMovesWithSecondOrder) {
  const Scene s = scene("slider_crank");
  auto make = [&] {
    return Simulator(s.model, *s.initial, Trapezoidal{}, s.simulation.solver, fixed_step);
  };
  EXPECT_GT(slope(make, 0.004, 0.8, velocity_distance), 1.9);
  Simulator sim = make();
  certified_run(sim, 0.004, 0.8);
  const double a = 1.6, x = std::cos(a) + std::sqrt(9 - std::sin(a) * std::sin(a));
  EXPECT_NEAR(motion(sim, "slider").position.x(), x, 1e-12);
}

// With mean velocities joints do no work, and the projection pays what it costs: what is left after
// 10^5 steps is rounding, which grows like a random walk at the worst like the number of steps.
TEST(Trapezoidal, PendulumKeepsItsEnergyForLong) {
  ModelDescription d = world(Vec3(0, -g, 0), 0, 0);
  d.bodies = {particle("bob", "x y", Vec3(1, 0, 0))};
  JointDescription rod;
  rod.name = "rod";
  rod.type = DistanceJoint{1};
  rod.bodies = {"world", "bob"};
  d.joints = {rod};
  for (const bool projection : {true, false}) {
    Simulator sim = trapezoidal(d, {.projection = projection});
    double worst = 0;
    for (int i = 0; i < 100000; ++i) {
      sim.step(0.005);
      worst = std::max(worst, std::abs(sim.kinetic_energy() + sim.potential_energy()));
    }
    EXPECT_LE(worst, 1e5 * 2.3e-16 * g) << projection;
  }
}

// Energies of the smooth parts from their own formulas; a tumbling body on a spring and damper that
// hangs on another one.
TEST(Trapezoidal, LedgerAddsUp) {
  ModelDescription d = double_pendulum();
  d.forces = {SpringDescription{.bodies = {"upper", "lower"},
                                .anchors = {Vec3(0.1, 0.2, 0), Vec3(0, -0.3, 0.1)},
                                .stiffness = 50,
                                .rest_length = 0.5,
                                .damping = 2},
              AppliedForceDescription{.body = "lower",
                                      .force = {function("3*sin(5*t)"), 0, 1},
                                      .torque = {0, 0, 0.1},
                                      .point = Vec3(0.5, 0, 0),
                                      .at_center_of_mass = false}};
  for (const TrapezoidalForm form : {TrapezoidalForm::mean, TrapezoidalForm::next})
    for (const bool damp : {false, true}) {
      Simulator sim = trapezoidal(d, {.form = form, .damp_stiff = damp});
      for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(certified_step(sim, 0.01));
        const Ledger& l = sim.report().ledger;
        const double size = l.kinetic_end + std::abs(l.potential_end) + std::abs(l.work_applied);
        // The laws hold to the residual of the solve.
        ASSERT_LE(std::abs(l.imbalance()), 1e-11 * size) << i;
      }
    }
}

// The exact derivatives of springs, dampers and forces that turn with their bodies: without them
// the order would be one.
TEST(Trapezoidal, SpringsAndTorquesKeepTheOrder) {
  ModelDescription d = tumbling();
  BodyDescription other = d.bodies[0];
  other.name = "other";
  other.position = Vec3(2, 0.3, 0);
  other.angular_velocity = Vec3(1, -1, 2);
  d.bodies.push_back(other);
  d.forces = {SpringDescription{.bodies = {"book", "other"},
                                .anchors = {Vec3(0.3, 0.2, 0.1), Vec3(-0.2, 0.4, 0)},
                                .stiffness = 20,
                                .rest_length = 1.5,
                                .damping = 1},
              AppliedForceDescription{.body = "book",
                                      .force = {function("2*cos(3*t)"), 1, 0},
                                      .torque = {0.5, 0, function("sin(t)")},
                                      .point = Vec3(0, 0.5, 0),
                                      .at_center_of_mass = false}};
  for (const bool damp : {false, true}) {
    auto make = [&] { return trapezoidal(d, {.damp_stiff = damp}); };
    EXPECT_GT(slope(make, 0.01, 1, pose_distance), 1.9);
    EXPECT_GT(slope(make, 0.01, 1, velocity_distance), 1.9);
  }
}

// Beside a spring of 1e30 N/m the mass is lost in rounding: the step stops and says why.
TEST(Trapezoidal, SpringBeyondAllMassesStops) {
  ModelDescription d = oscillator();
  std::get<SpringDescription>(d.forces[0]).stiffness = 1e30;
  Simulator sim = trapezoidal(d);
  const State before = sim.state();
  EXPECT_EQ(sim.step(0.01).status, StepStatus::stopped);
  EXPECT_EQ(sim.report().reason, StopReason::too_stiff);
  EXPECT_TRUE(sim.state() == before);
}

// (E182): the error of a run follows the accuracy that is asked for, and the estimate tells it.
TEST(Trapezoidal, ErrorFollowsTheAccuracy) {
  double last = 1;
  for (const double accuracy : {1e-4, 1e-6, 1e-8}) {
    Simulator sim = trapezoidal(oscillator(), {.accuracy = accuracy});
    double estimated = 0;
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(certified_step(sim, 0.2));
      EXPECT_LE(sim.report().error_estimate, accuracy);
      EXPECT_GT(sim.report().parts, 1);
      estimated += sim.report().error_estimate;
    }
    // Errors of position feed those of velocity and back with the frequency 3 over 2 s.
    const double error = std::abs(motion(sim, "bob").position.x() - std::cos(6.0));
    EXPECT_LE(error, 10 * estimated);
    // A hundredth of the accuracy: at most a tenth of the error, whatever phase it has.
    EXPECT_LE(error, last / 10);
    last = error;
  }
}

// Lengths of parts stay between the bounds: the number of parts tells.
TEST(Trapezoidal, PartsStayBetweenTheirBounds) {
  const Trapezoidal loose{.accuracy = 1, .max_step = 0.05},
      tight{.accuracy = 1e-14, .min_step = 0.05};
  Simulator sim = trapezoidal(oscillator(), loose);
  ASSERT_TRUE(certified_step(sim, 0.2));
  EXPECT_EQ(sim.report().parts, 8);  // four of 0.05 s in halves
  sim = trapezoidal(oscillator(), tight);
  ASSERT_TRUE(certified_step(sim, 0.2));
  EXPECT_LE(sim.report().parts, 8);
  EXPECT_GT(sim.report().error_estimate, 1e-14);  // told, not hidden
}

// (E187): form `new` with joints has second order.
TEST(Trapezoidal, NewFormWithJointsHasSecondOrder) {
  for (const char* name : {"pendulum", "pendulum_wall", "heavy_top"})
    for (const bool projection : {true, false}) {
      const Scene s = scene(name);
      const Trapezoidal o{.form = TrapezoidalForm::next, .projection = projection};
      std::vector<State> ends;
      for (const double h : {0.008, 0.002, 0.000125}) {
        Simulator sim(s.model, *s.initial, o, Auto{}, fixed_step);
        certified_run(sim, h, 0.4);
        ends.push_back(sim.state());
      }
      double error[2] = {};
      for (int k = 0; k < 2; ++k)
        for (std::size_t i = 0; i < ends[2].poses.size(); ++i) {
          const Pose &a = ends[static_cast<std::size_t>(k)].poses[i], &b = ends[2].poses[i];
          error[k] += (a.p - b.p).norm() + a.R.angularDistance(b.R);
        }
      EXPECT_GT(order(4, error[0], 1, error[1]), 1.9) << name << ' ' << projection;
    }
}

}  // namespace
}  // namespace cairn::testing::test_trapezoidal
