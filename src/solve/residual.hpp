// The solvers' own estimate of the certificate (E13 to E16), collected constraint by constraint.
#pragma once

#include "problem/cone.hpp"

namespace cairn {

class ResidualSum {
 public:
  explicit ResidualSum(double scale) : scale_(scale) {}

  // Scaled impulse and velocity of one constraint.
  void add(const LawSet& set, const double* r, const double* u);

  // Largest natural-map residual, forbidden velocity and complementarity over the island's scale.
  double value(double velocity_scale) const;

 private:
  double scale_;
  double natural_ = 0, velocity_ = 0, product_ = 0;
};

}  // namespace cairn
