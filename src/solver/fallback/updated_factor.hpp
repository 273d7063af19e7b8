// The factor of A + J^T N J of a proximal law (E64), kept while N changes: constraints that have
// changed a lot are corrections of low rank, the rest is left to GMRES. For packings, where a
// factor costs a hundred solves.
#pragma once

#include <vector>

#include "solver/fallback/proximal_law.hpp"

namespace cairn::solver {

class UpdatedFactor {
 public:
  void attach(const Island& island);

  double products() const { return lu_.products(); }
  double solve_products() const { return lu_.solve_products(); }

  // Anew, for the law's present matrix.
  bool factorize(const ProximalLaw& law);
  int determinant_sign() const { return lu_.determinant_sign(); }  // of that matrix
  // Corrections for what has changed a lot since then. False: that is too much, factorize.
  bool follow(const ProximalLaw& law);
  bool fresh() const { return fresh_; }

  // With the factor and its corrections.
  void solve(std::vector<double>& x);
  // With the law's present matrix, to a relative tolerance. False: the factor is too far from it.
  bool solve_exactly(const ProximalLaw& law, double tolerance, std::vector<double>& x);

 private:
  static constexpr int most_changed = 24;  // constraints
  static constexpr int most_steps = 24;    // of GMRES

  using Matrix = Eigen::MatrixXd;
  struct Weight {
    double N[max_rows][max_rows];
  };

  bool has_changed(const Weight& base, const Weight& now, int rows) const;
  void add_columns(int group);
  void weigh(const ProximalLaw& law);

  const Island* island_ = nullptr;
  PrimalNodes nodes_;
  linear::BlockLU lu_;
  bool fresh_ = false;
  std::vector<Weight> base_;  // N of each group in the factor

  // Woodbury: H = H0 + J^T D J over the changed groups; Z = H0^-1 J^T,
  // H^-1 = (I - Z G J) H0^-1 with G = (I + D J Z)^-1 D.
  std::vector<int> changed_;
  std::vector<char> is_changed_;
  std::vector<std::vector<double>> Z_;  // columns
  Matrix JZ_, D_, G_;
  Eigen::VectorXd small_;

  std::vector<std::vector<double>> basis_;
  std::vector<double> right_, image_;
};

}  // namespace cairn::solver
