// `auto` on an island: the methods that suit its kind, best first, until one meets the tolerance
// (docs/architecture.md lists them).
#pragma once

#include "cairn/solver.hpp"
#include "solve/central_path.hpp"
#include "solve/hold.hpp"
#include "solve/lemke.hpp"
#include "solve/newton.hpp"
#include "solve/packed_gradients.hpp"
#include "solve/primal_coupling.hpp"
#include "solve/proximal_path.hpp"
#include "solve/pyramids.hpp"
#include "solve/run_method.hpp"
#include "solve/shares.hpp"

namespace cairn {

struct MethodBuffers {
  NsgsBuffers nsgs;
  HoldBuffers hold;
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

MethodResult automatic(const Island& island, const Auto& options, MethodBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& v);

}  // namespace cairn
