// Islands: bodies of a problem that constraints connect. Reads a problem, writes one island number
// per body and constraint.
#pragma once

#include <vector>

#include "cairn/problem.hpp"

namespace cairn {

struct Islands {
  int count = 0;
  std::vector<int> of_body;        // numbered by their first body
  std::vector<int> of_constraint;  // -1: the constraint moves no body
  std::vector<int> parent;         // scratch of union-find
};

void find_islands(const Problem& problem, Islands& islands);

}  // namespace cairn
