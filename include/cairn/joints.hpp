// What the joints of a model say together: how many of their rows are independent, and which of
// them cannot be closed at once (docs/equations.md, E80 and E81).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/model.hpp"
#include "cairn/state.hpp"

namespace cairn {

struct RedundantJoint {
  JointId joint{};
  int rows = 0;  // that the other joints say already
};

// Redundant joints are welcome: their impulses are not unique, the motion is.
struct JointRank {
  int rows = 0;                           // of all joints, those that can move a body
  int rank = 0;                           // independent ones, at the given configuration
  std::vector<RedundantJoint> redundant;  // in the order of joints
  std::vector<int> redundant_gears;  // indices into Model::gears; with the rows of `redundant` they
                                     // add up to rows - rank
};
JointRank joint_rank(const Model& model, const State& state);

// "12 rows, rank 11 (1 redundant: hinge_b)"; a joint with several redundant rows has their number.
std::string to_text(const Model& model, const JointRank& rank);

struct OpenJoint {
  JointId joint{};
  double distance = 0;  // [m]
  double angle = 0;     // [rad]
};

// The joints that stay open where the free bodies are as near to all joints as they can come from
// `poses`; empty if all joints can be closed. They contradict each other.
std::vector<OpenJoint> contradicting_joints(const Model& model, std::span<const Pose> poses);

struct MovedBody {
  BodyId body{};
  double distance = 0;  // of its centre of mass [m]
  double angle = 0;     // [rad]
};

// What closing the joints of an initial state has moved.
struct StartProjection {
  double open = 0;               // largest error of a joint before, angles as lengths [m]
  std::vector<MovedBody> moved;  // empty: the joints were closed, or cannot be closed
  std::vector<OpenJoint> stuck;  // joints that cannot be closed; nothing is moved then
};

// Closes the joints of an initial state that they are open in by more than 1e-9 of its size, with
// the least motion in the mass metric (E323). `build` does so with the state that it returns.
StartProjection close_joints_at_start(const Model& model, State& state);

// The same of a state with the poses of the description, whose bodies are those of the model.
StartProjection start_projection(const Model& model, const ModelDescription& description,
                                 const State& initial);

// "joints are open by up to 0.001 m at the start: body 'bob' was moved by 0.001 m, 0 rad"
std::string to_text(const Model& model, const StartProjection& start);

}  // namespace cairn
