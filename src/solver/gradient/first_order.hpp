// What the methods that see only gradients share (E45, E46): the shift by the slip bounds, the
// projection of all constraints, the best iterate.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/island/coupling.hpp"
#include "solver/sweep/nsgs.hpp"

namespace cairn::solver {

// Backtracking ends here: with W singular and the objective flat to rounding it would go on
// forever.
inline constexpr double largest_L = 1e8;

struct FirstOrderLimits {
  double tolerance = 1e-8;
  int iterations = 10000;
  int refresh = 10;  // iterations from one update of the slip bounds to the next
};

// sigma(u_T) of every constraint, (E4).
inline void slip_bounds(const Coupling& coupling, const std::vector<double>& u,
                        std::vector<double>& sigma) {
  sigma.resize(coupling.parts().size());
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    const Coupling::Part& part = coupling.parts()[i];
    sigma[i] = problem::slip_bound(part.set, &u[static_cast<std::size_t>(part.first)]);
  }
}

// r_new = P(r - step (u + sigma e_n)).
inline void gradient_step(const Coupling& coupling, const std::vector<double>& r,
                          const std::vector<double>& u, const std::vector<double>& sigma,
                          double step, std::vector<double>& r_new) {
  r_new.resize(r.size());
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    const Coupling::Part& part = coupling.parts()[i];
    const auto first = static_cast<std::size_t>(part.first);
    double z[max_rows];
    for (int k = 0; k < part.set.rows; ++k)
      z[k] = r[first + static_cast<std::size_t>(k)] - step * u[first + static_cast<std::size_t>(k)];
    z[0] -= step * sigma[i];
    problem::project(part.set, z, &r_new[first]);
  }
}

// (u + sigma e_n) . x
inline double gradient_dot(const Coupling& coupling, const std::vector<double>& u,
                           const std::vector<double>& sigma, const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t k = 0; k < u.size(); ++k) sum += u[k] * x[k];
  for (std::size_t i = 0; i < sigma.size(); ++i)
    sum += sigma[i] * x[static_cast<std::size_t>(coupling.parts()[i].first)];
  return sum;
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// Keeps the best impulses seen; these methods are not monotone.
class BestIterate {
 public:
  BestIterate(const Coupling& coupling, std::vector<double>& memory)
      : coupling_(coupling), memory_(memory) {}
  // Takes r with u = W r + q; returns its residual.
  double offer(const std::vector<double>& r, const std::vector<double>& u) {
    const double now = coupling_.residual(r, u);
    if (first_ || now < value_ || std::isnan(value_)) {
      value_ = now;
      memory_ = r;
    }
    first_ = false;
    return now;
  }
  double value() const { return value_; }
  const std::vector<double>& impulses() const { return memory_; }

 private:
  const Coupling& coupling_;
  std::vector<double>& memory_;
  double value_ = 0;
  bool first_ = true;
};

}  // namespace cairn::solver
