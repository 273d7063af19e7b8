// The part of the judge that every form of a problem shares: one constraint's residuals (E13 to
// E16), collected into a certificate.
#pragma once

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

// s_v of (E13). Impulses loosen the velocity residuals at most a thousandfold beyond the velocities
// themselves: constraints that contradict each other drive the impulses to infinity and must not be
// certified by that. Where nothing moves but impulses are in balance, rounding of their sum is all
// there is.
double velocity_scale(double impulse, double velocity);

struct RowScale {
  double d = 1;         // of the constraint (E10)
  double impulse = 1;   // s of its island (E11)
  double velocity = 1;  // s_v of its island (E13)
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
