// The solvers' own estimate of the certificate (E13 to E16), constraint by constraint, from scaled
// impulses and velocities. It decides when to stop; certify() decides whether that was right.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/infinity.hpp"
#include "problem/cone.hpp"
#include "problem/verdict.hpp"

namespace cairn::solver {

// By what the residuals of a constraint between bodies are judged.
struct RowGauge {
  double kappa = 1;                  // speed of a unit of scaled impulse or velocity (E310)
  double hidden = 0x1p-10;           // largest share of V that the rounding floor hides (E311)
  double reach[max_sides + 1] = {};  // c_ij / d_i of its bodies (E311)
  double gap = 0;                    // |b_i| / d_i
};

// What a constraint contributes to an estimate, in scaled units.
struct RowErrors {
  double natural = 0;   // squared distance to the natural map
  double impulse = 0;   // |r|^2
  double along = 0;     // r . u_hat of unilateral constraints
  double velocity = 0;  // -u_n of unilateral constraints, |u| of equalities
};

template <class Rows>
inline RowErrors row_errors(Rows rows, const problem::LawSet& set, const double* r, double* u) {
  RowErrors e;
  const bool unilateral = is_unilateral(set.law);
  if (unilateral) e.velocity = -u[0];
  u[0] += problem::slip_bound(set, u);
  double z[max_rows], p[max_rows], speed = 0;
  for (int k = 0; k < rows; ++k) {
    z[k] = r[k] - u[k];
    e.impulse += r[k] * r[k];
    e.along += r[k] * u[k];
    speed += u[k] * u[k];
  }
  problem::project(set, z, p);
  for (int k = 0; k < rows; ++k) e.natural += (p[k] - r[k]) * (p[k] - r[k]);
  if (!unilateral) e.along = 0;
  if (set.law == Law::equality) e.velocity = std::sqrt(speed);
  return e;
}

// u = W r + q of the constraint; its first entry is overwritten by that of u_hat.
inline RowErrors row_errors(const problem::LawSet& set, const double* r, double* u) {
  if (set.rows == 3) return row_errors(std::integral_constant<int, 3>(), set, r, u);
  return row_errors(set.rows, set, r, u);
}

// Of an island with bodies: all residuals are speeds (E310), measured against the speed of the
// island and their rounding (E312).
class Estimate {
 public:
  // tolerance: of the certificate.
  Estimate(double speed, double tolerance)
      : speed_(speed), t_(std::max(tolerance, least_tolerance)) {}

  // terms(): what the velocity of the constraint is added up from (E311), scaled.
  template <class Terms>
  void add(const RowErrors& e, double kappa, double hidden, const Terms& terms) {
    // Most constraints are not the worst so far, and need no root and no terms.
    const double natural = kappa * kappa * e.natural, bar = worst_ * speed_;
    if (natural <= bar * bar && kappa * e.velocity <= bar &&
        kappa * std::abs(e.along) * kappa <= bar * speed_)
      return;
    const double size = std::max(std::sqrt(e.impulse), speed_ / kappa);
    const double x = std::max({std::sqrt(natural), kappa * e.velocity,
                               e.along == 0 ? 0 : kappa * std::abs(e.along) / size});
    const double most = speed_ > 0 ? hidden * speed_ : base::infinity;
    const double floor = std::min(most, problem::floor_unit * kappa * terms());
    const double excess = x <= floor / 64 ? 0 : x - floor / 64;
    const double value = excess == 0 ? 0 : excess / (speed_ + floor / (2 * t_));
    if (!(value <= worst_) && !std::isnan(worst_)) worst_ = value;
  }
  double value() const { return worst_; }

 private:
  static constexpr double least_tolerance = 1e-12;  // far below it floors would outweigh V

  double speed_, t_, worst_ = 0;
};

// Of an island of which W alone is known: relative to its impulses (E17).
class ImpulseEstimate {
 public:
  void add(const RowErrors& e) {
    if (!(e.natural <= natural_)) natural_ = e.natural;  // keeps a NaN
    impulse_ = std::max(impulse_, e.impulse);
    product_ = std::max(product_, std::abs(e.along));
    velocity_ = std::max(velocity_, e.velocity);
  }

  // q: largest scaled velocity of the rows of (E17).
  double value(double q) const {
    if (natural_ == 0) return 0;
    const double s = std::max(q, std::sqrt(impulse_));
    const double s_v = q > 0 ? std::min(s, 0x1p10 * q) : 0x1p-40 * s;
    return std::max({std::sqrt(natural_) / s, velocity_ / s_v, product_ / (s * s)});
  }

 private:
  double natural_ = 0, velocity_ = 0, product_ = 0, impulse_ = 0;
};

}  // namespace cairn::solver
