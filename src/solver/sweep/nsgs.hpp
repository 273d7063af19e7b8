// Nonsmooth Gauss-Seidel: sweeps of exact one-constraint solves (E40), accelerated by nonlinear
// conjugate gradients (E41).
#pragma once

#include "solver/reduced/reduced_island.hpp"

namespace cairn::solver {

struct NsgsBuffers {
  std::vector<double> r_before, p, v_before, p_v, best;
  ReducedIsland reduced;  // of an island whose mass is not diagonal
  std::vector<double> u;
};

struct NsgsLimits {
  double tolerance = 1e-8;
  int sweeps = 1000;
  bool accelerate = true;
  bool stop_on_stagnation = false;  // give up when 60 sweeps do not halve the residual
};

struct IterationResult {
  int iterations = 0;
  double residual = 0;
  bool ray = false;  // complementary pivoting ended on rays only
};

// Improves r and v (v_free + A^-1 J^T r of an Island, W r + q of a ReducedIsland) in place; leaves
// the best iterate seen. An impulse of a contact moves the bodies it touches; where A couples these
// to others, or is unsymmetric, the sweeps run on the island's reduced form.
template <class AnyIsland>
IterationResult nsgs(const AnyIsland& island, const NsgsLimits& limits, NsgsBuffers& buffers,
                     std::vector<double>& r, std::vector<double>& v);
template <>
IterationResult nsgs(const Island& island, const NsgsLimits& limits, NsgsBuffers& buffers,
                     std::vector<double>& r, std::vector<double>& v);
template <>
IterationResult nsgs(const ReducedIsland& island, const NsgsLimits& limits, NsgsBuffers& buffers,
                     std::vector<double>& r, std::vector<double>& u);

// (E540). Contacts of a body that press against each other along the line between them change no
// velocity but by rounding and geometry of second order: sweeps, and Newton, move their impulses by
// the same small change again and again. A stride follows that change to the first cone; sweeps go
// on from there.
IterationResult strides(const Island& island, const NsgsLimits& limits, NsgsBuffers& buffers,
                        std::vector<double>& r, std::vector<double>& v);

// Rows up to which an island with coupled bodies is swept: its W is dense.
constexpr int most_dense_rows = 3000;

}  // namespace cairn::solver
