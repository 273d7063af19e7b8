#include "problem/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace cairn::problem {

double norm_of_small(int n, const double* x) {
  double sum = 0, largest = 0;
  for (int i = 0; i < n; ++i) {
    sum += x[i];
    largest = std::max(largest, std::abs(x[i]));
  }
  if (!(largest > 0)) return sum;  // zero, or not a number
  sum = 0;
  for (int i = 0; i < n; ++i) sum += (x[i] / largest) * (x[i] / largest);
  return largest * std::sqrt(sum);
}

double ratio(double residual, double scale) {
  return residual == 0 ? 0 : residual / scale;
}

double velocity_scale(double impulse, double velocity) {
  return velocity > 0 ? std::min(impulse, 0x1p10 * velocity) : 0x1p-40 * impulse;
}

void Verdict::worst(double residual, int constraint) {
  if (std::isnan(residual)) certificate.finite = false;
  if (residual > certificate.worst) {
    certificate.worst = residual;
    certificate.worst_constraint = constraint;
  }
}

// rows: an int or a constant.
template <class Rows>
void Verdict::judge_rows(Rows rows, const LawSet& unscaled, int constraint, const double* w,
                         const double* r, const RowScale& s, const Units& units) {
  LawSet set = unscaled;
  set.lo *= s.d;
  set.hi *= s.d;
  Certificate& cert = certificate;
  auto note = [&](double& field, double residual) {
    field = std::max(field, residual);
    worst(residual, constraint);
  };

  // Scaled impulse and velocity; w_hat = w + sigma e_n, (E4).
  double z[max_rows] = {}, p[max_rows], r_s[max_rows] = {}, w_s[max_rows] = {};
  const double inverse = 1 / s.d;  // of a power of two: exact
  for (int k = 0; k < rows; ++k) {
    r_s[k] = s.d * r[k];
    w_s[k] = w[k] * inverse;
    z[k] = r_s[k] - w_s[k];
  }
  const double w_n = w_s[0] + slip_bound(set, w_s);
  w_s[0] = w_n;
  z[0] = r_s[0] - w_n;

  // A scaled impulse or velocity as a speed, over that of the island.
  const auto over_impulse = [&](double x) { return excess(s.kappa * x, s.floor, s.impulse); };
  const auto over_velocity = [&](double x) { return excess(s.kappa * x, s.floor, s.velocity); };

  // Natural map (E16) and distance from the set of allowed impulses.
  project(set, z, p);
  for (int k = 0; k < rows; ++k) p[k] -= r_s[k];
  note(cert.natural_map, over_impulse(norm(rows, p)));
  project(set, r_s, p);
  for (int k = 0; k < rows; ++k) p[k] -= r_s[k];
  note(cert.cone, over_impulse(norm(rows, p)));

  if (set.law == Law::equality) {
    note(cert.equality, over_velocity(norm(rows, w_s)));
    cert.equality_velocity = std::max(cert.equality_velocity, norm(rows, w) * units.speed());
  }
  if (!is_unilateral(set.law)) return;
  double product = 0;
  for (int k = 0; k < rows; ++k) product += r_s[k] * w_s[k];
  // Over the impulse first: squares underflow for an island that hardly moves.
  const double large = std::max(norm(rows, r_s), s.impulse / s.kappa);
  note(cert.complementarity, over_impulse(ratio(std::abs(product), large)));
  note(cert.gap_velocity, over_velocity(std::max(0.0, -w[0] * inverse)));
  note(cert.normal_impulse, over_impulse(std::max(0.0, -r_s[0])));
  const double least_w = w[0] * units.speed(), least_r = r[0] * units.impulse();
  cert.least_gap_velocity = physical_started ? std::min(cert.least_gap_velocity, least_w) : least_w;
  cert.least_normal_impulse =
      physical_started ? std::min(cert.least_normal_impulse, least_r) : least_r;
  cert.complementarity_energy =
      std::max(cert.complementarity_energy, std::abs(product) * units.energy());
  physical_started = true;
}

void Verdict::judge(const LawSet& set, int constraint, const double* w, const double* r,
                    const RowScale& scale, const Units& units) {
  if (set.rows == 3)
    judge_rows(std::integral_constant<int, 3>(), set, constraint, w, r, scale, units);
  else
    judge_rows(set.rows, set, constraint, w, r, scale, units);
}

}  // namespace cairn::problem
