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

}  // namespace cairn
