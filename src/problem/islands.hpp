// Islands: bodies of a problem that constraints or blocks of A connect. Reads a problem, writes one
// island number per body and constraint.
#pragma once

#include <vector>

#include "base/union_find.hpp"
#include "cairn/problem.hpp"

namespace cairn::problem {

struct Islands {
  int count = 0;
  std::vector<int> of_body;        // numbered by their first body
  std::vector<int> of_constraint;  // -1: the constraint moves no body
  // Island i: bodies[first_body[i] .. first_body[i + 1]), constraints likewise, both in ascending
  // order, so that going over all islands takes no longer than going over the problem.
  std::vector<int> bodies, first_body;
  std::vector<int> constraints, first_constraint;
  base::UnionFind sets;  // scratch
};

void find_islands(const Problem& problem, Islands& islands);

// The numbers alone, without the lists.
void number_islands(const Problem& problem, Islands& islands);

}  // namespace cairn::problem
