// (E45). One product with W per iteration: the objective is quadratic, so that W d of the trial
// step gives the line search and both step lengths.
#include "solver/gradient/bb.hpp"

#include <cmath>

namespace cairn::solver {
namespace {

constexpr std::size_t memory = 10;  // objective values that the line search looks back on

}  // namespace

IterationResult bb(Coupling& coupling, const FirstOrderLimits& limits, BbBuffers& buffers,
                   std::vector<double>& r) {
  auto& [u, sigma, trial, u_trial, d, Wd, best_r, history] = buffers;
  BestIterate best(coupling, best_r);
  coupling.multiply(r, u);
  best.offer(r, u);
  slip_bounds(coupling, u, sigma);
  d.resize(r.size());
  Wd.resize(r.size());
  history.clear();
  IterationResult result;
  double alpha = 1, f = 0;  // f relative to its value at the last refresh
  bool long_step = true, refreshed = true;
  while (result.iterations < limits.iterations && !(best.value() <= limits.tolerance)) {
    if (coupling.interrupted(cost::gradient * static_cast<double>(coupling.parts().size()))) break;
    ++result.iterations;
    gradient_step(coupling, r, u, sigma, alpha, trial);
    coupling.multiply(trial, u_trial);
    for (std::size_t k = 0; k < r.size(); ++k) {
      d[k] = trial[k] - r[k];
      Wd[k] = u_trial[k] - u[k];
    }
    const double slope = gradient_dot(coupling, u, sigma, d), curvature = dot(d, Wd);
    const double size = dot(d, d), size_W = dot(Wd, Wd);
    if (!(size > 0) && refreshed) break;  // nothing moves any more

    // Nonmonotone rule of Grippo, Lampariello and Lucidi; where it fails, the exact minimum.
    if (history.size() == memory) history.erase(history.begin());
    history.push_back(f);
    const double highest = *std::max_element(history.begin(), history.end());
    double t = 1;
    if (!(f + slope + 0.5 * curvature <= highest + 1e-4 * slope) && curvature > 0)
      t = std::min(1.0, std::max(1e-3, -slope / curvature));
    f += t * slope + 0.5 * t * t * curvature;
    for (std::size_t k = 0; k < r.size(); ++k) {
      r[k] = t == 1 ? trial[k] : r[k] + t * d[k];
      u[k] = t == 1 ? u_trial[k] : u[k] + t * Wd[k];
    }

    // BB1 and BB2 in turn; a direction of no curvature asks for the longest step.
    long_step = !long_step;
    alpha = curvature > 0 ? (long_step ? size / curvature : curvature / size_W) : 1e8;
    alpha = std::clamp(std::isfinite(alpha) ? alpha : 1.0, 1e-8, 1e8);

    refreshed = result.iterations % limits.refresh == 0 || result.iterations == limits.iterations ||
                !(size > 0);
    if (!refreshed) continue;
    coupling.multiply(r, u);  // removes the drift of the affine updates
    best.offer(r, u);
    slip_bounds(coupling, u, sigma);
    history.clear();
    f = 0;
  }
  r = best.impulses();
  result.residual = best.value();
  return result;
}

}  // namespace cairn::solver
