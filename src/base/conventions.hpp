// What checks ask of numbers and of lists. Values that are not finite pass for directions and
// rotations: whether a step ran away is for its status to say.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "cairn/check.hpp"
#include "cairn/math.hpp"

namespace cairn::base {

inline constexpr double convention_tolerance = 1e-6;  // of unit vectors; they are good to 1e-12 [-]

inline bool is_direction(const Vec3& n) {
  const double size = n.squaredNorm();
  return std::abs(size - 1) <= convention_tolerance || !std::isfinite(size);
}

inline bool is_rotation(const Quat& R) {
  const double size = R.squaredNorm();
  return std::abs(size - 1) <= convention_tolerance || !std::isfinite(size);
}

inline bool are_rotations(std::span<const Pose> poses) {
  return std::all_of(poses.begin(), poses.end(), [](const Pose& X) { return is_rotation(X.R); });
}

inline bool are_orthogonal(const Vec3& a, const Vec3& b) {
  return !(std::abs(a.dot(b)) > convention_tolerance);
}

inline bool is_power_of_two(double x) {
  int exponent = 0;
  return x > 0 && std::isfinite(x) && std::frexp(x, &exponent) == 0.5;
}

inline bool is_index(std::ptrdiff_t i, std::size_t size) {
  return i >= 0 && static_cast<std::size_t>(i) < size;
}
inline bool is_index_or_none(std::ptrdiff_t i, std::size_t size) {
  return i == -1 || is_index(i, size);
}

// Each entry before the next: sorted, and none twice.
template <class Range, class Key>
bool is_strictly_sorted(const Range& range, Key key) {
  return std::adjacent_find(range.begin(), range.end(), [&](const auto& a, const auto& b) {
           return !(key(a) < key(b));
         }) == range.end();
}
template <class Range>
bool is_strictly_sorted(const Range& range) {
  return is_strictly_sorted(
      range, [](const auto& x) -> const auto& { return x; });
}

// Every number from 0 on once.
inline bool is_permutation(std::span<const int> numbers) {
  std::vector<char> seen(numbers.size(), 0);
  for (const int i : numbers) {
    if (!is_index(i, numbers.size()) || seen[static_cast<std::size_t>(i)]) return false;
    seen[static_cast<std::size_t>(i)] = 1;
  }
  return true;
}

}  // namespace cairn::base
