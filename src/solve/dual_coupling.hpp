// Coupling through a stored W, for problems that know no bodies. W + Theta is factored with the
// constraints as nodes, W whole: the factorisation takes unsymmetric values, so that nothing has to
// be lagged where W is unsymmetric (E44).
#pragma once

#include "cairn/reduced.hpp"
#include "solve/block_lu.hpp"
#include "solve/coupling.hpp"

namespace cairn {

class DualCoupling : public Coupling {
 public:
  // Copies and scales the problem. All memory is kept between problems.
  void attach(const ReducedProblem& problem);
  void multiply(const std::vector<double>& r, std::vector<double>& u) override;
  bool factor(std::span<const ThetaBlock> theta) override;
  void solve(std::vector<double>& x) override;
  double d(std::size_t part) const { return d_[part]; }  // scale of a constraint, (E10)

 private:
  std::vector<double> d_;
  std::vector<ReducedProblem::Block> blocks_;  // scaled
  std::vector<int> first_block_;
  BlockLU lu_;
  std::vector<int> sizes_, offsets_;
  std::vector<char> late_;
  bool analysed_ = false;
};

}  // namespace cairn
