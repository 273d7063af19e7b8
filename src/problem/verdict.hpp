// The part of the judge that every form of a problem shares: one constraint's residuals (E13 to
// E16), collected into a certificate.
#pragma once

#include <algorithm>
#include <cmath>

#include "cairn/solution.hpp"
#include "problem/cone.hpp"

namespace cairn::problem {

// Euclidean norm of n numbers, also of such whose squares underflow.
double norm_of_small(int n, const double* x);
inline double norm(int n, const double* x) {
  double sum = 0;
  if (n == 3)
    sum = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  else
    for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return sum > 0x1p-900 ? std::sqrt(sum) : norm_of_small(n, x);
}

// Zero over zero is zero: an island in which nothing happens is perfect.
double ratio(double residual, double scale);

// Rounding floor of a residual over the terms that it is added up from (E311).
inline constexpr double floor_unit = 16 * 0x1p-52;

// The largest share of V that a floor hides; mass_ratio: of the island to the body (E311).
inline double floor_bound(double mass_ratio) {
  return std::min(0x1p-10, 0x1p-38 * mass_ratio);
}
inline double floor_within(double floor, double speed, double mass_ratio) {
  return speed > 0 ? std::min(floor, floor_bound(mass_ratio) * speed) : floor;
}

// [x] / V of (E311).
inline double excess(double x, double floor, double speed) {
  return x <= floor ? 0 : ratio(x - floor, speed);
}

// s_v of (E17). Impulses loosen the velocity residuals at most a thousandfold beyond the velocities
// themselves: constraints that contradict each other drive the impulses to infinity and must not be
// certified by that. Where nothing moves but impulses are in balance, rounding of their sum is all
// there is.
double velocity_scale(double impulse, double velocity);

// By what the residuals of a constraint are divided. In problems with bodies `impulse` and
// `velocity` both are V (E11); in reduced ones they are s and s_v, and kappa is 1 (E17).
struct RowScale {
  double d = 1;         // of the constraint (E10)
  double kappa = 1;     // speed of a unit of scaled impulse or velocity (E310)
  double impulse = 1;   // of its island, for residuals with impulses
  double velocity = 1;  // of its island, for velocities
  double floor = 0;     // rounding of both, as a speed (E311)
};

struct Verdict {
  Certificate certificate;
  bool physical_started = false;

  // Keeps the largest residual and where it was; NaN makes the certificate void.
  void worst(double residual, int constraint);

  // w, r: velocity and impulse of the constraint in the problem's units; `set` with unscaled
  // bounds.
  void judge(const LawSet& set, int constraint, const double* w, const double* r,
             const RowScale& scale, const Units& units);

 private:
  template <class Rows>
  void judge_rows(Rows rows, const LawSet& set, int constraint, const double* w, const double* r,
                  const RowScale& scale, const Units& units);
};

}  // namespace cairn::problem
