// `auto`: a few Gauss-Seidel sweeps, Newton to rounding, Lemke where the law is an LCP, sweeps
// again. Per island.
#pragma once

#include "cairn/solver.hpp"
#include "solve/admm.hpp"
#include "solve/apgd.hpp"
#include "solve/bb.hpp"
#include "solve/ipm.hpp"
#include "solve/lemke.hpp"
#include "solve/newton.hpp"
#include "solve/primal_coupling.hpp"
#include "solve/shares.hpp"

namespace cairn {

struct MethodBuffers {
  NsgsBuffers nsgs;
  NewtonBuffers newton;
  LemkeBuffers lemke;
  PrimalCoupling coupling;
  AdmmBuffers admm;
  IpmBuffers ipm;
  ApgdBuffers apgd;
  BbBuffers bb;
  ShareBuffers shares;
  std::vector<double> best, kept;
};

struct MethodResult {
  IterationResult iteration;
  const char* method = "";
  bool fallback = false;
};

MethodResult automatic(const Island& island, const Auto& options, MethodBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& v);

}  // namespace cairn
