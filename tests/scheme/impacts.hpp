// What the tests of single impacts share.
#pragma once

#include <random>

#include "scheme/impact/impact_path.hpp"

namespace cairn {

inline constexpr RestitutionLaw laws[] = {RestitutionLaw::newton, RestitutionLaw::poisson,
                                          RestitutionLaw::stronge};

struct RandomNumbers {
  std::mt19937_64 engine;
  double uniform(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(engine);
  }
  Vec3 vector() { return {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}; }
  Mat3 turn() {
    return Quat(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1))
        .normalized()
        .toRotationMatrix();
  }
};

// p x, as a matrix.
inline Mat3 cross_matrix(const Vec3& p) {
  Mat3 P;
  P << 0, -p[2], p[1], p[2], 0, -p[0], -p[1], p[0], 0;
  return P;
}

}  // namespace cairn
