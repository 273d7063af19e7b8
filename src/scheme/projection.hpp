// Nonlinear projection of positions onto the joints in the mass metric (E38). Reads and writes
// poses.
#pragma once

#include "constrain/joints.hpp"
#include "solve/block_lu.hpp"

namespace cairn {

struct ProjectionBuffers {
  BlockLU lu;
  ProblemLayout layout;
  Problem problem;
  std::vector<JointRowTerms> terms;
  struct Touch {
    int constraint;
    std::size_t side;
  };
  std::vector<std::vector<Touch>> on_body;  // constraints that hold each body of the problem
  std::vector<BlockLU::Block> inverse;      // of the bodies' mass matrices
  std::vector<int> sizes;
  std::vector<char> late;
  std::vector<double> mu;
  std::vector<Pose> start, trial;
  VecX zero, v, shift;
};

struct ProjectionResult {
  int iterations = 0;
  bool closed = true;   // all joints to rounding
  double farthest = 0;  // that a centre of mass was moved [m]
  double turned = 0;    // and a body turned [rad]
};

// Moves the free bodies by the smallest displacement, measured by mass, that closes all joints.
ProjectionResult project_onto_joints(const Model& model, ProjectionBuffers& buffers,
                                     std::vector<Pose>& poses);

}  // namespace cairn
