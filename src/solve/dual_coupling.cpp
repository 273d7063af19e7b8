#include "solve/dual_coupling.hpp"

#include <algorithm>
#include <cmath>

#include "solve/primal_matrix.hpp"

namespace cairn {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// (E10). A constraint with nothing on its diagonal keeps its own scale.
double diagonal_scale(const ReducedProblem& problem, std::size_t i) {
  double trace = 0;
  const int rows = problem.constraints[i].rows;
  for (int k = problem.first_block[i]; k < problem.first_block[i + 1]; ++k)
    if (at(problem.blocks[at(k)].column) == i)
      for (int r = 0; r < rows; ++r) trace += problem.blocks[at(k)].value[r][r];
  return trace > 0 ? power_of_two(1.2 * std::sqrt(trace / rows)) : 1;
}

}  // namespace

void DualCoupling::attach(const ReducedProblem& problem) {
  analysed_ = false;
  parts_.clear();
  d_.clear();
  q_.resize(at(problem.rows()));
  first_block_ = problem.first_block;
  blocks_ = problem.blocks;
  scale_ = velocity_scale_ = 0;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const ReducedConstraint& c = problem.constraints[i];
    const double d = diagonal_scale(problem, i);
    d_.push_back(d);
    parts_.push_back({{c.law, c.rows, c.facets, c.mu, c.lo * d, c.hi * d}, problem.first_row[i]});
    double* q = &q_[at(problem.first_row[i])];
    double sum = 0;
    for (int k = 0; k < c.rows; ++k) {
      q[k] = problem.q[problem.first_row[i] + k] / d;
      sum += q[k] * q[k];
    }
    if (!is_unilateral(c.law) || q[0] < 0) scale_ = std::max(scale_, std::sqrt(sum));
  }
  velocity_scale_ = scale_;
  for (std::size_t i = 0; i < d_.size(); ++i)
    for (int k = first_block_[i]; k < first_block_[i + 1]; ++k) {
      const double factor = 1 / (d_[i] * d_[at(blocks_[at(k)].column)]);
      for (auto& row : blocks_[at(k)].value)
        for (double& x : row) x *= factor;
    }
}

void DualCoupling::multiply(const std::vector<double>& r, std::vector<double>& u) {
  u = q_;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    double* u_i = &u[at(parts_[i].first)];
    for (int k = first_block_[i]; k < first_block_[i + 1]; ++k) {
      const ReducedProblem::Block& block = blocks_[at(k)];
      const Part& other = parts_[at(block.column)];
      for (int row = 0; row < parts_[i].set.rows; ++row)
        for (int c = 0; c < other.set.rows; ++c)
          u_i[row] += block.value[row][c] * r[at(other.first + c)];
    }
  }
}

bool DualCoupling::factor(std::span<const ThetaBlock> theta) {
  if (!analysed_) {
    sizes_.clear();
    offsets_.clear();
    for (const Part& part : parts_) {
      sizes_.push_back(part.set.rows);
      offsets_.push_back(part.first);
    }
    late_.assign(parts_.size(), 0);
    lu_.begin(sizes_, late_);
    for (std::size_t i = 0; i < parts_.size(); ++i)
      for (int k = first_block_[i]; k < first_block_[i + 1]; ++k)
        if (at(blocks_[at(k)].column) != i) lu_.connect(static_cast<int>(i), blocks_[at(k)].column);
    lu_.analyze();
    analysed_ = true;
  }
  lu_.zero();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const int node = static_cast<int>(i), rows = parts_[i].set.rows;
    const bool bilateral = parts_[i].set.law == Law::equality;
    BodyBlock& diagonal = lu_.diagonal(node);
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < rows; ++c)
        diagonal[r][c] += !bilateral ? theta[i].value[r][c] : r == c ? bilateral_pivot : 0;
    for (int k = first_block_[i]; k < first_block_[i + 1]; ++k) {
      const ReducedProblem::Block& block = blocks_[at(k)];
      BodyBlock& target = block.column == node ? diagonal : lu_.block(node, block.column);
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < parts_[at(block.column)].set.rows; ++c)
          target[r][c] += block.value[r][c];
    }
  }
  return lu_.factorize();
}

void DualCoupling::solve(std::vector<double>& x) {
  lu_.solve(offsets_, x.data());
}

}  // namespace cairn
