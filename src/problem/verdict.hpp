// The part of the judge that every form of a problem shares: one constraint's residuals (E13 to
// E16), collected into a certificate.
#pragma once

#include "cairn/solution.hpp"
#include "problem/cone.hpp"

namespace cairn {

// Euclidean norm of n numbers, also of such whose squares underflow.
double norm(int n, const double* x);

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
};

}  // namespace cairn
