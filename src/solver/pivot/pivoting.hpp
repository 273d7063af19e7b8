// Lemke's path through the complementary bases of a sparse system (E43): free variables are always
// basic, of each pair (w, z) >= 0 one member is, but for the pair that an artificial variable
// stands for. A step costs one solve with the factor of the basis.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/sparse_lu.hpp"
#include "solver/interruptible.hpp"

namespace cairn::solver {

// Rows: `free` ones, then one for each pair. Columns: the free variables, then the z of the pairs;
// the w of pair j is the unit column of its row. Find (x, w, z) with C (x, z) + (0, w) = rhs.
struct PairedSystem : Interruptible {
  struct Entry {
    int row, column;
    double value;
  };
  int free = 0, pairs = 0;
  std::vector<Entry> entries;  // each place once
  std::vector<double> rhs;

  void begin(int free_count, int pair_count);
};

enum class PathEnd : std::uint8_t { solved, ray, singular, pivots };

struct PathBuffers {
  linear::SparseLU lu;
  std::vector<int> first;                   // column -> its entries
  std::vector<PairedSystem::Entry> sorted;  // by columns
  std::vector<int> basis;                   // slot -> variable
  std::vector<double> x, y, cover, artificial;
  std::vector<double> z;  // the answer
};

// Other right-hand side, last basis: false if some member of a pair would be negative.
bool resolve(const PairedSystem& system, PathBuffers& buffers);

// start[j]: z_j is in the basis at the beginning. Writes buffers.z whatever the end: even a ray may
// end near the answer.
PathEnd follow_path(const PairedSystem& system, const std::vector<char>& start,
                    std::uint64_t& random, int max_pivots, PathBuffers& buffers, int& pivots);

}  // namespace cairn::solver
