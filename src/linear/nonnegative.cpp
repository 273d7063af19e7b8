#include "linear/nonnegative.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"

namespace cairn::linear {
namespace {

constexpr double redundant = 1e-12;  // of the diagonal: carries rows that say the same [-]

}  // namespace

void NonnegativeProblem::begin(std::size_t n) {
  r.assign(n, 0);
  x.assign(n, 0);
  W_.assign(n * n, 0);
}

double NonnegativeProblem::slack(std::size_t i) const {
  double sum = r[i];
  for (const std::size_t k : active_) sum += W(i, k) * x[k];
  return sum;
}

// Cholesky's method. False if W is not positive on the active set.
bool NonnegativeProblem::solve_active() {
  const std::size_t n = active_.size();
  factor_.assign(n * n, 0);
  z_.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      double sum = W(active_[i], active_[k]);
      if (i == k) sum *= 1 + redundant;
      for (std::size_t m = 0; m < k; ++m) sum -= factor_[i * n + m] * factor_[k * n + m];
      if (i == k && !(sum > 0)) return false;
      factor_[i * n + k] = i == k ? std::sqrt(sum) : sum / factor_[k * n + k];
    }
  for (std::size_t i = 0; i < n; ++i) {
    double sum = -r[active_[i]];
    for (std::size_t m = 0; m < i; ++m) sum -= factor_[i * n + m] * z_[m];
    z_[i] = sum / factor_[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    double sum = z_[i];
    for (std::size_t m = i + 1; m < n; ++m) sum -= factor_[m * n + i] * z_[m];
    z_[i] = sum / factor_[i * n + i];
  }
  return true;
}

// From x towards z as far as x >= 0; unknowns that become zero leave the active set. True: z is
// reached.
bool NonnegativeProblem::step_towards_z() {
  double t = 1;
  std::size_t first = active_.size();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const double from = x[active_[i]];
    if (z_[i] > 0) continue;
    const double reach = from > 0 ? from / (from - z_[i]) : 0;
    if (first == active_.size() || reach < t) t = reach, first = i;
  }
  for (std::size_t i = 0; i < active_.size(); ++i) {
    double& value = x[active_[i]];
    value = first == active_.size() ? z_[i] : std::max(0.0, value + t * (z_[i] - value));
  }
  if (first == active_.size()) return true;
  x[active_[first]] = 0;
  std::erase_if(active_, [&](std::size_t k) { return !(x[k] > 0); });
  return false;
}

bool NonnegativeProblem::reach_z() {
  while (!step_towards_z())
    if (!solve_active()) return false;
  return true;
}

}  // namespace cairn::linear
