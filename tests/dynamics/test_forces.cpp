// Forces and free velocities: gravity, springs, dampers, free rotation.
#include "dynamics/bodies.hpp"
#include "dynamics/flight.hpp"
#include "dynamics/forces.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::test_forces {
namespace {

using bodies::Random;

// Two boxes of any freedom with springs between them, to the world and to a prescribed body.
ModelDescription sprung(Random& random, const std::string& dof, double damping) {
  ModelDescription description;
  description.gravity = Vec3(0.3, -9.81, 1);
  description.bodies = {bodies::box(random, "a", dof), bodies::box(random, "b", dof)};
  const std::array<std::array<std::string, 2>, 2> pairs = {{{"a", "b"}, {"world", "a"}}};
  for (const auto& pair : pairs)
    description.forces.push_back(
        SpringDescription{.bodies = pair,
                          .anchors = {bodies::vector(random), bodies::vector(random)},
                          .stiffness = bodies::uniform(random, 1, 50),
                          .rest_length = bodies::uniform(random, 0, 1),
                          .damping = damping});
  return description;
}

// The generalised potential forces are minus the derivative of the energy along each velocity:
// central differences of step 1e-6 err by 1e-12 times the third derivative (about 50 k) and 1e-16 E
// / 1e-6.
TEST(Forces, PotentialForcesAreMinusTheGradientOfTheEnergy) {
  Random random(1);
  for (const std::string& dof : bodies::freedoms())
    for (int trial = 0; trial < 10; ++trial) {
      SCOPED_TRACE(dof);
      const BuiltModel model = bodies::built(sprung(random, dof, 0));
      const State state = bodies::random_state(random, model);
      dynamics::Forces forces;
      dynamics::evaluate_forces(*model.model, state, 0.01, forces);
      EXPECT_EQ(forces.applied.norm(), 0);
      for (const Body& body : model.model->bodies) {
        const std::size_t i = static_cast<std::size_t>(&body - model.model->bodies.data());
        for (int k = 0; k < body.velocities; ++k) {
          double direction[6] = {};
          direction[k] = 1;
          const auto energy = [&](double s) {
            std::vector<Pose> poses = state.poses;
            poses[i] = dynamics::advanced(body, state.poses[i], direction, s);
            return dynamics::potential_energy(*model.model, poses);
          };
          const double h = 1e-6, slope = (energy(h) - energy(-h)) / (2 * h);
          EXPECT_NEAR(forces.potential[body.first_velocity + k], -slope, 1e-6);
        }
      }
    }
}

// A damper never drives: over a step that ends with the velocities of the state its work is minus
// damping times the squared rate of length times h (E361), and nothing of it is an applied force.
TEST(Forces, DampersDissipate) {
  Random random(2);
  for (int trial = 0; trial < 50; ++trial) {
    const double damping = bodies::uniform(random, 0.1, 5), h = 1e-6;
    ModelDescription description = sprung(random, "x y z rx ry rz", damping);
    description.forces.resize(1);
    const BuiltModel model = bodies::built(description);
    const State state = bodies::random_state(random, model);
    dynamics::Forces forces;
    dynamics::evaluate_forces(*model.model, state, 0.01, forces);
    const auto length = [&](double s) {
      const Spring& spring = model.model->springs[0];
      std::array<Vec3, 2> p;
      for (std::size_t side = 0; side < 2; ++side) {
        const std::size_t i = index(spring.bodies[side]);
        const Body& body = model.model->bodies[i];
        p[side] =
            dynamics::advanced(body, state.poses[i], state.v.data() + body.first_velocity, s) *
            spring.anchors[side];
      }
      return (p[1] - p[0]).norm();
    };
    const double rate = (length(h) - length(-h)) / (2 * h);
    EXPECT_EQ(forces.applied.norm(), 0);
    const dynamics::SpringWork work =
        dynamics::spring_work(*model.model, state.poses, forces.springs.rows, 0.01, state.v);
    EXPECT_NEAR(work.passive / 0.01, -damping * rate * rate, 1e-7);  // differences: 1e-9 / h
  }
}

// Bodies that do not turn freely in space: v + h M^-1 f, exactly what Newton says.
TEST(FreeVelocities, PlanarAndSlidingBodies) {
  Random random(3);
  for (const char* dof : {"x y rz", "x y", "y", "rz", "x y z", "x y z rz"})
    for (int trial = 0; trial < 10; ++trial) {
      SCOPED_TRACE(dof);
      const BuiltModel model = bodies::built(sprung(random, dof, 0.3));
      const State state = bodies::random_state(random, model);
      const double h = 0.02;
      dynamics::Forces forces;
      VecX v_free;
      dynamics::evaluate_forces(*model.model, state, h, forces);
      dynamics::free_velocities(*model.model, state, forces, h, v_free);
      for (const Body& body : model.model->bodies) {
        double A[6][6];
        dynamics::mass_matrix(body, A);
        for (int r = 0; r < body.velocities; ++r) {
          const int first = body.first_velocity;
          double gain = 0;
          for (int c = 0; c < body.velocities; ++c)
            gain += A[r][c] * (v_free[first + c] - state.v[first + c]);
          const double impulse = h * (forces.potential[first + r] + forces.applied[first + r]);
          EXPECT_NEAR(gain, impulse, 1e-14 * (1 + std::abs(impulse)));
        }
      }
    }
}

// Free fall: every freedom of translation gains h g, with or without rotation.
TEST(FreeVelocities, Gravity) {
  Random random(4);
  for (const std::string& dof : bodies::freedoms()) {
    ModelDescription description;
    description.gravity = Vec3(1, -9.81, 2);
    description.bodies = {bodies::box(random, "box", dof)};
    const BuiltModel model = bodies::built(description);
    State state = bodies::random_state(random, model);
    state.v.setZero();
    dynamics::Forces forces;
    VecX v_free;
    dynamics::evaluate_forces(*model.model, state, 0.1, forces);
    dynamics::free_velocities(*model.model, state, forces, 0.1, v_free);
    const Body& body = model.model->bodies[0];
    const Vec3 v = dynamics::linear_velocity(body, v_free.data());
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(
          v[axis],
          body.translations[static_cast<std::size_t>(axis)] ? 0.1 * description.gravity[axis] : 0,
          1e-15);
    EXPECT_LE(dynamics::angular_velocity(body, state.poses[0], v_free.data()).norm(), 1e-15);
  }
}

// A body without torque keeps R I w and w . I w (E420), turns of any size (E422).
TEST(FreeVelocities, DriftKeepsAngularMomentumAndEnergy) {
  Random random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    ModelDescription description;
    description.gravity = Vec3::Zero();
    BodyDescription body = bodies::box(random, "box", "x y z rx ry rz");
    const Vec3 a(bodies::uniform(random, 0.1, 1), bodies::uniform(random, 0.1, 1),
                 bodies::uniform(random, 0.1, 1));
    // Moments of a solid box: they obey the triangle inequality.
    body.inertia = Vec3(a.y() + a.z(), a.z() + a.x(), a.x() + a.y()).asDiagonal();
    description.bodies = {body};
    const BuiltModel model = bodies::built(description);
    State state = bodies::random_state(random, model);
    const double h = 0.01;
    const double turn = std::exp2(bodies::uniform(random, -10, trial % 100 == 0 ? 20 : 3));
    state.v.tail<3>() *= turn / h / state.v.tail<3>().norm();
    VecX v_end = state.v;
    const Pose end =
        dynamics::drift(model.model->bodies[0], state.poses[0], state.v.data(), h, v_end.data());
    const Mat3 I = model.model->bodies[0].inertia_B;
    const Vec3 w = state.v.tail<3>(), next = v_end.tail<3>();
    const Vec3 L = state.poses[0].R * (I * w);
    EXPECT_LE((end.R * (I * next) - L).norm(), 4e-15 * L.norm()) << trial;
    EXPECT_NEAR(next.dot(I * next), w.dot(I * w), 1e-14 * (1 + turn) * w.dot(I * w)) << trial;
    EXPECT_LE((end.p - state.poses[0].p - h * Vec3(state.v.head<3>())).norm(),
              1e-15 * (1 + end.p.norm()))
        << trial;
  }
}

