#include "solver/island/primal_matrix.hpp"

#include "base/index.hpp"

namespace cairn::solver {
namespace {

using Rows = double[max_rows][max_velocities];

bool is_diagonal(const double N[max_rows][max_rows], int rows) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < rows; ++c)
      if (r != c && N[r][c] != 0) return false;
  return true;
}

// N^T J of a body in space.
template <class Count>
void weigh_six(const Rows& J, const double N[max_rows][max_rows], bool diagonal, Count rows,
               Rows& NJ) {
  if (diagonal) {
    for (int c = 0; c < rows; ++c)
      for (int i = 0; i < 6; i += 2)
        linear::store_pair(linear::load_pair(J[c] + i) * linear::both(N[c][c]), NJ[c] + i);
    return;
  }
  for (int i = 0; i < 6; i += 2)
    for (int c = 0; c < rows; ++c) {
      linear::NumberPair sum = linear::load_pair(J[0] + i) * linear::both(N[0][c]);
      for (int r = 1; r < rows; ++r) sum += linear::load_pair(J[r] + i) * linear::both(N[r][c]);
      linear::store_pair(sum, NJ[c] + i);
    }
}

// target += NJ^T J of two bodies in space; `lower`: entries above the diagonal do not matter.
template <bool lower, class Count>
void add_six(const Rows& NJ, const Rows& J, Count rows, linear::BodyBlock& target) {
  for (int i = 0; i < 6; ++i) {
    linear::NumberPair weight[max_rows];
    for (int c = 0; c < rows; ++c) weight[c] = linear::both(NJ[c][i]);
    for (int j = 0; j <= (lower ? i : 5); j += 2) {
      linear::NumberPair sum = linear::load_pair(target[i] + j);
      for (int c = 0; c < rows; ++c) sum += weight[c] * linear::load_pair(J[c] + j);
      linear::store_pair(sum, target[i] + j);
    }
  }
}

}  // namespace

int lay_out(const Island& island, PrimalNodes& nodes) {
  nodes.sizes.clear();
  nodes.offsets.clear();
  nodes.late.clear();
  nodes.edges.clear();
  nodes.node_of_group.assign(island.groups.size(), -1);
  for (const IslandBody& body : island.bodies) {
    nodes.sizes.push_back(body.size);
    nodes.offsets.push_back(body.first);
    nodes.late.push_back(0);
  }
  for (const RestBlock& rest : island.inertia.rest)
    if (rest.row < rest.column) nodes.edges.emplace_back(rest.row, rest.column);
  int offset = island.velocities;
  for (std::size_t i = 0; i < island.groups.size(); ++i) {
    const Group& g = island.groups[i];
    if (g.set.law != Law::equality) continue;
    const int node = static_cast<int>(nodes.sizes.size());
    nodes.node_of_group[i] = node;
    nodes.sizes.push_back(g.rows);
    nodes.offsets.push_back(offset);
    nodes.late.push_back(1);
    offset += g.rows;
    for (const int body : g.body)
      if (body >= 0) nodes.edges.emplace_back(body, node);
  }
  return offset;
}

void add_masses(const Island& island, linear::BlockLU& lu) {
  for (std::size_t i = 0; i < island.bodies.size(); ++i)
    for (int k = 0; k < island.bodies[i].size; ++k)
      lu.diagonal(static_cast<int>(i))[k][k] += island.bodies[i].mass[k];
  add_rest(island, lu);
}

bool is_symmetric(const Island& island, const PrimalNodes& nodes) {
  return island.inertia.rest.empty() && nodes.sizes.size() == island.bodies.size();
}

void add_rows(const Island& island, const Group& g, const double N[max_rows][max_rows],
              bool symmetric, linear::BlockLU& lu) {
  const bool diagonal = is_diagonal(N, g.rows);
  for (int side = 0; side < g.sides; ++side) {
    if (g.body[side] < 0) continue;
    const int size = island.bodies[base::at(g.body[side])].size;
    double NJ[max_rows][max_velocities];  // N^T J
    linear::with_sizes(g.rows, size, [&](auto rows, auto n) {
      if (n == 6) return weigh_six(g.J[side], N, diagonal, rows, NJ);
      for (int c = 0; c < rows; ++c)
        for (int i = 0; i < n; ++i) {
          double sum = 0;
          for (int r = 0; r < rows; ++r) sum += g.J[side][r][i] * N[r][c];
          NJ[c][i] = sum;
        }
    });
    for (int other = 0; other < g.sides; ++other) {
      if (g.body[other] < 0) continue;
      if (symmetric && side != other && lu.is_below(g.body[other], g.body[side])) continue;
      linear::BodyBlock& target =
          side == other ? lu.diagonal(g.body[side]) : lu.block(g.body[side], g.body[other]);
      const int columns = island.bodies[base::at(g.body[other])].size;
      linear::with_sizes(g.rows, size, [&](auto rows, auto n) {
        if (n == 6 && columns == 6 && symmetric && side == other)
          return add_six<true>(NJ, g.J[other], rows, target);
        if (n == 6 && columns == 6) return add_six<false>(NJ, g.J[other], rows, target);
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < columns; ++j)
            for (int c = 0; c < rows; ++c) target[i][j] += NJ[c][i] * g.J[other][c][j];
      });
    }
  }
}

void add_border(const Island& island, const Group& g, int node, linear::BlockLU& lu) {
  for (int r = 0; r < g.rows; ++r) lu.diagonal(node)[r][r] = bilateral_pivot;
  for (int side = 0; side < g.sides; ++side) {
    if (g.body[side] < 0) continue;
    linear::BodyBlock &down = lu.block(node, g.body[side]), &right = lu.block(g.body[side], node);
    for (int r = 0; r < g.rows; ++r)
      for (int c = 0; c < island.bodies[base::at(g.body[side])].size; ++c) {
        down[r][c] += g.J[side][r][c];
        right[c][r] -= g.J[side][r][c];
      }
  }
}

}  // namespace cairn::solver
