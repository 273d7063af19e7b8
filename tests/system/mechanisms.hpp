// Words for mechanisms of few bodies: bodies without shapes, their momenta, motors.
#pragma once

#include "system/worlds.hpp"

namespace cairn::testing {

inline BodyDescription free_body(const std::string& name, double mass, const Vec3& inertia,
                                 const Vec3& position) {
  BodyDescription body;
  body.name = name;
  body.mass = mass;
  body.inertia = Mat3(inertia.asDiagonal());
  body.position = position;
  return body;
}

// Linear momentum, and angular momentum about the origin, of bodies with mass and inertia.
inline std::array<Vec3, 2> momenta(const Simulator& sim, const ModelDescription& d) {
  std::array<Vec3, 2> out = {Vec3::Zero(), Vec3::Zero()};
  for (const BodyDescription& body : d.bodies) {
    const BodyMotion m = motion(sim, body.name);
    const Mat3 R = m.orientation.toRotationMatrix();
    const Mat3 I = R * *body.inertia * R.transpose();
    out[0] += *body.mass * m.velocity;
    out[1] += m.position.cross(*body.mass * m.velocity) + I * m.angular_velocity;
  }
  return out;
}

inline JointMotor keeps(const std::string& velocity, double max_effort) {
  JointMotor motor;
  motor.velocity = function(velocity);
  motor.max_effort = max_effort;
  return motor;
}
inline JointMotor goes_to(const std::string& position, double max_effort) {
  JointMotor motor;
  motor.position = function(position);
  motor.max_effort = max_effort;
  return motor;
}
inline JointMotor gives(const std::string& effort) {
  JointMotor motor;
  motor.effort = function(effort);
  return motor;
}

// An arm of 1 m with a bob at its end, level at the start; the angle grows downwards.
namespace arm_of_a_bob {
inline constexpr double mass = 2, inertia = 0.1, about_hinge = mass + inertia;
inline ModelDescription arm(double gravity = g) {
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
}  // namespace arm_of_a_bob

inline const JointReport& first_joint(const Simulator& sim) {
  return sim.report().joints.at(0);
}

}  // namespace cairn::testing
