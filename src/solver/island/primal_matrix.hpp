// The matrix A + J^T N J over body blocks, bordered by the bilateral rows, as a sparse block LU
// takes it: what Newton (E42) and the interior point and splitting methods (E44) have in common.
//
//   [A + J^T N J   -J_e^T] [v  ]
//   [J_e            p I  ] [r_e]      N 3 x 3 per constraint, p a tiny pivot
#pragma once

#include <utility>
#include <vector>

#include "linear/block_lu.hpp"
#include "solver/island/island.hpp"

namespace cairn::solver {

// Pivot of a bilateral row beyond J A^-1 J^T: far below any independent row, enough to carry a
// redundant one.
constexpr double bilateral_pivot = 1e-10;

struct PrimalNodes {
  std::vector<int> sizes, offsets;  // nodes: bodies, then bilateral constraints
  std::vector<char> late;
  std::vector<int> node_of_group;  // of bilateral constraints, else -1
  std::vector<std::pair<int, int>>
      edges;  // between bodies and bilateral constraints; more may come
};

// Fills the nodes of an island; returns the number of unknowns.
int lay_out(const Island& island, PrimalNodes& nodes);

// No border and no rest of the mass: with symmetric N the matrix is symmetric.
bool is_symmetric(const Island& island, const PrimalNodes& nodes);

// After BlockLU::zero(): the masses, J^T N J of one constraint (its part below the diagonal where N
// and the matrix are symmetric), the border of a bilateral one.
void add_masses(const Island& island, linear::BlockLU& lu);
void add_rows(const Island& island, const Group& g, const double N[max_rows][max_rows],
              bool symmetric, linear::BlockLU& lu);
void add_border(const Island& island, const Group& g, int node, linear::BlockLU& lu);

}  // namespace cairn::solver
