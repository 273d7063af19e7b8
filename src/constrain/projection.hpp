// Nonlinear projection of positions onto the joints in the mass metric (E38). Reads and writes
// poses.
#pragma once

#include "constrain/joints.hpp"
#include "linear/block_lu.hpp"

namespace cairn::constrain {

// Largest error of the joints, angles as lengths [m].
double open_error(const Model& model, std::span<const Pose> poses);

struct ProjectionBuffers {
  linear::BlockLU lu;
  ProblemLayout layout;
  Problem problem;
  std::vector<JointRowTerms> terms;
  struct Touch {
    int constraint;
    std::size_t side;
  };
  std::vector<std::vector<Touch>> on_body;      // constraints that hold each body of the problem
  std::vector<linear::BlockLU::Block> inverse;  // of the bodies' mass matrices
  std::vector<int> sizes;
  std::vector<char> late;
  std::vector<double> mu;
  std::vector<Pose> trial;
  VecX zero, v, shift;
};

// Moves the free bodies by the smallest displacement, measured by mass, that closes all joints.
// False if they are not closed to rounding then.
bool project_onto_joints(const Model& model, ProjectionBuffers& buffers, std::vector<Pose>& poses);

}  // namespace cairn::constrain
