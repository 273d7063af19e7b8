// (E46). One product with W per iteration: u at the extrapolated point follows from those at the
// last two iterates.
#include "solver/gradient/apgd.hpp"

#include <cmath>

namespace cairn::solver {

IterationResult apgd(Coupling& coupling, const FirstOrderLimits& limits, ApgdBuffers& buffers,
                     std::vector<double>& r) {
  auto& [u, sigma, y, u_y, next, u_next, change, best_r] = buffers;
  BestIterate best(coupling, best_r);
  coupling.multiply(r, u);
  best.offer(r, u);
  slip_bounds(coupling, u, sigma);
  y = r;
  u_y = u;
  change.resize(r.size());
  IterationResult result;
  double theta = 1, L = 1;
  int since_refresh = 0;
  while (result.iterations < limits.iterations && !(best.value() <= limits.tolerance)) {
    if (coupling.interrupted(cost::gradient * static_cast<double>(coupling.parts().size()))) break;
    ++result.iterations;
    // Step from y; L must bound the curvature along it.
    for (;;) {
      gradient_step(coupling, y, u_y, sigma, 1 / L, next);
      coupling.multiply(next, u_next);
      double curvature = 0, size = 0;
      for (std::size_t k = 0; k < r.size(); ++k) {
        const double delta = next[k] - y[k];
        curvature += delta * (u_next[k] - u_y[k]);
        size += delta * delta;
      }
      if (!(curvature > L * size) || L >= largest_L) break;
      L = std::min(largest_L, std::max(1.2 * L, curvature / size));
      ++result.iterations;
    }
    // Momentum is dropped where it points uphill.
    for (std::size_t k = 0; k < r.size(); ++k) change[k] = next[k] - r[k];
    const bool restart = gradient_dot(coupling, u_y, sigma, change) > 0;
    const double theta_next =
        restart ? 1 : 0.5 * (theta * std::sqrt(theta * theta + 4) - theta * theta);
    const double beta = restart ? 0 : theta * (1 - theta) / (theta * theta + theta_next);
    for (std::size_t k = 0; k < r.size(); ++k) {
      y[k] = next[k] + beta * change[k];
      u_y[k] = u_next[k] + beta * (u_next[k] - u[k]);
    }
    r = next;
    u = u_next;
    theta = theta_next;
    L *= 0.99;

    if (++since_refresh < limits.refresh && result.iterations < limits.iterations) continue;
    since_refresh = 0;
    best.offer(r, u);
    slip_bounds(coupling, u, sigma);
  }
  r = best.impulses();
  result.residual = best.value();
  return result;
}

}  // namespace cairn::solver
