// Coupling through the bodies: W = J A^-1 J^T is never formed. Products go through the velocities,
// solves through the factor of A + J^T Theta^-1 J over body blocks with the bilateral rows inside,
// which is linear in the length of a chain (E44).
#pragma once

#include "solver/island/coupling.hpp"
#include "solver/island/primal_matrix.hpp"

namespace cairn::solver {

class PrimalCoupling : public Coupling {
 public:
  // The island must outlive its use. All memory is kept between islands.
  void attach(const Island& island);
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
  // J of a constraint without the rest of the Group: a product reads a third of the memory.
  struct Rows {
    int first = 0, rows = 0;
    int sides = 2;
    int velocity[group_sides] = {}, size[group_sides] = {};  // of the bodies; size 0: not free
    std::size_t place[group_sides] = {};                     // in jacobians_
  };
  void velocities(const std::vector<double>& r);

  const Island* island_ = nullptr;
  std::vector<Rows> index_;
  std::vector<double> jacobians_, b_, impulse_, v_;
  PrimalNodes nodes_;
  linear::BlockLU lu_;
  bool analysed_ = false;
  std::span<const ThetaBlock> theta_;
  std::vector<double> unknowns_;
};

}  // namespace cairn::solver
