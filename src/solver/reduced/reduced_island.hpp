// One island of a reduced problem (E5) in the solvers' form: rows and columns scaled as in
// island.hpp, so that W_ii is near the identity. Here the velocity that a method carries along is u
// = W r + q itself.
#pragma once

#include <array>
#include <vector>

#include "problem/reduced_view.hpp"
#include "solver/island/island.hpp"

namespace cairn::solver {

struct ReducedGroup : LocalConstraint {
  int first = 0;      // impulses of the island: r[first .. first + rows)
  int source = 0;     // constraint of the problem
  double d = 1;       // scale
  double kappa = 0;   // of reduce(): (E310)
  double hidden = 0;  // of reduce(): (E311)
};

struct ReducedIsland : Interruptible {
  std::vector<ReducedGroup> groups;
  std::vector<int> first_block;               // groups + 1 entries
  std::vector<ReducedProblem::Block> blocks;  // scaled; column counts groups
  std::vector<double> q;
  int rows = 0;
  double scale = 0;         // s of (E17) without the part of the impulses
  bool has_bodies = false;  // made by reduce(): judged by speeds
  double speed = 0;         // then V of (E11)
  double tolerance = 0;     // and that of the certificate

  // Memory of reduce().
  struct Scratch {
    std::vector<std::vector<int>> on_body;
    std::vector<std::vector<ReducedProblem::Block>> rows;
    std::array<std::vector<double>, max_rows> v;
    std::vector<int> neighbours;
  } scratch;
};

// Copies island `number` of the problem; d as of row_scales().
void make_island(const ReducedProblem& problem, const problem::ReducedIslands& islands,
                 const std::vector<double>& d, int number, ReducedIsland& island);

// The reduced form of an island with bodies, W = J (D + R)^-1 J^T; unscaled again by the groups' d.
void reduce(const Island& island, ReducedIsland& reduced);

// |u| that a residual of one stands for; scale: of impulses and velocities.
inline double unit_residual(const ReducedIsland&, double scale) {
  return scale;
}

// u = W r + constant of group i, constant may be null.
inline void row_product(const ReducedIsland& island, std::size_t i, const double* r,
                        const double* constant, double* u) {
  const int rows = island.groups[i].rows;
  for (int k = 0; k < rows; ++k) u[k] = constant ? constant[k] : 0;
  const auto *block = island.blocks.data() + island.first_block[i],
             *last = island.blocks.data() + island.first_block[i + 1];
  for (; block != last; ++block) {
    const ReducedGroup& other = island.groups[static_cast<std::size_t>(block->column)];
    const double* x = r + other.first;
    for (int k = 0; k < rows; ++k)
      for (int l = 0; l < other.rows; ++l) u[k] += block->value[k][l] * x[l];
  }
}

// u = W r + q of all groups.
void velocities_from_impulses(const ReducedIsland& island, const std::vector<double>& r,
                              std::vector<double>& u);

// The solvers' own estimate of the certificate.
double residual(const ReducedIsland& island, const std::vector<double>& r,
                const std::vector<double>& u);

}  // namespace cairn::solver
