// A problem that is one island, in the solvers' form.
#pragma once

#include <gtest/gtest.h>

#include "solve/island.hpp"

namespace cairn {

inline Island island_of(const Problem& problem) {
  Islands islands;
  find_islands(problem, islands);
  EXPECT_EQ(islands.count, 1);
  Island island;
  make_island(problem, islands, 0, island);
  return island;
}

// Of several the one with the most constraints.
inline Island largest_island_of(const Problem& problem) {
  Islands islands;
  find_islands(problem, islands);
  Island largest, island;
  for (int i = 0; i < islands.count; ++i) {
    make_island(problem, islands, i, island);
    if (island.groups.size() > largest.groups.size()) largest = island;
  }
  return largest;
}

}  // namespace cairn
