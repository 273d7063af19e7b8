// Impacts of one contact, integrated independently of the program: in the plane by the straight
// pieces of Routh's diagram, in space by Runge and Kutta's method.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/model.hpp"

namespace cairn::testing {

struct Routh {
  double n = 0, t = 0;  // velocity after the impact
  bool stopped = false, stuck = false, reversed = false, jammed = false;
};

// W per impulse along (n, t); u before. Each piece is straight in the normal impulse p: sliding
// with the sign s, du = (W_nn - mu s W_nt, W_nt - mu s W_tt) dp; at rest friction holds if |W_nt|
// <= mu W_tt, else it slides on along W_nt.
inline Routh routh(double W_nn, double W_nt, double W_tt, double u_n, double u_t, double mu,
                   RestitutionLaw law, double e) {
  Routh out;
  const double before = u_n;
  double p = 0, work = 0, at_compression = 0, lost = 0;
  bool compressing = true;
  for (int piece = 0; piece < 100; ++piece) {
    double s = u_t > 0 ? 1 : u_t < 0 ? -1 : 0;
    double k_n = W_nn - mu * s * W_nt, k_t = W_nt - mu * s * W_tt;
    if (s == 0 && std::abs(W_nt) <= mu * W_tt) {
      k_n = W_nn - W_nt * W_nt / W_tt, k_t = 0;
      out.stuck = true;
    } else if (s == 0) {
      s = W_nt > 0 ? 1 : -1;
      k_n = W_nn - mu * s * W_nt, k_t = W_nt - mu * s * W_tt;
      out.reversed = true;
    }
    if (compressing && k_n < 0) out.jammed = true;
    // How far this piece goes: the slip stops, the phase ends.
    const double never = std::numeric_limits<double>::infinity();
    const double to_stop = u_t != 0 && u_t * k_t < 0 ? -u_t / k_t : never;
    double to_end = never;
    if (compressing) {
      if (k_n > 0) to_end = -u_n / k_n;
    } else if (law == RestitutionLaw::newton) {
      to_end = (-e * before - u_n) / k_n;
    } else if (law == RestitutionLaw::poisson) {
      to_end = (1 + e) * at_compression - p;
    } else {
      // work + u_n d + k_n d^2 / 2 = (1 - e^2) lost
      const double missing = (1 - e * e) * lost - work;
      to_end = 2 * missing / (u_n + std::sqrt(u_n * u_n + 2 * k_n * missing));
    }
    const double d = std::min(to_stop, to_end);
    work += d * (u_n + 0.5 * k_n * d);
    p += d;
    u_n += k_n * d;
    u_t = d == to_stop ? 0 : u_t + k_t * d;
    if (d == to_stop) out.stopped = true;
    if (d != to_end) continue;
    if (!compressing) break;
    compressing = false;
    u_n = 0;
    at_compression = p;
    lost = work;
    if (e == 0) break;
  }
  out.n = u_n;
  out.t = u_t;
  return out;
}

// In space, where the slip turns and does not stop: du/dp = W (1, -mu s), s = u_T / |u_T|.
inline Vec3 slide_in_space(const Mat3& W, const Vec3& u0, double mu, RestitutionLaw law, double e,
                           int steps) {
  struct Point {
    Vec3 u;
    double work;
  };
  auto rate = [&](const Point& x) {
    const double slip = std::hypot(x.u[1], x.u[2]);
    return Point{W * Vec3(1, -mu * x.u[1] / slip, -mu * x.u[2] / slip), x.u[0]};
  };
  auto step = [&](const Point& x, double h) {
    auto along = [&](const Point& k, double f) {
      return Point{x.u + f * k.u, x.work + f * k.work};
    };
    const Point a = rate(x), b = rate(along(a, h / 2)), c = rate(along(b, h / 2)),
                d = rate(along(c, h));
    return Point{x.u + h / 6 * (a.u + 2 * b.u + 2 * c.u + d.u),
                 x.work + h / 6 * (a.work + 2 * b.work + 2 * c.work + d.work)};
  };
  // Follows until f changes its sign, the last step by bisection.
  double p = 0;
  const double h = -u0[0] / W(0, 0) / steps;
  auto follow = [&](Point x, auto f) {
    for (;;) {
      const Point next = step(x, h);
      if (f(next, p + h) >= 0) break;
      x = next;
      p += h;
    }
    double lo = 0, hi = h;
    for (int i = 0; i < 200 && hi > lo; ++i) {
      const double middle = 0.5 * (lo + hi);
      if (middle == lo || middle == hi) break;
      (f(step(x, middle), p + middle) >= 0 ? hi : lo) = middle;
    }
    p += hi;
    return step(x, hi);
  };
  const Point c = follow({u0, 0}, [](const Point& x, double) { return x.u[0]; });
  if (e == 0) return c.u;
  const double p_c = p;
  return follow(c,
                [&](const Point& x, double at) {
                  if (law == RestitutionLaw::newton) return x.u[0] + e * u0[0];
                  if (law == RestitutionLaw::poisson) return at - (1 + e) * p_c;
                  return x.work - (1 - e * e) * c.work;
                })
      .u;
}

}  // namespace cairn::testing
