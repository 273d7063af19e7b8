// Mechanisms in joint coordinates (E960 to E964) against closed forms, differences and simulated
// motion.
#include <cmath>
#include <gtest/gtest.h>

#include "base/index.hpp"
#include "cairn/robot/coordinates.hpp"
#include "system/mechanisms.hpp"

namespace cairn::test_robot {
namespace {

using namespace testing;

// Two rods in the x-z plane, hinged about y: rod i has its hinge at its frame's x = -c_i.
constexpr double m1 = 2, m2 = 1.5, l1 = 0.8, c1 = 0.35, c2 = 0.25, I1 = 0.11, I2 = 0.07;

ModelDescription double_pendulum() {
  ModelDescription d;
  d.gravity = Vec3(0, 0, -g);
  d.bodies = {free_body("rod1", m1, Vec3(0.05, I1, 0.09), Vec3(c1, 0, 0)),
              free_body("rod2", m2, Vec3(0.03, I2, 0.06), Vec3(l1 + c2, 0, 0))};
  JointDescription a, b;
  a.name = "a";
  a.type = RevoluteJoint{Vec3::UnitY()};
  a.bodies = {"world", "rod1"};
  a.anchors = {Vec3::Zero(), Vec3(-c1, 0, 0)};
  b.name = "b";
  b.type = RevoluteJoint{Vec3::UnitY()};
  b.bodies = {"rod1", "rod2"};
  b.anchors = {Vec3(l1 - c1, 0, 0), Vec3(-c2, 0, 0)};
  d.joints = {a, b};
  return d;
}

State at(const Model& model, const State& initial, std::vector<double> q) {
  std::vector<JointValue> values;
  for (std::size_t i = 0; i < q.size(); ++i) values.push_back({static_cast<JointId>(i), q[i]});
  const Result<State> state = with_joint_positions(model, initial, values);
  EXPECT_TRUE(state);
  return *state;
}

struct Built {
  std::shared_ptr<const Model> model;
  State initial;
};
Built made(const ModelDescription& d) {
  const Result<BuiltModel> built = build(d);
  EXPECT_TRUE(built);
  return {built->model, *built->initial};
}

Eigen::Matrix2d mass_matrix(double q2) {
  const double k = l1 * c2 * std::cos(q2);
  const double h22 = I2 + m2 * c2 * c2, h12 = h22 + m2 * k;
  Eigen::Matrix2d H;
  H << I1 + m1 * c1 * c1 + I2 + m2 * (l1 * l1 + c2 * c2 + 2 * k), h12, h12, h22;
  return H;
}

// Angles about y turn x towards -z: gravity pulls them to grow.
Eigen::Vector2d weight(double q1, double q2) {
  return {-g * (m1 * c1 * std::cos(q1) + m2 * (l1 * std::cos(q1) + c2 * std::cos(q1 + q2))),
          -g * m2 * c2 * std::cos(q1 + q2)};
}

TEST(Robot, DoublePendulumAgainstItsClosedForm) {
  const auto [model, initial] = made(double_pendulum());
  for (const double q1 : {0.0, 0.7, -2.1})
    for (const double q2 : {0.3, -1.4, 2.9}) {
      State state = at(*model, initial, {q1, q2});
      EXPECT_NEAR(joint_position(*model, state, JointId{0}), q1, 1e-12);
      EXPECT_NEAR(joint_position(*model, state, JointId{1}), q2, 1e-12);
      const Result<JointSpace> space = joint_space(*model, state);
      ASSERT_TRUE(space);
      ASSERT_EQ(space->columns(), 2);
      EXPECT_TRUE(space->floating.empty());
      const Eigen::Matrix2d H = mass_matrix(q2);
      EXPECT_LE((joint_mass_matrix(*model, state, *space) - H).norm(), 1e-12);
      EXPECT_LE((gravity_compensation(*model, state, *space) - weight(q1, q2)).norm(), 1e-12 * g);
      // tau = H u' + C + weight; C = -m2 l1 c2 sin q2 (2 u1 u2 + u2^2, -u1^2).
      const Eigen::Vector2d u(1.3, -0.8), a(0.4, 2.2);
      state.v = space->S * u;
      const double s = m2 * l1 * c2 * std::sin(q2);
      const Eigen::Vector2d C(-s * (2 * u[0] * u[1] + u[1] * u[1]), s * u[0] * u[0]);
      const VecX tau = inverse_dynamics(*model, state, *space, a);
      EXPECT_LE((tau - (H * a + C + weight(q1, q2))).norm(), 1e-9) << q1 << " " << q2;
      // Tip of the second rod.
      const BodyId rod2 = *model->find_body("rod2");
      const Eigen::MatrixXd J = body_jacobian(*model, state, *space, rod2, Vec3(0.4, 0, 0));
      const double r = c2 + 0.4, x = l1 * std::cos(q1) + r * std::cos(q1 + q2),
                   z = -l1 * std::sin(q1) - r * std::sin(q1 + q2);
      EXPECT_LE((J.col(0).head<3>() - Vec3(z, 0, -x)).norm(), 1e-12);
      EXPECT_LE((J.col(0).tail<3>() - Vec3(0, 1, 0)).norm(), 1e-12);
    }
}

// The efforts of inverse dynamics, given to the simulator, make the accelerations. A first step
// from closed joints knows no centripetal term, so that the mean over many short ones is taken.
TEST(Robot, ItsEffortsMakeTheAccelerations) {
  ModelDescription d = double_pendulum();
  d.joints[0].armature = 0.3;
  d.joints[1].spring = {4, 0.2, 0.5};
  JointMotor motor;
  d.joints[0].motor = motor;
  d.joints[1].motor = motor;
  const auto [model, initial] = made(d);
  State state = at(*model, initial, {0.5, -0.9});
  const JointSpace space = *joint_space(*model, state);
  const Eigen::Vector2d u(0.6, 1.1), a(-3, 2.5);
  state.v = space.S * u;
  const VecX tau = inverse_dynamics(*model, state, space, a);
  double error[2] = {0, 0};
  for (const int fine : {0, 1}) {
    const double time = fine ? 4e-4 : 4e-3, h = time / 400;
    Simulator sim(model, state, Euler{}, Auto{.tolerance = 1e-12});
    Controls controls;
    controls.motors = {{JointId{0}, tau[0]}, {JointId{1}, tau[1]}};
    for (int i = 0; i < 400; ++i) {
      sim.step(h, controls);
      ASSERT_TRUE(sim.report().accepted());
    }
    for (int k = 0; k < 2; ++k)
      error[fine] = std::max(
          error[fine], std::abs((sim.report().joints[base::at(k)].velocity - u[k]) / time - a[k]));
  }
  EXPECT_LE(error[0], 0.2);
  EXPECT_LE(error[1], 0.2 * error[0]);
}

// H of a chain in flight: kinetic energies of random velocities, and a floating base.
TEST(Robot, FloatingChains) {
  Random random(4);
  for (int k = 0; k < 20; ++k) {
    ModelDescription d;
    for (int i = 0; i < 4; ++i)
      d.bodies.push_back(free_body("body" + std::to_string(i), random.uniform(0.5, 3),
                                   Vec3(0.2, 0.25, 0.3), Vec3(i, 0, 0)));
    for (int i = 0; i < 3; ++i) {
      JointDescription joint;
      joint.name = "joint" + std::to_string(i);
      joint.type = RevoluteJoint{random.vector(1)};
      joint.bodies = {"body" + std::to_string(i), "body" + std::to_string(i + 1)};
      joint.anchors = {Vec3(0.5, 0, 0), Vec3(-0.5, 0, 0)};
      d.joints.push_back(joint);
    }
    const auto [model, initial] = made(d);
    State state =
        at(*model, initial, {random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)});
    const JointSpace space = *joint_space(*model, state);
    ASSERT_EQ(space.columns(), 9);
    ASSERT_EQ(space.floating.size(), 1u);
    VecX u(9);
    for (double& x : u) x = random.uniform(-1, 1);
    state.v = space.S * u;
    const Simulator sim(model, state);
    const Eigen::MatrixXd H = joint_mass_matrix(*model, state, space);
    EXPECT_NEAR(0.5 * u.dot(H * u), sim.kinetic_energy(), 1e-12 * (1 + sim.kinetic_energy()));
    // The joints stay closed.
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(joint_velocity(*model, state, static_cast<JointId>(i)),
                  u[static_cast<Eigen::Index>(i)], 1e-11);
    EXPECT_LE(gravity_compensation(*model, state, space).head(3).norm(), 20 * g);
  }
}

// A closed loop: four bars, one independent coordinate; the others follow.
TEST(Robot, FourBars) {
  ModelDescription d;
  d.gravity = Vec3(0, 0, -g);
  d.bodies = {free_body("crank", 1, Vec3(0.1, 0.1, 0.1), Vec3(0, 0, 0.25)),
              free_body("coupler", 1, Vec3(0.1, 0.1, 0.1), Vec3(0.5, 0, 0.65)),
              free_body("rocker", 1, Vec3(0.1, 0.1, 0.1), Vec3(1, 0, 0.4))};
  const auto hinge = [&](const char* name, const char* a, const char* b, const Vec3& p) {
    JointDescription joint;
    joint.name = name;
    joint.type = RevoluteJoint{Vec3::UnitY()};
    joint.bodies = {a, b};
    const auto local = [&](const std::string& body) {
      for (const BodyDescription& x : d.bodies)
        if (x.name == body) return Vec3(p - x.position);
      return p;
    };
    joint.anchors = {local(a), local(b)};
    d.joints.push_back(joint);
  };
  hinge("a", "world", "crank", Vec3(0, 0, 0));
  hinge("b", "crank", "coupler", Vec3(0, 0, 0.5));
  hinge("c", "coupler", "rocker", Vec3(1, 0, 0.8));
  hinge("d", "world", "rocker", Vec3(1, 0, 0));
  const auto [model, initial] = made(d);
  const Result<State> state =
      with_joint_positions(*model, initial, std::vector<JointValue>{{JointId{0}, 0.6}});
  ASSERT_TRUE(state);
  const JointSpace space = *joint_space(*model, *state);
  ASSERT_EQ(space.columns(), 1);
  // The velocity column against the difference of two assemblies.
  const auto moved = [&](double dq) {
    return *with_joint_positions(*model, *state, std::vector<JointValue>{{JointId{0}, 0.6 + dq}});
  };
  const double dq = 1e-5;
  const State up = moved(dq), down = moved(-dq);
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 rate = (up.poses[i].p - down.poses[i].p) / (2 * dq);
    EXPECT_LE((rate - Vec3(space.S.col(0).segment<3>(model->bodies[i].first_velocity))).norm(),
              1e-8);
  }
  // The rate of a joint that follows.
  const Result<State> swings =
      with_joint_velocities(*model, *state, std::vector<JointValue>{{JointId{2}, 0.7}});
  ASSERT_TRUE(swings);
  EXPECT_NEAR(joint_velocity(*model, *swings, JointId{2}), 0.7, 1e-9);
  const VecX u = joint_rates(space, *swings);
  EXPECT_LE((space.S * u - swings->v).norm(), 1e-9);
  const std::vector<JointValue> odd = {{JointId{0}, u[0]}, {JointId{2}, 0.8}};
  EXPECT_FALSE(with_joint_velocities(*model, *state, odd));
  // What holds it is the slope of its potential energy.
  const auto energy = [&](const State& s) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += g * s.poses[i].p.z();
    return sum;
  };
  EXPECT_NEAR(gravity_compensation(*model, *state, space)[0],
              (energy(up) - energy(down)) / (2 * dq), 1e-7);
}

