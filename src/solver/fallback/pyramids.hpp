// Exact cones in space by way of pyramids: where friction has inscribed pyramids in place of cones,
// pivoting finds a solution of redundant contacts that no descent reaches; from there steps of
// least norm lead to the exact law (E57, E58). For small islands where everything else has failed.
#pragma once

#include "solver/newton/least_steps.hpp"
#include "solver/pivot/lemke.hpp"

namespace cairn::solver {

struct PyramidBuffers {
  Island island;  // with pyramids
  LemkeBuffers lemke;
  std::vector<double> course;  // impulses from one start, at the end the best of it
  std::vector<double> vertex;  // where pivoting ended
  LeastStepBuffers least;
};

struct PyramidLimits {
  double tolerance = 1e-8;
  int variables = 8000;  // largest complementarity problem that is tried
  int rows = 600;        // most rows of the island: the steps are dense
};

bool pyramids_take(const Island& island, const PyramidLimits& limits);

// Starts from r and leaves the better of r and the best solution found.
IterationResult solve_by_pyramids(const Island& island, const PyramidLimits& limits,
                                  PyramidBuffers& buffers, std::vector<double>& r,
                                  std::vector<double>& v);

}  // namespace cairn::solver
