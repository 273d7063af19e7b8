// The solvers' own estimate of the certificate (E13 to E16), constraint by constraint, from scaled
// impulses and velocities. It decides when to stop; certify() decides whether that was right.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "problem/cone.hpp"

namespace cairn::solver {

class Estimate {
 public:
  // u = W r + q of the constraint; its first entry is overwritten by that of u_hat.
  void add(const problem::LawSet& set, const double* r, double* u) {
    if (set.rows == 3)
      add_rows(std::integral_constant<int, 3>(), set, r, u);
    else
      add_rows(set.rows, set, r, u);
  }

  // The same of a unilateral constraint from its squared distance to the natural map, its squared
  // impulse, r . u_hat and u_n.
  void add_contact(double natural, double impulse, double along, double u_n) {
    if (!(natural <= natural_)) natural_ = natural;
    impulse_ = std::max(impulse_, impulse);
    product_ = std::max(product_, std::abs(along));
    velocity_ = std::max(velocity_, -u_n);
  }

  // scale and closing: the parts of s and s_v of (E11), (E13) that come from velocities.
  double value(double scale, double closing) const {
    if (natural_ == 0) return 0;
    const double s = std::max(scale, std::sqrt(impulse_));
    const double s_v = closing > 0 ? std::min(s, 0x1p10 * closing) : 0x1p-40 * s;
    return std::max({std::sqrt(natural_) / s, velocity_ / s_v, product_ / (s * s)});
  }

 private:
  template <class Rows>
  void add_rows(Rows rows, const problem::LawSet& set, const double* r, double* u) {
    const bool unilateral = is_unilateral(set.law);
    if (unilateral) velocity_ = std::max(velocity_, -u[0]);
    u[0] += problem::slip_bound(set, u);
    double z[max_rows], p[max_rows], sum = 0, impulse = 0, along = 0, speed = 0;
    for (int k = 0; k < rows; ++k) {
      z[k] = r[k] - u[k];
      impulse += r[k] * r[k];
      along += r[k] * u[k];
      speed += u[k] * u[k];
    }
    problem::project(set, z, p);
    for (int k = 0; k < rows; ++k) sum += (p[k] - r[k]) * (p[k] - r[k]);
    if (!(sum <= natural_)) natural_ = sum;  // keeps a NaN
    impulse_ = std::max(impulse_, impulse);
    if (unilateral) product_ = std::max(product_, std::abs(along));
    if (set.law == Law::equality) velocity_ = std::max(velocity_, std::sqrt(speed));
  }

  double natural_ = 0, velocity_ = 0, product_ = 0, impulse_ = 0;
};

}  // namespace cairn::solver
