// Motion of single bodies: exponential map, Jacobian rows, mass matrix.
#include <cmath>

#include "dynamics/bodies.hpp"
#include "dynamics/forces.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::test_kinematics {
namespace {

using bodies::Random;

// exp(w) turns by |w| about w: Rodrigues' formula, to a few roundings.
TEST(ExponentialMap, IsRodriguesRotation) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 w = std::exp2(bodies::uniform(random, -40, 2)) * bodies::vector(random);
    const Quat R = exp_rotation(w);
    EXPECT_NEAR(R.norm(), 1, 1e-15);
    const double a = w.norm();
    const Mat3 K = cross(w / a);
    const Mat3 rotation = Mat3::Identity() + std::sin(a) * K + (1 - std::cos(a)) * K * K;
    EXPECT_LE((R.toRotationMatrix() - rotation).norm(), 4e-15 * (1 + a));
  }
  EXPECT_TRUE(exp_rotation(Vec3::Zero()).coeffs() == Quat::Identity().coeffs());
}

// About one axis rotations add up.
TEST(ExponentialMap, AddsAlongOneAxis) {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    const Vec3 axis = bodies::vector(random);
    const Quat twice = exp_rotation(0.7 * axis) * exp_rotation(1.1 * axis);
    EXPECT_LE(twice.angularDistance(exp_rotation(1.8 * axis)), 1e-7);  // sqrt of rounding: acos
    EXPECT_LE((twice.coeffs() - exp_rotation(1.8 * axis).coeffs()).norm(), 1e-15);
  }
}

// point_row . v is the velocity of the material point under advanced(): central differences with h
// = 1e-5 err by h^2 |w|^3 / 6 and 1e-16 / h, both below 1e-9.
TEST(PointRow, IsTheDerivativeOfTheMotion) {
  Random random(3);
  for (const std::string& dof : bodies::freedoms())
    for (int trial = 0; trial < 30; ++trial) {
      SCOPED_TRACE(dof);
      ModelDescription description;
      description.bodies = {bodies::box(random, "box", dof)};
      const BuiltModel model = bodies::built(description);
      const State state = bodies::random_state(random, model);
      const Body& body = model.model->bodies[0];
      const Pose& X = state.poses[0];
      const Vec3 r_B = bodies::vector(random), direction = bodies::vector(random);
      double row[6];
      dynamics::point_row(body, X, X.R * r_B, direction, row);
      double product = 0;
      for (int k = 0; k < body.velocities; ++k) product += row[k] * state.v[k];
      const double h = 1e-5;
      const Vec3 after = dynamics::advanced(body, X, state.v.data(), h) * r_B;
      const Vec3 before = dynamics::advanced(body, X, state.v.data(), -h) * r_B;
      EXPECT_NEAR(product, direction.dot(after - before) / (2 * h), 1e-9);
      const Vec3 velocity = dynamics::linear_velocity(body, state.v.data()) +
                            dynamics::angular_velocity(body, X, state.v.data()).cross(X.R * r_B);
      EXPECT_NEAR(product, direction.dot(velocity), 1e-14);
    }
}

// Kinetic energy from the mass matrix and from the velocities of the body's mass: 1/2 m v^2 + 1/2
// w.I w.
TEST(MassMatrix, GivesTheKineticEnergy) {
  Random random(4);
  for (const std::string& dof : bodies::freedoms())
    for (int trial = 0; trial < 30; ++trial) {
      SCOPED_TRACE(dof);
      ModelDescription description;
      description.bodies = {bodies::box(random, "box", dof)};
      const BuiltModel model = bodies::built(description);
      const State state = bodies::random_state(random, model);
      const Body& body = model.model->bodies[0];
      const Vec3 v = dynamics::linear_velocity(body, state.v.data());
      const Vec3 w = dynamics::angular_velocity(body, state.poses[0], state.v.data());
      const Mat3 R = state.poses[0].R.toRotationMatrix();
      const double energy =
          0.5 * body.mass * v.squaredNorm() + 0.5 * w.dot(R * body.inertia_B * R.transpose() * w);
      EXPECT_NEAR(dynamics::kinetic_energy(*model.model, state.v), energy, 1e-14 * (1 + energy));
      double A[6][6], quadratic = 0;
      dynamics::mass_matrix(body, A);
      for (int i = 0; i < body.velocities; ++i)
        for (int j = 0; j < body.velocities; ++j) {
          EXPECT_EQ(A[i][j], A[j][i]);
          quadratic += 0.5 * state.v[i] * A[i][j] * state.v[j];
        }
      EXPECT_NEAR(quadratic, energy, 1e-14 * (1 + energy));
    }
}

// A prescribed body is where its curve says.
TEST(PrescribedPose, FollowsItsCurve) {
  ModelDescription description;
  BodyDescription body;
  body.name = "arm";
  body.orientation = exp_rotation(Vec3(0.5, 0, 0));
  Motion motion;
  motion.position = {*TimeFunction::parse("3*t"), 0.0, *TimeFunction::parse("t^2")};
  motion.axis = Vec3::UnitZ();
  motion.angle = *TimeFunction::parse("pi*t/2");
  body.motion = motion;
  body.shapes = {{.geometry = Sphere{.radius = 0.5}, .X_BS = {}}};
  description.bodies = {body};
  const BuiltModel model = bodies::built(description);
  for (const double t : {0.0, 0.25, 1.0, 3.0}) {
    const Pose X = dynamics::prescribed_pose(model.model->bodies[0], t);
    EXPECT_LE((X.p - Vec3(3 * t, 0, t * t)).norm(), 1e-15);
    // Turned about the world's z after its own initial orientation.
    const Mat3 turn = Eigen::AngleAxisd(1.5707963267948966 * t, Vec3::UnitZ()).toRotationMatrix();
    EXPECT_LE((X.R.toRotationMatrix() - turn * body.orientation.toRotationMatrix()).norm(), 4e-15);
  }
}

}  // namespace
}  // namespace cairn::test_kinematics
