#include "reproduce/double_pendulum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cairn::reproduce {
namespace {

constexpr double pendulum_gravity = 9.8, pendulum_restitution = 0.1;

// Angles from the vertical and their rates.
struct Angles {
  double a, b, da, db;
};

Angles along(const Angles& s, double h, const Angles& k) {
  return {s.a + h * k.a, s.b + h * k.b, s.da + h * k.da, s.db + h * k.db};
}

// Lagrange's equations: 2 a'' + c b'' = -s b'^2 - 2 g sin a, c a'' + b'' = s a'^2 - g sin b, with
// s and c of a - b.
Angles rates(const Angles& x) {
  const double c = std::cos(x.a - x.b), s = std::sin(x.a - x.b), det = 2 - c * c;
  const double p = -s * x.db * x.db - 2 * pendulum_gravity * std::sin(x.a),
               q = s * x.da * x.da - pendulum_gravity * std::sin(x.b);
  return {x.da, x.db, (p - c * q) / det, (2 * q - c * p) / det};
}

Angles step(const Angles& x, double h) {
  const Angles k1 = rates(x), k2 = rates(along(x, h / 2, k1)), k3 = rates(along(x, h / 2, k2)),
               k4 = rates(along(x, h, k3));
  Angles y = along(x, h / 6, k1);
  y = along(y, h / 3, k2);
  y = along(y, h / 3, k3);
  return along(y, h / 6, k4);
}

double height(const Angles& x, int bob) {  // over the wall
  return std::sin(x.a) + (bob == 2 ? std::sin(x.b) : 0);
}

double approach(const Angles& x, int bob) {
  return std::cos(x.a) * x.da + (bob == 2 ? std::cos(x.b) * x.db : 0);
}

// A bob bounces: the impulse along x in the metric of the masses.
void bounce(Angles& x, int bob) {
  const double na = std::cos(x.a), nb = bob == 2 ? std::cos(x.b) : 0;
  const double c = std::cos(x.a - x.b), det = 2 - c * c;
  const double va = (na - c * nb) / det, vb = (2 * nb - c * na) / det;
  const double impulse = -(1 + pendulum_restitution) * approach(x, bob) / (na * va + nb * vb);
  x.da += impulse * va;
  x.db += impulse * vb;
}

}  // namespace

PendulumReference reference_pendulum(double duration) {
  constexpr double h = 0x1p-13;
  Angles x{std::numbers::pi / 3, std::numbers::pi / 5, 0, 0};
  PendulumReference result;
  for (double t = 0; t < duration;) {
    const double length = std::min(h, duration - t);
    Angles next = step(x, length);
    double taken = length;
    int hit = 0;
    for (const int bob : {1, 2}) {
      if (!(height(next, bob) < 0) || !(approach(x, bob) < 0)) continue;
      double lo = 0, hi = length;
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (lo + hi);
        (height(step(x, middle), bob) < 0 ? hi : lo) = middle;
      }
      if (hit == 0 || lo < taken) hit = bob, taken = lo;
    }
    if (hit != 0) {
      next = step(x, taken);
      result.impacts.push_back({t + taken, hit, approach(next, hit)});
      bounce(next, hit);
    }
    x = next;
    t += taken;
  }
  result.position = {std::sin(x.a), -std::cos(x.a), std::sin(x.a) + std::sin(x.b),
                     -std::cos(x.a) - std::cos(x.b)};
  return result;
}

}  // namespace cairn::reproduce
