#include "problem/reduced_view.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/union_find.hpp"

namespace cairn::problem {
namespace {

bool is_zero(const ReducedProblem::Block& block) {
  for (const auto& row : block.value)
    for (const double x : row)
      if (x != 0) return false;
  return true;
}

}  // namespace

void constraint_velocities(const ReducedProblem& problem, const VecX& lambda, VecX& w) {
  w = problem.q;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    for (int k = problem.first_block[i]; k < problem.first_block[i + 1]; ++k) {
      const ReducedProblem::Block& block = problem.blocks[base::at(k)];
      const int columns = problem.constraints[base::at(block.column)].rows;
      for (int r = 0; r < problem.constraints[i].rows; ++r)
        for (int c = 0; c < columns; ++c)
          w[problem.first_row[i] + r] +=
              block.value[r][c] * lambda[problem.first_row[base::at(block.column)] + c];
    }
}

const ReducedProblem::Block* diagonal_block(const ReducedProblem& problem, std::size_t i) {
  const auto first = problem.blocks.begin() + problem.first_block[i],
             last = problem.blocks.begin() + problem.first_block[i + 1];
  const auto found = std::lower_bound(
      first, last, static_cast<int>(i),
      [](const ReducedProblem::Block& block, int column) { return block.column < column; });
  return found != last && found->column == static_cast<int>(i) ? &*found : nullptr;
}

std::vector<double> row_scales(const ReducedProblem& problem) {
  std::vector<double> d(problem.constraints.size());
  for (std::size_t i = 0; i < d.size(); ++i) {
    const int rows = problem.constraints[i].rows;
    double trace = 0, largest = 0;
    if (const auto* block = diagonal_block(problem, i))
      for (int r = 0; r < rows; ++r) trace += block->value[r][r];
    for (int k = problem.first_block[i]; k < problem.first_block[i + 1]; ++k)
      for (const auto& row : problem.blocks[base::at(k)].value)
        for (const double x : row) largest = std::max(largest, std::abs(x));
    const double size = trace / rows > 0x1p-40 * largest ? trace / rows : largest;  // (E17)
    d[i] = power_of_two(1.2 * std::sqrt(size));
  }
  return d;
}

ReducedIslands find_islands(const ReducedProblem& problem) {
  const std::size_t n = problem.constraints.size();
  base::UnionFind sets;
  sets.reset(n);
  for (std::size_t i = 0; i < n; ++i)
    for (int k = problem.first_block[i]; k < problem.first_block[i + 1]; ++k) {
      if (is_zero(problem.blocks[base::at(k)])) continue;
      sets.join(static_cast<int>(i), problem.blocks[base::at(k)].column);
    }
  ReducedIslands islands;
  islands.of_constraint.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const int r = sets.root(static_cast<int>(i));
    islands.of_constraint[i] =
        base::at(r) == i ? islands.count++ : islands.of_constraint[base::at(r)];
  }
  return islands;
}

std::string constraint_name(const ReducedProblem& problem, int constraint) {
  if (base::at(constraint) < problem.names.size()) return problem.names[base::at(constraint)];
  return "constraint " + std::to_string(constraint);
}

}  // namespace cairn::problem
