// One constraint alone: the impulse r with u = s + W r under the constraint's law, exactly (E40).
#pragma once

#include "problem/cone.hpp"

namespace cairn {

// W is the constraint's own block in scaled variables; it need not be symmetric.
struct LocalConstraint {
  LawSet set;  // with lo and hi scaled
  int rows = 1;
  double W[max_rows][max_rows];
  double stick[max_rows][max_rows];  // W^-1
  bool regular = false;              // W is invertible
};

// Fills stick and regular from W.
void prepare_local(LocalConstraint& g);

// s: velocity if r were zero. r: in, the last impulse; out, the solution.
void solve_local(const LocalConstraint& g, const double* s, double* r);

}  // namespace cairn
