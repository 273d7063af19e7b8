// Which rows of a large sparse set depend on the others: elimination body by body, O(n) for chains
// and rings. (Eigen's SparseQR fills in on them: 7 s for a chain of 1000 links.)
#pragma once

#include <array>
#include <vector>

#include "cairn/problem.hpp"

namespace cairn::linear {

// A row, near length one, on the bodies that it moves.
struct FrontRow {
  struct Part {
    int body = 0;
    std::array<double, max_velocities> value = {};
  };
  std::vector<Part> parts;
};

// Numbers of the rows that are combinations of the others, up to `threshold` of their length.
std::vector<int> dependent_rows(std::vector<FrontRow> rows, int bodies, double threshold);

}  // namespace cairn::linear
