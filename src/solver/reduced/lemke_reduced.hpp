// Complementary pivoting (E43) on a reduced island: linear complementarity problems with any
// matrix, mixed ones, planar contacts and pyramids.
#pragma once

#include "solver/pivot/lemke.hpp"
#include "solver/pivot/tableau.hpp"
#include "solver/reduced/reduced_island.hpp"

namespace cairn::solver {

struct ReducedLemkeBuffers {
  DenseProblem dense;
  Tableau tableau;
  std::vector<double> trial;
};

// Starts from r and leaves the better of r and the solution found. `ray`: every draw of the
// covering vector, from several starting bases, ended on a ray.
IterationResult lemke(const ReducedIsland& island, const LemkeLimits& limits,
                      ReducedLemkeBuffers& buffers, std::vector<double>& r, std::vector<double>& u);

}  // namespace cairn::solver