// A force at a point: the torque is that about the centre of mass.
TEST(Forces, AppliedForceActsAtItsPoint) {
  Random random(6);
  ModelDescription description;
  description.gravity = Vec3::Zero();
  description.bodies = {bodies::box(random, "box", "x y z rx ry rz")};
  AppliedForceDescription push;
  push.body = "box";
  push.force = {1.0, *TimeFunction::parse("2*t"), 0.0};
  push.torque = {0.0, 0.0, 5.0};
  push.point = Vec3(0.3, 0.2, 0.1);
  push.at_center_of_mass = false;
  description.forces = {push};
  const BuiltModel model = bodies::built(description);
  State state = bodies::random_state(random, model);
  state.t = 1.5;
  dynamics::Forces forces;
  dynamics::evaluate_forces(*model.model, state, 0.01, forces);
  const Vec3 force(1, 3, 0);
  const Mat3 R = state.poses[0].R.toRotationMatrix();
  const Vec3 arm = R * (push.point - model.model->bodies[0].p_Bcm);
  const Vec3 torque = arm.cross(force) + Vec3(0, 0, 5);
  EXPECT_LE((forces.applied.head<3>() - force).norm(), 1e-15);
  EXPECT_LE((forces.applied.tail<3>() - R.transpose() * torque).norm(), 1e-14);
}

}  // namespace
}  // namespace cairn::test_forces
