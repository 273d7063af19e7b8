// Pushes overlapping bodies apart by the smallest displacement, measured by mass (E84). Reads and
// writes poses.
#pragma once

#include "cairn/scheme.hpp"
#include "cairn/solver.hpp"
#include "constrain/joints.hpp"
#include "scheme/common/active_set.hpp"

namespace cairn::scheme {

struct ContactProjectionBuffers {
  constrain::ProblemLayout layout;
  Problem problem;
  Solution solution;
  SolverWorkspace solver;
  WorkMeter* meter = nullptr;  // of the step (E314)
  std::vector<constrain::JointRowTerms> terms;
  std::vector<Pose> best;
  VecX zero, shift;
};

struct ContactProjection {
  int solves = 0;
  int uncertified = 0;     // of the solves that the poses come from; of all if overlaps are left
  double certificate = 0;  // their worst scaled residual [-]
};

// Joints take part: they are closed if `close_joints`, else left as open as they are. What is left
// of the overlaps can be seen from the poses.
ContactProjection project_out_of_overlaps(const Model& model, const SolverOptions& solver,
                                          bool close_joints, ActiveSetBuffers& active,
                                          ContactProjectionBuffers& buffers,
                                          std::vector<Pose>& poses);

}  // namespace cairn::scheme
