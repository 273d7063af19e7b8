// Random numbers that depend on seed, family and number of the case alone: the standard fixes the
// engine, the distributions are our own.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "cairn/math.hpp"

namespace cairn::families {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t family, std::uint64_t number)
      : engine_(seed * 0x9E3779B97F4A7C15u + family * 0xC2B2AE3D27D4EB4Fu + number) {
    engine_.discard(8);  // near seeds begin alike
  }

  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }  // in [0, 1)
  double between(double low, double high) { return low + (high - low) * unit(); }
  double log_between(double low, double high) { return low * std::pow(high / low, unit()); }
  int whole(int low, int high) {  // both included
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double probability) { return unit() < probability; }

  Vec3 direction() {
    const double z = between(-1, 1), phi = between(0, 2 * std::numbers::pi);
    const double r = std::sqrt(1 - z * z);
    return Vec3(r * std::cos(phi), r * std::sin(phi), z);
  }
  Quat orientation() {  // all equally likely (Shoemake 1992)
    const double u = unit(), a = between(0, 2 * std::numbers::pi);
    const double b = between(0, 2 * std::numbers::pi);
    const double p = std::sqrt(1 - u), q = std::sqrt(u);
    return Quat(q * std::cos(b), p * std::sin(a), p * std::cos(a), q * std::sin(b));
  }
  Vec3 in_box(const Vec3& half) {
    const double x = between(-1, 1), y = between(-1, 1), z = between(-1, 1);
    return half.cwiseProduct(Vec3(x, y, z));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace cairn::families
