// Numbers that look random and are the same on all machines.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "cairn/math.hpp"

namespace cairn::bench {

// A generator of its own (xorshift), so that all machines measure the same pairs.
class Numbers {
 public:
  double between(double lo, double hi) {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return lo + (hi - lo) * 0x1p-53 * static_cast<double>(state_ >> 11);
  }
  Vec3 direction() {
    const double z = between(-1, 1), phi = between(0, 2 * std::numbers::pi);
    const double s = std::sqrt(1 - z * z);
    return {s * std::cos(phi), s * std::sin(phi), z};
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

}  // namespace cairn::bench
