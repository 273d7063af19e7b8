// Matrices as lists of entries, and the reduced problem (E5) made from them.
#pragma once

#include <vector>

#include "cairn/reduced.hpp"

namespace cairn::problem {

struct SparseMatrix {
  struct Entry {
    int row = 0, column = 0;
    double value = 0;
  };
  int rows = 0, columns = 0;
  std::vector<Entry> entries;  // in any order; those of one place add up
};

// W and q over the rows of the constraints, one after another.
ReducedProblem make_reduced(std::vector<ReducedConstraint> constraints, const SparseMatrix& W,
                            const VecX& q);

// Constraints of a contact problem: `rows` each, one friction coefficient per contact.
std::vector<ReducedConstraint> contacts(int rows, const VecX& mu);

// M v = k + H lambda, w = H^T v + b with v eliminated: W = H^T M^-1 H, q = H^T M^-1 k + b. M falls
// into parts that no entry connects, and each is factorised alone.
struct Eliminated {
  SparseMatrix W;
  VecX q;
  std::string fault;  // why it could not be done; else empty
};
Eliminated eliminate_velocities(const SparseMatrix& M, const SparseMatrix& H, const VecX& k,
                                const VecX& b);

}  // namespace cairn::problem
