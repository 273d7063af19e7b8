// The outer loop that (E42) and (E50) share: proximal steps r <- P(r - rho (u + sigma e_n)), each
// found by semismooth Newton steps of an inner problem, which is a class of newton.cpp or
// newton_reduced.cpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "solver/newton/newton.hpp"
#include "solver/sweep/strides.hpp"

namespace cairn::solver {

// Root of a slope that rises with t and is `start` < 0 at t = 0, to 10 % of `start`.
template <class Slope>
double falling_end(double start, const Slope& slope) {
  double lo = 0, hi = 1, at_lo = start, at_hi = slope(1);
  for (int i = 0; i < 4 && at_hi < 0.1 * start; ++i) {  // the step is too short
    lo = hi;
    at_lo = at_hi;
    hi *= 2;
    at_hi = slope(hi);
  }
  if (std::abs(at_hi) <= -0.1 * start) return hi;
  double t = hi;
  for (int i = 0; i < 30; ++i) {
    // Secant inside the bracket, bisection every third time.
    t = i % 3 == 2 ? 0.5 * (lo + hi) : lo + (hi - lo) * (-at_lo) / (at_hi - at_lo);
    const double at_t = slope(t);
    if (std::abs(at_t) <= -0.1 * start) break;
    (at_t < 0 ? lo : hi) = t;
    (at_t < 0 ? at_lo : at_hi) = at_t;
  }
  return t;
}

// (E681): the change from `before` to r goes on to where the first contact reaches its cone.
template <class AnyIsland>
bool take_stride(const AnyIsland& island, std::vector<double>& before, std::vector<double>& r) {
  for (std::size_t k = 0; k < r.size(); ++k) before[k] = r[k] - before[k];
  const double share = share_to_cones(island.groups, r, before, Bounds::cones_and_openings);
  if (!std::isfinite(share)) return false;
  for (std::size_t k = 0; k < r.size(); ++k) r[k] += share * before[k];
  return true;
}

// An inner problem works on r and v (u = W r + q of a ReducedIsland) of its island and has
//   rho, largest_rho     the penalty, and what it is raised to while the slip speeds are unknown
//   begin()              starts from r and v
//   freeze_slip()        takes the slip bounds from the current velocities
//   evaluate(coulomb)    the merit at the current point; coulomb: with slip bounds that follow
//   step_direction(coulomb)
//   line_search()        length of the step with frozen slip bounds
//   add_linear_part()    takes the full step of what the inner problem is linear in
//   try_step(t, coulomb) the merit after a part t of the step
//   accept()             makes the point that was tried the current one
//   work()               of a step, in products of 6 x 6 blocks (E314)
//   impulses()           P of the last evaluation
template <class AnyIsland, class Inner>
IterationResult newton_loop(const AnyIsland& island, const NewtonLimits& limits, Inner& inner,
                            std::vector<double>& best, std::vector<double>& before,
                            std::vector<double>& r, std::vector<double>& v) {
  velocities_from_impulses(island, r, v);
  IterationResult result{0, residual(island, r, v)};
  best = r;
  double previous = result.residual;
  int without_progress = 0, strides = 0;

  while (result.iterations < limits.factorisations && without_progress < 6 &&
         !(result.residual <= limits.aim) && !island.interrupted()) {
    bool coulomb = previous < 1e-3;  // the full Jacobian diverges from far away
    if (!coulomb) inner.freeze_slip();
    double scale = island.scale;
    for (const double x : r) scale = std::max(scale, std::abs(x));
    const double enough =
        std::max(2e-16 * scale, 0.1 * std::min(1.0, previous) * unit_residual(island, scale));
    before = r;
    inner.begin();
    double merit = inner.evaluate(coulomb), last_merit = merit;
    for (int i = 0; i < 30 && result.iterations < limits.factorisations; ++i) {
      if ((!(std::sqrt(merit) > enough) && i > 0) || island.interrupted(inner.work())) break;
      ++result.iterations;
      if (!inner.step_direction(coulomb)) break;
      double t = coulomb ? 1 : inner.line_search();
      inner.add_linear_part();
      double next = inner.try_step(t, coulomb);
      if (coulomb) {
        for (int halvings = 0; halvings < 5 && !(next <= (1 - 0.2 * t) * (1 - 0.2 * t) * merit);
             ++halvings) {
          t *= 0.5;
          next = inner.try_step(t, coulomb);
        }
        if (!(next <= merit)) {  // freeze the slip speeds for the rest of this outer step
          coulomb = false;
          inner.freeze_slip();
          merit = last_merit = inner.evaluate(coulomb);
          continue;
        }
      }
      inner.accept();
      merit = next;
      if (t == 0 || (i > 3 && !(merit < 0.9 * last_merit) && std::sqrt(merit) < 1e-13 * scale))
        break;
      last_merit = merit;
    }
    r = inner.impulses();
    velocities_from_impulses(island, r, v);
    const double now = residual(island, r, v);
    if (!std::isfinite(now)) break;
    without_progress = now < 0.9 * result.residual ? 0 : without_progress + 1;
    if (now < result.residual) {
      result.residual = now;
      best = r;
    }
    const bool stalls = coulomb && now > 0.5 * previous && now > limits.tolerance;
    if (stalls && strides < limits.strides && take_stride(island, before, r)) {
      velocities_from_impulses(island, r, v);
      without_progress = 0;
      ++strides;
    } else if (result.residual <= limits.tolerance && !(now < 0.1 * previous)) {
      // Good enough for a large island; a small one can afford a stiffer penalty until it is at
      // rounding.
      if (island.groups.size() > 32 || inner.rho >= 1e11 || without_progress > 4) break;
      inner.rho *= 100;
    } else if (coulomb && now > 0.2 * previous) {
      inner.rho = std::min(Inner::largest_rho, 5 * inner.rho);
    }
    previous = now;
  }
  r = best;
  velocities_from_impulses(island, r, v);
  return result;
}

}  // namespace cairn::solver
