// What judges and solvers read off a reduced problem (E5): laws, products with W, scales, islands.
#pragma once

#include <vector>

#include "cairn/reduced.hpp"
#include "problem/cone.hpp"

namespace cairn::problem {

inline LawSet law_set(const ReducedConstraint& c) {
  return {c.law, c.rows, corners_of(c.rows, c.facets, c.section.get()), c.mu, c.lo, c.hi};
}

// w = W lambda + q.
void constraint_velocities(const ReducedProblem& problem, const VecX& lambda, VecX& w);

// The block in row i, column i; null where W has none.
const ReducedProblem::Block* diagonal_block(const ReducedProblem& problem, std::size_t i);

// d of each constraint, (E10) and (E17).
std::vector<double> row_scales(const ReducedProblem& problem);

// Constraints that blocks of W connect, numbered by their first constraint.
struct ReducedIslands {
  int count = 0;
  std::vector<int> of_constraint;
};
ReducedIslands find_islands(const ReducedProblem& problem);

// "contact 3-4", or "constraint 7" where the problem has no names.
std::string constraint_name(const ReducedProblem& problem, int constraint);

}  // namespace cairn::problem