TEST(Robot, NothingThatMoves) {
  ModelDescription d;
  BodyDescription floor;
  floor.name = "floor";
  floor.fixed = true;
  d.bodies = {floor};
  const auto [model, initial] = made(d);
  const Result<JointSpace> space = joint_space(*model, initial);
  ASSERT_TRUE(space);
  EXPECT_EQ(space->columns(), 0);
  EXPECT_EQ(joint_mass_matrix(*model, initial, *space).size(), 0);
  EXPECT_EQ(gravity_compensation(*model, initial, *space).size(), 0);
  EXPECT_EQ(body_jacobian(*model, initial, *space, BodyId{0}).cols(), 0);
}

TEST(Robot, Faults) {
  const auto [model, initial] = made(double_pendulum());
  const auto path = [&](std::vector<JointValue> values) {
    const Result<State> state = with_joint_positions(*model, initial, values);
    return state ? std::string() : state.error().front().path;
  };
  EXPECT_EQ(path({{JointId{7}, 0}}), "values[0]");
  EXPECT_EQ(path({{JointId{0}, 0}, {JointId{0}, 1}}), "values[1]");
  EXPECT_EQ(path({{JointId{0}, std::nan("")}}), "values[0]");
  const auto rate = [&](std::vector<JointValue> values) {
    const Result<State> moving = with_joint_velocities(*model, initial, values);
    return moving ? std::string() : moving.error().front().path;
  };
  EXPECT_EQ(rate({{JointId{0}, 0.3}, {JointId{1}, -1}}), "");
  EXPECT_EQ(rate({{JointId{0}, 0}, {JointId{7}, 0}}), "velocities[1]");
  EXPECT_EQ(rate({{JointId{0}, 0}, {JointId{0}, 1}}), "velocities[1]");
  EXPECT_EQ(rate({{JointId{0}, std::nan("")}}), "velocities[0]");
  const std::vector<JointId> twice = {JointId{0}, JointId{0}};
  EXPECT_FALSE(joint_space(*model, initial, twice));
}

}  // namespace
}  // namespace cairn::test_robot
