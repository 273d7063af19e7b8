#include "linear/pivoted_lu.hpp"

#include <Eigen/SparseLU>

#include "cairn/math.hpp"

namespace cairn::linear {

struct PivotedLU::Factor {
  int size = 0;
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<int> pattern;  // of the last analysis: outer, then inner indices
  Eigen::SparseMatrix<double> matrix;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
};

PivotedLU::PivotedLU() : factor_(std::make_unique<Factor>()) {}
PivotedLU::~PivotedLU() = default;
PivotedLU::PivotedLU(PivotedLU&&) noexcept = default;
PivotedLU& PivotedLU::operator=(PivotedLU&&) noexcept = default;

void PivotedLU::begin(int size) {
  factor_->size = size;
  factor_->entries.clear();
}

void PivotedLU::add(int row, int column, double value) {
  factor_->entries.emplace_back(row, column, value);
}

bool PivotedLU::factorize() {
  Factor& f = *factor_;
  f.matrix.resize(f.size, f.size);
  f.matrix.setFromTriplets(f.entries.begin(), f.entries.end());
  // The order of elimination is found again only where the pattern has changed.
  std::vector<int> pattern(f.matrix.outerIndexPtr(), f.matrix.outerIndexPtr() + f.size + 1);
  pattern.insert(pattern.end(), f.matrix.innerIndexPtr(),
                 f.matrix.innerIndexPtr() + f.matrix.nonZeros());
  if (pattern != f.pattern) {
    f.lu.analyzePattern(f.matrix);
    f.pattern = std::move(pattern);
  }
  f.lu.factorize(f.matrix);
  return f.lu.info() == Eigen::Success;
}

void PivotedLU::solve(std::vector<double>& x) const {
  const VecX right = VecX::Map(x.data(), static_cast<Eigen::Index>(x.size()));
  VecX::Map(x.data(), static_cast<Eigen::Index>(x.size())) = factor_->lu.solve(right);
}

}  // namespace cairn::linear
