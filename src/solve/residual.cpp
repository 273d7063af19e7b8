#include "solve/residual.hpp"

#include <algorithm>
#include <cmath>

namespace cairn {

void ResidualSum::add(const LawSet& set, const double* r, const double* velocity) {
  double u[max_rows], z[max_rows], p[max_rows];
  std::copy(velocity, velocity + set.rows, u);
  const bool unilateral = set.law == Law::coulomb || set.law == Law::nonnegative;
  if (unilateral) velocity_ = std::max(velocity_, -u[0]);
  u[0] += slip_bound(set, u);
  double sum = 0, impulse = 0, along = 0, speed = 0;
  for (int k = 0; k < set.rows; ++k) {
    z[k] = r[k] - u[k];
    impulse += r[k] * r[k];
    along += r[k] * u[k];
    speed += u[k] * u[k];
  }
  project(set, z, p);
  for (int k = 0; k < set.rows; ++k) sum += (p[k] - r[k]) * (p[k] - r[k]);
  if (!(sum <= natural_)) natural_ = sum;
  scale_ = std::max(scale_, std::sqrt(impulse));
  if (unilateral) product_ = std::max(product_, std::abs(along));
  if (set.law == Law::equality) velocity_ = std::max(velocity_, std::sqrt(speed));
}

double ResidualSum::value(double velocity_scale) const {
  if (natural_ == 0) return 0;
  const double largest =
      velocity_scale > 0 ? std::min(scale_, 0x1p10 * velocity_scale) : 0x1p-40 * scale_;
  return std::max(
      {std::sqrt(natural_) / scale_, velocity_ / largest, product_ / (scale_ * scale_)});
}

}  // namespace cairn
