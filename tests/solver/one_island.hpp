// A problem that is one island, in the solvers' form.
#pragma once

#include <gtest/gtest.h>

#include "solver/island/island.hpp"

namespace cairn {

inline solver::Island island_of(const Problem& problem) {
  problem::Islands islands;
  problem::find_islands(problem, islands);
  EXPECT_EQ(islands.count, 1);
  solver::Island island;
  solver::make_island(problem, islands, 0, island);
  return island;
}

// Of several the one with the most constraints.
inline solver::Island largest_island_of(const Problem& problem) {
  problem::Islands islands;
  problem::find_islands(problem, islands);
  solver::Island largest, island;
  for (int i = 0; i < islands.count; ++i) {
    solver::make_island(problem, islands, i, island);
    if (island.groups.size() > largest.groups.size()) largest = island;
  }
  return largest;
}

}  // namespace cairn
