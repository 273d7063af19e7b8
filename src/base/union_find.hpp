// Disjoint sets of the numbers 0 to count - 1, by union-find with path halving. Memory is reused.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/index.hpp"

namespace cairn::base {

class UnionFind {
 public:
  // Each number is a set of its own.
  void reset(std::size_t count) {
    parent_.resize(count);
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  // The smallest number of the set of i.
  int root(int i) {
    while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    return i;
  }

  // False if both are in one set already.
  bool join(int i, int j) {
    const int a = root(i), b = root(j);
    parent_[at(std::max(a, b))] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<int> parent_;
};

}  // namespace cairn::base
