// Newton's method with the shortest step (E57), for small islands with redundant contacts.
#pragma once

#include "solver/sweep/nsgs.hpp"

namespace cairn::solver {

struct LeastStepBuffers {
  std::vector<double> trial;  // where a step leads
  std::vector<int> active;    // rows of groups that are not open
  VecX r, u, f, step, before;
  VecX open, pushed;             // what open rows change: their step, W times it
  Eigen::MatrixXd W;             // of the whole island
  Eigen::MatrixXd weight, rest;  // by rows: D (I + e_n tau^T) and I - D of their group
  Eigen::MatrixXd G;             // of the active rows
  VecX right, solved;
};

// W = J D^-1 J^T of the whole island, dense.
void fill_delassus(const Island& island, Eigen::MatrixXd& W);

// From r, with W filled; leaves the best r met. `singular`: directions that G does not see, of its
// largest pivot [-].
IterationResult least_steps(const Island& island, double tolerance, double singular,
                            LeastStepBuffers& buffers, std::vector<double>& r,
                            std::vector<double>& v);

// No value is right for all problems.
inline constexpr double singular_pivots[] = {1e-9, 1e-6};

}  // namespace cairn::solver
