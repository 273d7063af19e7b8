// The double pendulum with a wall of Potra et al. 2006, 10.1, in its two angles: the exact solution
// against which Table I is measured.
#pragma once

#include <array>
#include <vector>

namespace cairn::reproduce {

struct WallImpact {
  double t = 0;      // [s]
  int bob = 0;       // 1 or 2
  double speed = 0;  // normal velocity before it [m/s]
};

struct PendulumReference {
  std::array<double, 4> position = {};  // x1, y1, x2, y2 at the end [m]
  std::vector<WallImpact> impacts;
};

// By the classical Runge-Kutta rule with steps of 2^-13 s, impacts by bisection: exact to 1e-11.
PendulumReference reference_pendulum(double duration);

}  // namespace cairn::reproduce
