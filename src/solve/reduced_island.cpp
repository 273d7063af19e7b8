#include "solve/reduced_island.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/estimate.hpp"

namespace cairn {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

void make_island(const ReducedProblem& problem, const ReducedIslands& islands,
                 const std::vector<double>& d, int number, ReducedIsland& island) {
  island.groups.clear();
  island.blocks.clear();
  island.first_block.assign(1, 0);
  island.q.clear();
  island.rows = 0;
  island.scale = 0;
  std::vector<int> local(problem.constraints.size(), -1);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    if (islands.of_constraint[i] != number) continue;
    local[i] = static_cast<int>(island.groups.size());
    const ReducedConstraint& c = problem.constraints[i];
    ReducedGroup& g = island.groups.emplace_back();
    g.set = law_set(c);
    g.set.lo *= d[i];
    g.set.hi *= d[i];
    g.rows = c.rows;
    g.first = island.rows;
    g.source = static_cast<int>(i);
    g.d = d[i];
    island.rows += c.rows;
    double sum = 0;
    for (int k = 0; k < c.rows; ++k) {
      island.q.push_back(problem.q[problem.first_row[i] + k] / d[i]);
      sum += island.q.back() * island.q.back();
    }
    if (!is_unilateral(c.law) || island.q[at(g.first)] < 0)
      island.scale = std::max(island.scale, std::sqrt(sum));
  }
  island.velocity_scale = island.scale;
  for (ReducedGroup& g : island.groups) {
    for (auto& row : g.W) std::fill(row, row + max_rows, 0.0);
    const std::size_t i = at(g.source);
    for (int k = problem.first_block[i]; k < problem.first_block[i + 1]; ++k) {
      ReducedProblem::Block block = problem.blocks[at(k)];
      const double scale = 1 / (d[i] * d[at(block.column)]);
      const bool diagonal = block.column == g.source;
      block.column = local[at(block.column)];
      if (block.column < 0) continue;  // a block of zeros joins no islands
      for (auto& row : block.value)
        for (double& x : row) x *= scale;
      if (diagonal) std::copy(&block.value[0][0], &block.value[0][0] + 9, &g.W[0][0]);
      island.blocks.push_back(block);
    }
    island.first_block.push_back(static_cast<int>(island.blocks.size()));
    prepare_local(g);
  }
}

void velocities_from_impulses(const ReducedIsland& island, const std::vector<double>& r,
                              std::vector<double>& u) {
  u.resize(at(island.rows));
  for (std::size_t i = 0; i < island.groups.size(); ++i) {
    const auto first = at(island.groups[i].first);
    row_product(island, i, r.data(), &island.q[first], &u[first]);
  }
}

double residual(const ReducedIsland& island, const std::vector<double>& r,
                const std::vector<double>& u) {
  // Iterates that run away are no answer, though relative to their size all residuals vanish.
  for (const double x : r)
    if (!(std::abs(x) < 1e100)) return std::numeric_limits<double>::infinity();
  Estimate estimate;
  for (const ReducedGroup& g : island.groups) {
    double w[max_rows];
    std::copy(&u[at(g.first)], &u[at(g.first)] + g.rows, w);
    estimate.add(g.set, &r[at(g.first)], w);
  }
  const double value = estimate.value(island.scale, island.velocity_scale);
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

}  // namespace cairn
