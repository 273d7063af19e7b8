// Exact friction along the central path (E59): the laws are rounded off by eps, for large eps the
// answer is easy, and the curve of answers is followed to eps = 0 by its arc length, through all
// the folds that friction makes it have. For small islands where everything else has failed.
#pragma once

#include "solver/newton/least_steps.hpp"

namespace cairn::solver {

struct CentralPathLimits {
  double tolerance = 1e-8;
  int rows = 600;            // most rows of the island: the systems are dense
  double operations = 2e10;  // of all factorisations together, at the most
  int solves = 3000;         // factorisations at the most
};

struct CentralPathBuffers {
  LeastStepBuffers least;
  std::vector<double> trial;
  VecX q;                    // velocities without impulses
  VecX u, F, F_lambda;       // at a point of the curve
  VecX z, ahead, predicted;  // r / scale and log eps
  VecX tangent, next, right, change;
  Eigen::MatrixXd K;  // of F, with the tangent as its last row
};

bool path_takes(const Island& island, const CentralPathLimits& limits);

// Leaves the better of r and the best solution found. Does not start from r.
IterationResult follow_central_path(const Island& island, const CentralPathLimits& limits,
                                    CentralPathBuffers& buffers, std::vector<double>& r,
                                    std::vector<double>& v);

}  // namespace cairn::solver
