// `auto` on an island: the methods that suit its kind, best first, until one meets the tolerance
// (docs/architecture.md lists them).
#pragma once

#include "cairn/solver.hpp"
#include "solver/direct/hold.hpp"
#include "solver/direct/hold_on.hpp"
#include "solver/direct/shares.hpp"
#include "solver/fallback/central_path.hpp"
#include "solver/fallback/proximal_path.hpp"
#include "solver/fallback/pyramids.hpp"
#include "solver/gradient/packed_gradients.hpp"
#include "solver/island/primal_coupling.hpp"
#include "solver/newton/newton.hpp"
#include "solver/pivot/lemke.hpp"
#include "solver/run_method.hpp"

namespace cairn::solver {

struct MethodBuffers {
  NsgsBuffers nsgs;
  HoldBuffers hold;
  std::vector<HoldOnBuffers> held_on;  // a kept factor for each of the first islands
  std::size_t island = 0;              // number of the island in the order of solving
  NewtonBuffers newton;
  LemkeBuffers lemke;
  PrimalCoupling coupling;
  ShelfBuffers shelf;
  PackedBuffers packed;
  ShareBuffers shares;
  PyramidBuffers pyramids;
  CentralPathBuffers central_path;
  ProximalPathBuffers proximal_path;
  std::vector<double> best, kept;
};

// The kept factor of the island at hand; those of the last of many islands share one.
HoldOnBuffers& kept_factor(MethodBuffers& buffers);

MethodResult automatic(const Island& island, const Auto& options, MethodBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& v);

}  // namespace cairn::solver
