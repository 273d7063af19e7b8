// Intervals that enclose every value of an expression, rounding included: natural interval
// extensions of the functions of time.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace cairn::base {

struct Interval {
  double lo = 0, hi = 0;

  double width() const { return hi - lo; }
  bool contains(double x) const { return lo <= x && x <= hi; }
  bool is_point() const { return lo == hi; }
};

inline constexpr Interval everything{-std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::infinity()};

// Outward by four units in the last place: more than the functions of the C library are off by.
inline Interval outward(double lo, double hi) {
  if (std::isnan(lo) || std::isnan(hi)) return everything;
  constexpr double eps = 4 * std::numeric_limits<double>::epsilon();
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  return {lo - eps * std::abs(lo) - tiny, hi + eps * std::abs(hi) + tiny};
}
inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}
inline Interval operator-(const Interval& a) {
  return {-a.hi, -a.lo};
}
inline Interval operator+(const Interval& a, const Interval& b) {
  return outward(a.lo + b.lo, a.hi + b.hi);
}
inline Interval operator-(const Interval& a, const Interval& b) {
  return outward(a.lo - b.hi, a.hi - b.lo);
}
// Zero times anything is zero, infinite bounds included.
inline Interval operator*(const Interval& a, const Interval& b) {
  auto product = [](double x, double y) { return x == 0 || y == 0 ? 0.0 : x * y; };
  const double p[] = {product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo),
                      product(a.hi, b.hi)};
  return outward(*std::min_element(p, p + 4), *std::max_element(p, p + 4));
}
inline Interval inverse(const Interval& a) {
  return a.contains(0) ? everything : outward(1 / a.hi, 1 / a.lo);
}

// Of a function that rises over all of a.
template <class Function>
Interval rising(const Interval& a, const Function& f) {
  return outward(f(a.lo), f(a.hi));
}

inline Interval sine(const Interval& a) {
  if (!(a.width() < 2 * std::numbers::pi) || !(std::abs(a.lo) < 1e8)) return {-1, 1};
  const double half = std::numbers::pi / 2, turn = 2 * std::numbers::pi;
  const double slack = 1e-7;  // beyond the rounding of arguments up to 1e8
  auto holds = [&](double peak) {
    return std::floor((a.hi + slack - peak) / turn) > std::floor((a.lo - slack - peak) / turn);
  };
  Interval s =
      outward(std::min(std::sin(a.lo), std::sin(a.hi)), std::max(std::sin(a.lo), std::sin(a.hi)));
  if (holds(half)) s.hi = 1;
  if (holds(-half)) s.lo = -1;
  return {std::max(s.lo, -1.0), std::min(s.hi, 1.0)};
}
inline Interval cosine(const Interval& a) {
  return sine(a + Interval{std::numbers::pi / 2, std::numbers::pi / 2});
}

inline Interval absolute(const Interval& a) {
  if (a.lo >= 0) return a;
  if (a.hi <= 0) return -a;
  return {0, std::max(-a.lo, a.hi)};
}

}  // namespace cairn::base
