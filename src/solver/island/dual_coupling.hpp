// Coupling through a stored W, for problems that know no bodies. W + Theta is factored with the
// constraints as nodes, W whole: the factorisation takes unsymmetric values, so that nothing has to
// be lagged where W is unsymmetric (E44).
#pragma once

#include "linear/block_lu.hpp"
#include "solver/island/coupling.hpp"
#include "solver/reduced/reduced_island.hpp"

namespace cairn::solver {

class DualCoupling : public Coupling {
 public:
  // Copies the island. All memory is kept between islands.
  void attach(const ReducedIsland& island);
  void multiply(const std::vector<double>& r, std::vector<double>& u) override;
  double residual(const std::vector<double>& r, const std::vector<double>& u) const override;
  bool factor(std::span<const ThetaBlock> theta) override;
  void solve(std::vector<double>& x) override;
  double factor_work() const override { return analysed_ ? lu_.products() : 0; }
  double solve_work() const override {
    return cost::gradient * static_cast<double>(parts_.size()) +
           (analysed_ ? lu_.solve_products() : 0);
  }

 private:
  std::vector<ReducedProblem::Block> blocks_;
  std::vector<int> first_block_;
  linear::BlockLU lu_;
  std::vector<int> sizes_, offsets_;
  std::vector<char> late_;
  bool analysed_ = false;
};

}  // namespace cairn::solver
