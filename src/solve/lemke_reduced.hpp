// Complementary pivoting (E43) on a reduced island: linear complementarity problems with any
// matrix, mixed ones, planar contacts and pyramids.
#pragma once

#include "solve/lemke.hpp"
#include "solve/reduced_island.hpp"
#include "solve/tableau.hpp"

namespace cairn {

struct ReducedLemkeBuffers {
  DenseProblem dense;
  Tableau tableau;
  std::vector<double> trial;
};

// Starts from r and leaves the better of r and the solution found. `ray`: every draw of the
// covering vector, from several starting bases, ended on a ray.
IterationResult lemke(const ReducedIsland& island, const LemkeLimits& limits,
                      ReducedLemkeBuffers& buffers, std::vector<double>& r, std::vector<double>& u);

}  // namespace cairn
