#include "solver/island/dual_coupling.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "solver/estimate.hpp"
#include "solver/island/primal_matrix.hpp"

namespace cairn::solver {
void DualCoupling::attach(const ReducedIsland& island) {
  stop = island.stop;
  analysed_ = false;
  parts_.clear();
  for (const ReducedGroup& g : island.groups) parts_.push_back({g.set, g.first});
  q_ = island.q;
  first_block_ = island.first_block;
  blocks_ = island.blocks;
  scale_ = island.scale;
}

double DualCoupling::residual(const std::vector<double>& r, const std::vector<double>& u) const {
  ImpulseEstimate estimate;
  for (const Part& part : parts_) {
    double u_i[max_rows] = {};
    std::copy_n(&u[base::at(part.first)], part.set.rows, u_i);
    estimate.add(row_errors(part.set, &r[base::at(part.first)], u_i));
  }
  return estimate.value(scale_);
}

void DualCoupling::multiply(const std::vector<double>& r, std::vector<double>& u) {
  u = q_;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    double* u_i = &u[base::at(parts_[i].first)];
    for (int k = first_block_[i]; k < first_block_[i + 1]; ++k) {
      const ReducedProblem::Block& block = blocks_[base::at(k)];
      const Part& other = parts_[base::at(block.column)];
      for (int row = 0; row < parts_[i].set.rows; ++row)
        for (int c = 0; c < other.set.rows; ++c)
          u_i[row] += block.value[row][c] * r[base::at(other.first + c)];
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
        if (base::at(blocks_[base::at(k)].column) != i)
          lu_.connect(static_cast<int>(i), blocks_[base::at(k)].column);
    lu_.analyze();
    analysed_ = true;
  }
  lu_.zero();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const int node = static_cast<int>(i), rows = parts_[i].set.rows;
    const bool bilateral = parts_[i].set.law == Law::equality;
    linear::BodyBlock& diagonal = lu_.diagonal(node);
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < rows; ++c)
        diagonal[r][c] += !bilateral ? theta[i].value[r][c] : r == c ? bilateral_pivot : 0;
    for (int k = first_block_[i]; k < first_block_[i + 1]; ++k) {
      const ReducedProblem::Block& block = blocks_[base::at(k)];
      linear::BodyBlock& target = block.column == node ? diagonal : lu_.block(node, block.column);
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < parts_[base::at(block.column)].set.rows; ++c)
          target[r][c] += block.value[r][c];
    }
  }
  return lu_.factorize();
}

void DualCoupling::solve(std::vector<double>& x) {
  lu_.solve(offsets_, x.data());
}

}  // namespace cairn::solver
