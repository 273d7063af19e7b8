// Mechanisms in the coordinates of their joints (docs/equations.md, E960 to E964): poses from
// coordinates, Jacobians, mass matrix, inverse dynamics. None of it runs in a step.
#pragma once

#include <span>
#include <vector>

#include "cairn/model.hpp"
#include "cairn/state.hpp"

namespace cairn {

struct JointValue {
  JointId joint{};   // one with a coordinate
  double value = 0;  // [rad], [m]
};

// The state with these coordinates and all joints and gears closed, bodies moved as little as that
// takes in the mass metric; others keep their velocities. Coordinates go there in small steps, so
// that angles pass through all values between. Errors: a joint without coordinate or twice, a value
// that is not finite or out of the joint's range, coordinates that the joints do not allow.
Result<State> with_joint_positions(const Model& model, const State& state,
                                   std::span<const JointValue> values);

// Independent velocities of a mechanism: rates of coordinates, and of bodies that float.
struct JointSpace {
  std::vector<JointId> coordinates;  // columns of S, in the order of Model::joints
  std::vector<BodyId> floating;      // then six or fewer columns each: the body's free velocities
  Eigen::MatrixXd S;                 // v = S u, Model::velocities rows
  int columns() const { return static_cast<int>(S.cols()); }
};

// At the poses of a state. Without `coordinates` all coordinates of joints that are independent, in
// their order; of each mechanism that nothing holds the first body floats, of bodies that then
// still can move each one. Errors: given coordinates that depend on each other.
Result<JointSpace> joint_space(const Model& model, const State& state,
                               std::span<const JointId> coordinates = {});

// The rates u of v = S u that are nearest to the velocities of the state.
VecX joint_rates(const JointSpace& space, const State& state);

// The state with these rates of coordinates (E965): those of the other columns stay, or change
// least in the mass metric where given ones depend on them. Errors: a joint without coordinate or
// twice, a rate that is not finite, rates that the joints do not allow.
Result<State> with_joint_velocities(const Model& model, const State& state,
                                    std::span<const JointValue> values);

// Velocity of a point of a body, given in its frame at the centre of mass, and its angular
// velocity, both in the world: six rows over the columns of S [m/s, rad/s].
Eigen::MatrixXd body_jacobian(const Model& model, const State& state, const JointSpace& space,
                              BodyId body, const Vec3& point = Vec3::Zero());

// Velocity of body b relative to body a at a contact along its normal and tangents: three rows.
Eigen::MatrixXd contact_jacobian(const Model& model, const State& state, const JointSpace& space,
                                 const Contact& contact);

// S^T M S with the rotors of the joints [kg, kg m, kg m^2].
Eigen::MatrixXd joint_mass_matrix(const Model& model, const State& state, const JointSpace& space);

// Efforts along the columns of S that give the accelerations u' under gravity, applied forces at
// state.t, springs and dampers, gyroscopic and centrifugal terms [N, N m].
VecX inverse_dynamics(const Model& model, const State& state, const JointSpace& space,
                      const VecX& accelerations);

// The efforts that hold the mechanism at rest: inverse dynamics without velocities and
// accelerations.
VecX gravity_compensation(const Model& model, const State& state, const JointSpace& space);

}  // namespace cairn
