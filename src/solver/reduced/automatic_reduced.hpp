// `auto` on a reduced island: sweeps, Newton, Lemke where the law is linear, all of them from other
// starts.
#pragma once

#include "cairn/solver.hpp"
#include "solver/auto/automatic.hpp"
#include "solver/island/dual_coupling.hpp"
#include "solver/reduced/lemke_reduced.hpp"
#include "solver/reduced/newton_reduced.hpp"

namespace cairn::solver {

struct ReducedBuffers {
  NsgsBuffers nsgs;
  ReducedNewtonBuffers newton;
  ReducedLemkeBuffers lemke;
  DualCoupling coupling;
  ShelfBuffers shelf;
  std::vector<double> best;
};

MethodResult automatic(const ReducedIsland& island, const Auto& options, ReducedBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& u);

}  // namespace cairn::solver
