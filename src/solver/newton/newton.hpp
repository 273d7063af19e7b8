// Proximal augmented Lagrangian with semismooth Newton steps on a sparse factorisation (E42).
#pragma once

#include "solver/island/primal_matrix.hpp"
#include "solver/sweep/nsgs.hpp"

namespace cairn::solver {

struct NewtonBuffers : PrimalNodes {
  linear::BlockLU lu;
  std::vector<double> u, sigma, z, r_plus, jd;  // per row (sigma per group)
  std::vector<double> load;                     // per group: its penalty over rho
  std::vector<double> g, x, v_trial, best, before;
  std::vector<double> change, product;  // per velocity, where the mass has a rest
};

struct NewtonLimits {
  double tolerance = 1e-8;  // has to be reached
  double aim = 1e-14;       // is tried for as long as each outer step gains a factor of ten
  int factorisations = 200;
  double rho = 1e2;  // initial penalty in scaled space, where W_ii is near one [-]
  int strides = 0;   // to the bounds of contacts that press against each other (E681)
};

// Improves r and v in place; leaves the best iterate seen.
IterationResult newton(const Island& island, const NewtonLimits& limits, NewtonBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& v);

}  // namespace cairn::solver
