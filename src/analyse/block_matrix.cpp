#include "analyse/block_matrix.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>

#include "base/conventions.hpp"
#include "base/index.hpp"

namespace cairn::analyse {

struct BlockMatrix::Factor {
  Eigen::SparseMatrix<double> matrix;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower> solver;
};

BlockMatrix::BlockMatrix() : factor_(std::make_unique<Factor>()) {}
BlockMatrix::~BlockMatrix() = default;

void BlockMatrix::reset(std::span<const int> sizes, std::vector<Pair> pairs) {
  for (std::size_t i = 0; i < sizes.size(); ++i)
    pairs.push_back({static_cast<int>(i), static_cast<int>(i)});
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return a[1] < b[1] || (a[1] == b[1] && a[0] < b[0]);
  });
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  const bool same = analysed_ &&
                    std::equal(sizes.begin(), sizes.end(), sizes_.begin(), sizes_.end()) &&
                    std::equal(pairs.begin(), pairs.end(), blocks_.begin(), blocks_.end(),
                               [](const Pair& p, const Block& b) { return p == b.nodes; });
  if (same) return;
  analysed_ = false;
  sizes_.assign(sizes.begin(), sizes.end());
  first_.assign(1, 0);
  for (const int n : sizes) first_.push_back(first_.back() + n);
  blocks_.clear();
  first_block_.assign(sizes.size() + 1, 0);
  std::size_t entries = 0;
  for (const Pair& p : pairs) {
    CAIRN_DCHECK(p[0] >= p[1], p[0], p[1]);
    Block& b = blocks_.emplace_back();
    b.nodes = p;
    b.rows = sizes[base::at(p[0])];
    b.columns = sizes[base::at(p[1])];
    b.diagonal = p[0] == p[1];
    first_block_[base::at(p[1]) + 1] = static_cast<int>(blocks_.size());
    entries += b.diagonal ? base::at(b.rows * (b.rows + 1) / 2) : base::at(b.rows * b.columns);
  }

  // Column by column; the rows of a block follow each other.
  factor_->matrix.resize(size(), size());
  factor_->matrix.resizeNonZeros(static_cast<Eigen::Index>(entries));
  int next = 0;
  for (std::size_t node = 0; node < sizes.size(); ++node)
    for (int c = 0; c < sizes[node]; ++c) {
      factor_->matrix.outerIndexPtr()[first_[node] + c] = next;
      for (int k = first_block_[node]; k < first_block_[node + 1]; ++k) {
        Block& b = blocks_[base::at(k)];
        b.start[base::at(c)] = next;
        for (int r = b.diagonal ? c : 0; r < b.rows; ++r)
          factor_->matrix.innerIndexPtr()[next++] = first_[base::at(b.nodes[0])] + r;
      }
    }
  factor_->matrix.outerIndexPtr()[size()] = next;
  values_ = factor_->matrix.valuePtr();
}

int BlockMatrix::find(int a, int b) const {
  const Pair nodes = {std::max(a, b), std::min(a, b)};
  const auto from = blocks_.begin() + first_block_[base::at(nodes[1])],
             to = blocks_.begin() + first_block_[base::at(nodes[1]) + 1];
  const auto at = std::lower_bound(from, to, nodes[0],
                                   [](const Block& x, int row) { return x.nodes[0] < row; });
  CAIRN_DCHECK(at != to && at->nodes == nodes, a, b);
  return static_cast<int>(at - blocks_.begin());
}

void BlockMatrix::clear() {
  std::fill(factor_->matrix.valuePtr(), factor_->matrix.valuePtr() + factor_->matrix.nonZeros(),
            0.0);
}

void BlockMatrix::add_diagonal(double x, int from, int to) {
  for (int c = from; c < to; ++c)
    factor_->matrix.valuePtr()[factor_->matrix.outerIndexPtr()[c]] += x;
}

bool BlockMatrix::factor() {
  if (!analysed_) factor_->solver.analyzePattern(factor_->matrix);
  analysed_ = true;
  factor_->solver.factorize(factor_->matrix);
  return factor_->solver.info() == Eigen::Success;
}

void BlockMatrix::solve(VecX& x) const {
  x = factor_->solver.solve(x).eval();
}

void BlockMatrix::multiply(const VecX& x, VecX& out) const {
  out.noalias() = factor_->matrix.selfadjointView<Eigen::Lower>() * x;
}

}  // namespace cairn::analyse
