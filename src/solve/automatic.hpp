// `auto`: a few Gauss-Seidel sweeps, Newton to rounding, Lemke where the law is an LCP, sweeps
// again. Per island.
#pragma once

#include "cairn/solver.hpp"
#include "solve/lemke.hpp"
#include "solve/newton.hpp"

namespace cairn {

struct MethodBuffers {
  NsgsBuffers nsgs;
  NewtonBuffers newton;
  LemkeBuffers lemke;
  std::vector<double> warm, best;
};

struct MethodResult {
  IterationResult iteration;
  const char* method = "";
  bool fallback = false;
};

MethodResult automatic(const Island& island, const Auto& options, MethodBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& v);

}  // namespace cairn
