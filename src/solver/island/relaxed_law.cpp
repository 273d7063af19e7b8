#include "solver/island/relaxed_law.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::solver {
namespace {

// Least of f on the ray along g.
double least_on_ray(const LocalConstraint& g, const double* s, const double* ray, double* r) {
  double slope = 0, curvature = 0;
  for (int i = 0; i < g.rows; ++i) {
    slope += s[i] * ray[i];
    for (int k = 0; k < g.rows; ++k) curvature += ray[i] * g.W[i][k] * ray[k];
  }
  const double length = std::max(0.0, -slope / curvature);
  for (int i = 0; i < g.rows; ++i) r[i] = length * ray[i];
  return length;
}

// With polyhedral cones: on a ray if f does not fall towards its neighbours, else inside a facet.
bool relaxed_on_polyhedron(const LocalConstraint& g, const double* s, double* r) {
  static constexpr Corner wedge[2] = {{1, 0}, {-1, 0}};
  const std::span<const Corner> corners = g.rows == 2 ? wedge : g.set.corners;
  const int k = static_cast<int>(corners.size());
  auto generator = [&](int i, double* ray) {
    const Corner& corner = corners[static_cast<std::size_t>((i + k) % k)];
    ray[0] = 1;
    ray[1] = g.set.mu * corner[0];
    ray[2] = g.set.mu * corner[1];
  };
  auto speed_along = [&](const double* ray, const double* trial) {
    double sum = 0;
    for (int i = 0; i < g.rows; ++i) sum += ray[i] * local_velocity(g, s, trial, i);
    return sum;
  };
  double ray[3], next[3], before[3], trial[3];
  for (int i = 0; i < k; ++i) {
    generator(i, ray);
    generator(i + 1, next);
    generator(i - 1, before);
    if (!(least_on_ray(g, s, ray, trial) > 0)) continue;
    if (speed_along(next, trial) < 0 || speed_along(before, trial) < 0) continue;
    std::copy(trial, trial + g.rows, r);
    return true;
  }
  for (int i = 0; i < k && g.rows == 3; ++i) {
    generator(i, ray);
    generator(i + 1, next);
    // r = a (ray + next) + b (next - ray), |b| <= a: well conditioned where the two are close.
    double A[2][2] = {}, y[2] = {}, basis[2][3];
    for (int row = 0; row < 3; ++row) {
      basis[0][row] = next[row] + ray[row];
      basis[1][row] = next[row] - ray[row];
    }
    for (int a = 0; a < 2; ++a)
      for (int row = 0; row < 3; ++row) {
        y[a] -= basis[a][row] * s[row];
        for (int b = 0; b < 2; ++b)
          for (int c = 0; c < 3; ++c) A[a][b] += basis[a][row] * g.W[row][c] * basis[b][c];
      }
    const double determinant = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    const double along = (y[0] * A[1][1] - A[0][1] * y[1]) / determinant;
    const double across = (A[0][0] * y[1] - A[1][0] * y[0]) / determinant;
    if (!(std::abs(across) <= along)) continue;
    for (int row = 0; row < 3; ++row) trial[row] = along * basis[0][row] + across * basis[1][row];
    if (local_velocity(g, s, trial, 0) < 0) continue;  // the facet's inner normal leans along n
    std::copy(trial, trial + 3, r);
    return true;
  }
  return false;
}

// Exact cone, from the direction of the last impulse: with g = (1, mu d(phi)), p = s . g and
// m = g . W g the least over r_n is f = -p^2 / (2 m); Newton on 2 p' m - p m' = 0.
bool relaxed_by_angle(const LocalConstraint& g, const double* s, double* r) {
  const double mu = g.set.mu;
  double dx = r[1], dy = r[2];
  if (dx == 0 && dy == 0) {
    dx = -s[1];
    dy = -s[2];
  }
  for (int i = 0; i < 8; ++i) {
    const double size = std::sqrt(dx * dx + dy * dy);
    if (!(size > 0)) return false;
    dx /= size;
    dy /= size;
    const double ray[3] = {1, mu * dx, mu * dy}, ex = -dy, ey = dx;
    double y[3];
    for (int k = 0; k < 3; ++k) y[k] = g.W[k][0] * ray[0] + g.W[k][1] * ray[1] + g.W[k][2] * ray[2];
    const double p = s[0] + s[1] * ray[1] + s[2] * ray[2];
    const double m = y[0] + ray[1] * y[1] + ray[2] * y[2];
    const double p1 = mu * (s[1] * ex + s[2] * ey), p2 = -mu * (s[1] * dx + s[2] * dy);
    const double m1 = 2 * mu * (ex * y[1] + ey * y[2]);
    const double across =
        ex * ex * g.W[1][1] + 2 * ex * ey * g.W[1][2] + ey * ey * g.W[2][2];  // e . W_TT e
    const double m2 = 2 * (mu * mu * across - mu * (dx * y[1] + dy * y[2]));
    const double value = 2 * p1 * m - p * m1, slope = 2 * p2 * m + p1 * m1 - p * m2;
    if (!(p < 0) || !(slope > 0)) return false;
    const double turn = -value / slope;
    if (std::abs(turn) <= 4e-16 || (i > 3 && std::abs(turn) <= 4e-15)) {
      const double r_n = -p / m;
      // A minimum on the boundary is the one over the cone if the velocity opposes the impulse.
      if ((s[1] + r_n * y[1]) * dx + (s[2] + r_n * y[2]) * dy > 0) return false;
      for (int k = 0; k < 3; ++k) r[k] = r_n * ray[k];
      return true;
    }
    if (std::abs(turn) > 1) return false;
    dx += turn * ex;
    dy += turn * ey;
  }
  return false;
}

// Exact cone, from anywhere: bisection on the increasing function t -> u_n - mu alpha |r_T| of
// (E40), refined by the secant; r_T and alpha for a given t as in slide_on_cone.
bool relaxed_by_normal(const LocalConstraint& g, const double* s, double* r) {
  const double mu = g.set.mu;
  const double half = 0.5 * (g.W[1][1] - g.W[2][2]), mean = 0.5 * (g.W[1][1] + g.W[2][2]);
  const double spread = std::sqrt(half * half + g.W[1][2] * g.W[1][2]);
  const double angle = spread > 0 ? 0.5 * std::atan2(g.W[1][2], half) : 0;
  const double co = std::cos(angle), si = std::sin(angle);
  const double l1 = mean + spread, l2 = std::max(0.0, mean - spread);
  auto slope = [&](double t) {
    const double c1 = s[1] + g.W[0][1] * t, c2 = s[2] + g.W[0][2] * t;
    const double e1 = -(co * c1 + si * c2), e2 = -(-si * c1 + co * c2);
    const double radius = mu * t;
    // |x(alpha)| = radius, alpha >= 0; 1/|x| is nearly linear in alpha.
    double alpha = 0, x1 = e1 / l1, x2 = e2 / l2;
    for (int i = 0; i < 60; ++i) {
      x1 = e1 / (l1 + alpha);
      x2 = e2 / (l2 + alpha);
      const double x = std::sqrt(x1 * x1 + x2 * x2);
      if (!(x > radius * (1 + 4e-16))) break;
      const double dx = (x1 * x1 / (l1 + alpha) + x2 * x2 / (l2 + alpha)) / x;
      const double next = alpha + (x / radius - 1) * x / dx;
      if (!(next > alpha)) break;
      alpha = next;
    }
    r[0] = t;
    r[1] = co * x1 - si * x2;
    r[2] = si * x1 + co * x2;
    return s[0] + g.W[0][0] * t + g.W[0][1] * r[1] + g.W[0][2] * r[2] - mu * alpha * radius;
  };
  double lo = 0, hi = std::abs(s[0]) / g.W[0][0] + std::abs(s[1]) + std::abs(s[2]);
  int doublings = 0;
  while (!(slope(hi) >= 0) && ++doublings < 200) hi *= 2;
  if (doublings == 200) return false;
  double at_lo = s[0] - mu * std::sqrt(s[1] * s[1] + s[2] * s[2]), at_hi = slope(hi);
  for (int i = 0; i < 200; ++i) {
    const double secant = lo + (hi - lo) * (-at_lo) / (at_hi - at_lo);
    const double t = i % 2 == 0 && secant > lo && secant < hi ? secant : 0.5 * (lo + hi);
    if (!(t > lo && t < hi)) break;
    const double value = slope(t);
    if (value == 0) break;
    (value < 0 ? lo : hi) = t;
    (value < 0 ? at_lo : at_hi) = value;
    if (hi - lo <= 4e-16 * hi) break;
  }
  return true;
}

}  // namespace

bool slide_relaxed(const LocalConstraint& g, const double* s, double* r) {
  if (g.rows == 2 || !g.set.corners.empty()) return relaxed_on_polyhedron(g, s, r);
  return relaxed_by_angle(g, s, r) || relaxed_by_normal(g, s, r);
}

}  // namespace cairn::solver
