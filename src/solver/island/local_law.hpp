// One constraint alone: the impulse r with u = s + W r under the constraint's law, exactly (E40).
#pragma once

#include "problem/cone.hpp"

namespace cairn::solver {

// What sliding on an exact cone needs of W, the same in every sweep: A = W_TT - w w^T / w_nn
// diagonalised by the turn (co, si), m = w / w_nn, and m in the turned frame.
struct SlidePlane {
  double co, si, l1, l2, mean, m1, m2, q1, q2;
};

// All that follows from W.
struct LocalFactors {
  bool known = false;
  bool regular = false;              // W is invertible
  bool symmetric = false;            // to rounding
  double stick[max_rows][max_rows];  // W^-1
  SlidePlane slide;                  // of exact cones in space with a regular, symmetric W
};

// W is the constraint's own block in scaled variables; it need not be symmetric.
struct LocalConstraint {
  problem::LawSet set;  // with lo and hi scaled
  int rows = 1;
  double W[max_rows][max_rows];
  mutable LocalFactors memory;  // of factors_of()
};

// Found when first asked for: many methods never do.
void find_factors(const LocalConstraint& g, LocalFactors& factors);
inline const LocalFactors& factors_of(const LocalConstraint& g) {
  if (!g.memory.known) find_factors(g, g.memory);
  return g.memory;
}

// One row of s + W r.
inline double local_velocity(const LocalConstraint& g, const double* s, const double* r, int row) {
  double u = s[row];
  for (int k = 0; k < g.rows; ++k) u += g.W[row][k] * r[k];
  return u;
}

// s: velocity if r were zero. r: in, the last impulse; out, the solution.
void solve_local(const LocalConstraint& g, const double* s, double* r);

}  // namespace cairn::solver
