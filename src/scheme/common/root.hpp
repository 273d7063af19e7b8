// A root of a function that changes its sign, by Brent's method: as safe as bisection, as a rule as
// fast as the secant method.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/infinity.hpp"

namespace cairn::scheme {

inline constexpr double never = base::infinity;  // where there is no root

// f(a) = fa and f(b) = fb have opposite signs, or one of them is zero. The root is found to
// `tolerance` and to rounding of the bracket.
template <class Function>
double brent_root(double a, double fa, double b, double fb, double tolerance, Function f) {
  if (fa == 0) return a;
  double c = a, fc = fa, step = b - a, before = step;
  for (int i = 0; i < 200 && fb != 0; ++i) {
    if ((fb > 0) == (fc > 0)) {
      c = a;
      fc = fa;
      step = before = b - a;
    }
    // b is the best point, c the one across the root, a the last b.
    if (std::abs(fc) < std::abs(fb)) {
      a = b;
      fa = fb;
      std::swap(b, c);
      std::swap(fb, fc);
    }
    const double limit = 2 * std::numeric_limits<double>::epsilon() * std::abs(b) + tolerance / 2;
    const double half = (c - b) / 2;
    if (std::abs(half) <= limit) break;
    if (std::abs(before) >= limit && std::abs(fa) > std::abs(fb)) {
      // Secant where only two points are known, inverse quadratic interpolation with three.
      const double s = fb / fa;
      double p = 0, q = 0;
      if (a == c) {
        p = 2 * half * s;
        q = 1 - s;
      } else {
        const double u = fa / fc, r = fb / fc;
        p = s * (2 * half * u * (u - r) - (b - a) * (r - 1));
        q = (u - 1) * (r - 1) * (s - 1);
      }
      if (p > 0)
        q = -q;
      else
        p = -p;
      if (2 * p < std::min(3 * half * q - std::abs(limit * q), std::abs(before * q))) {
        before = step;
        step = p / q;
      } else {
        step = before = half;
      }
    } else {
      step = before = half;
    }
    a = b;
    fa = fb;
    b += std::abs(step) > limit ? step : std::copysign(limit, half);
    fb = f(b);
  }
  return b;
}

}  // namespace cairn::scheme
