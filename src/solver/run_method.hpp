// One method, chosen by its options, on an island of either kind: `Island` with the velocities of
// bodies, `ReducedIsland` with those of the constraints.
#pragma once

#include "cairn/solver.hpp"
#include "solver/conic/admm.hpp"
#include "solver/conic/ipm.hpp"
#include "solver/gradient/apgd.hpp"
#include "solver/gradient/bb.hpp"
#include "solver/newton/newton.hpp"
#include "solver/pivot/lemke.hpp"
#include "solver/sweep/nsgs.hpp"

namespace cairn::solver {

// Of the methods that know an island by its Coupling alone.
struct ShelfBuffers {
  AdmmBuffers admm;
  IpmBuffers ipm;
  ApgdBuffers apgd;
  BbBuffers bb;
};

struct MethodResult {
  IterationResult iteration;
  const char* method = "";
  bool fallback = false;
};

inline IterationResult improve(Coupling& coupling, const Admm& o, ShelfBuffers& b,
                               std::vector<double>& r) {
  return admm(coupling, {.tolerance = o.tolerance, .iterations = o.max_iterations}, b.admm, r);
}

inline IterationResult improve(Coupling& coupling, const Ipm& o, ShelfBuffers& b,
                               std::vector<double>& r) {
  return ipm(coupling, {.tolerance = o.tolerance, .iterations = o.max_iterations}, b.ipm, r);
}

inline FirstOrderLimits gradient_limits(const auto& o) {
  return {.tolerance = o.tolerance, .iterations = o.max_iterations, .refresh = o.refresh};
}

inline IterationResult improve(Coupling& coupling, const Apgd& o, ShelfBuffers& b,
                               std::vector<double>& r) {
  return apgd(coupling, gradient_limits(o), b.apgd, r);
}

inline IterationResult improve(Coupling& coupling, const Bb& o, ShelfBuffers& b,
                               std::vector<double>& r) {
  return bb(coupling, gradient_limits(o), b.bb, r);
}

// r: impulses, in and out. v: the velocities that go with them, out.
template <class AnyIsland, class Buffers>
MethodResult run_method(const AnyIsland& island, const Nsgs& o, Buffers& b, std::vector<double>& r,
                        std::vector<double>& v) {
  const NsgsLimits limits{
      .tolerance = o.tolerance, .sweeps = o.max_sweeps, .accelerate = o.accelerate};
  return {nsgs(island, limits, b.nsgs, r, v), "nsgs", false};
}

template <class AnyIsland, class Buffers>
MethodResult run_method(const AnyIsland& island, const Newton& o, Buffers& b,
                        std::vector<double>& r, std::vector<double>& v) {
  const NewtonLimits limits{
      .tolerance = o.tolerance, .factorisations = o.max_iterations, .rho = 1e3};
  return {newton(island, limits, b.newton, r, v), "newton", false};
}

template <class AnyIsland, class Buffers>
MethodResult run_method(const AnyIsland& island, const Lemke& o, Buffers& b, std::vector<double>& r,
                        std::vector<double>& v) {
  const LemkeLimits limits{
      .tolerance = o.tolerance, .pivots = o.max_pivots, .draws = o.draws, .seed = o.seed};
  return {lemke(island, limits, b.lemke, r, v), "lemke", false};
}

template <class AnyIsland, class Buffers>
MethodResult run_method(const AnyIsland& island, const Auto& o, Buffers& b, std::vector<double>& r,
                        std::vector<double>& v) {
  return automatic(island, o, b, r, v);
}

template <class AnyIsland, class Method, class Buffers>
MethodResult run_method(const AnyIsland& island, const Method& o, Buffers& b,
                        std::vector<double>& r, std::vector<double>& v) {
  b.coupling.attach(island);
  const IterationResult result = improve(b.coupling, o, b.shelf, r);
  velocities_from_impulses(island, r, v);
  if constexpr (std::is_same_v<Method, Ipm>)
    if (!(result.residual <= o.tolerance) && o.polish) {
      const NewtonLimits limits{.tolerance = o.tolerance, .factorisations = o.max_iterations};
      IterationResult polished = newton(island, limits, b.newton, r, v);
      polished.iterations += result.iterations;
      return {polished, "newton", false};
    }
  return {result, name(SolverOptions(o)), false};
}

}  // namespace cairn::solver
