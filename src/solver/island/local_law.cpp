#include "solver/island/local_law.hpp"

#include <algorithm>
#include <cmath>

#include "linear/blocks.hpp"
#include "solver/island/relaxed_law.hpp"

namespace cairn::solver {
namespace {

// Solves the n x n system W x = y, n <= 3, by elimination with pivoting; false if W is numerically
// singular.
bool solve_small(const double W[max_rows][max_rows], int n, const double* y, double* x) {
  double work[max_rows][max_rows + 1];
  double largest = 0;
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) {
      work[r][c] = W[r][c];
      largest = std::max(largest, std::abs(W[r][c]));
    }
    work[r][n] = y[r];
  }
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int r = c + 1; r < n; ++r)
      if (std::abs(work[r][c]) > std::abs(work[pivot][c])) pivot = r;
    if (!(std::abs(work[pivot][c]) > 1e-12 * largest)) return false;
    if (pivot != c) std::swap_ranges(work[c], work[c] + n + 1, work[pivot]);
    for (int r = c + 1; r < n; ++r) {
      const double factor = work[r][c] / work[c][c];
      for (int k = c; k <= n; ++k) work[r][k] -= factor * work[c][k];
    }
  }
  for (int r = n - 1; r >= 0; --r) {
    x[r] = work[r][n];
    for (int c = r + 1; c < n; ++c) x[r] -= work[r][c] * x[c];
    x[r] /= work[r][r];
  }
  return true;
}

// Sliding on a ray: r = r_n (1, mu d), u_n = 0.
bool slide_on_ray(const LocalConstraint& g, const double* s, const double* d, double* r) {
  double along = g.W[0][0];
  for (int k = 1; k < g.rows; ++k) along += g.set.mu * g.W[0][k] * d[k];
  if (!(along > 0)) return false;
  r[0] = -s[0] / along;
  for (int k = 1; k < g.rows; ++k) r[k] = g.set.mu * r[0] * d[k];
  return true;
}

bool slide_in_plane(const LocalConstraint& g, const double* s, double* r) {
  for (const double side : {1.0, -1.0}) {
    const double d[3] = {0, side, 0};
    double trial[3];
    if (slide_on_ray(g, s, d, trial) && side * local_velocity(g, s, trial, 1) <= 0) {
      std::copy(trial, trial + 2, r);
      return true;
    }
  }
  return false;
}

// Exact cone: r_T = -c / (A + alpha) with A = W_TT - w w^T / w_nn diagonalised, alpha >= 0 such
// that |r_T| = mu r_n.
bool slide_on_cone(const LocalConstraint& g, const double* s, double* r) {
  const auto& [co, si, l1, l2, mean, m1, m2, q1, q2] = factors_of(g).slide;
  const double mu = g.set.mu, b0 = -s[0] / g.W[0][0];
  const double c1 = s[1] - m1 * s[0], c2 = s[2] - m2 * s[0];
  const double e1 = -(co * c1 + si * c2), e2 = -(-si * c1 + co * c2);

  // f(alpha) = |x| - mu r_n; positive at alpha = 0 (sticking failed), negative for large alpha.
  // Newton on 1/|x| - 1/(mu r_n), nearly linear in alpha, inside a bracket.
  double lo = 0, hi = 0, alpha = 0, x1 = 0, x2 = 0, r_n = 0;
  bool bracketed = false;
  // From the last impulse, x (l + alpha) = e along x; else from the size of e.
  const double y1 = co * r[1] + si * r[2], y2 = -si * r[1] + co * r[2];
  double first = (y1 * (e1 - l1 * y1) + y2 * (e2 - l2 * y2)) / (y1 * y1 + y2 * y2);
  if (!(first > 0)) first = std::sqrt(e1 * e1 + e2 * e2) / (mu * b0) - std::min(l1, l2);
  alpha = std::isfinite(first) && first > 0 ? first : 0.5 * mean;
  for (int i = 0; i < 100; ++i) {
    const double i1 = 1 / (l1 + alpha), i2 = 1 / (l2 + alpha);
    x1 = e1 * i1;
    x2 = e2 * i2;
    r_n = b0 - q1 * x1 - q2 * x2;
    const double xx = x1 * x1 + x2 * x2, x = std::sqrt(xx), f = x - mu * r_n;
    if (std::abs(f) <= 4e-16 * (x + mu * std::abs(r_n))) break;
    if (f > 0) {
      lo = alpha;
    } else {
      hi = alpha;
      bracketed = true;
    }
    double next = -1;
    if (r_n > 0) {
      // Value and slope of 1/|x| - 1/(mu r_n), both times |x|^3 mu r_n^2.
      const double dx = x1 * x1 * i1 + x2 * x2 * i2, dr = q1 * x1 * i1 + q2 * x2 * i2;
      next = alpha + f * xx * r_n / (dx * mu * r_n * r_n + dr * xx * x);
    }
    if (!(next > lo) || (bracketed && !(next < hi)))
      next = bracketed ? 0.5 * (lo + hi) : 2 * alpha + mean;
    if (next == alpha) break;
    alpha = next;
  }
  if (!(r_n >= 0)) return false;
  r[0] = r_n;
  r[1] = co * x1 - si * x2;
  r[2] = si * x1 + co * x2;
  return true;
}

// W of other programs is not quite symmetric; beyond rounding the closed form above must not be
// taken.
bool is_symmetric(const LocalConstraint& g) {
  const double enough = 1e-14 * (g.W[0][0] + g.W[1][1] + g.W[2][2]);
  return std::abs(g.W[0][1] - g.W[1][0]) <= enough && std::abs(g.W[0][2] - g.W[2][0]) <= enough &&
         std::abs(g.W[1][2] - g.W[2][1]) <= enough;
}

// The same with any W: (W_TT - w_Tn w_nT / w_nn + alpha) r_T = -(s_T - w_Tn s_n / w_nn), the root
// of |r_T| = mu r_n in alpha by Newton inside a bracket.
bool slide_on_skew_cone(const LocalConstraint& g, const double* s, double* r) {
  const double w_nn = g.W[0][0], mu = g.set.mu;
  double A[2][2], c[2], m[2];
  for (int i = 0; i < 2; ++i) {
    m[i] = g.W[0][i + 1] / w_nn;
    c[i] = s[i + 1] - g.W[i + 1][0] * s[0] / w_nn;
    for (int j = 0; j < 2; ++j) A[i][j] = g.W[i + 1][j + 1] - g.W[i + 1][0] * g.W[0][j + 1] / w_nn;
  }
  const double b0 = -s[0] / w_nn, mean = 0.5 * (std::abs(A[0][0]) + std::abs(A[1][1]));
  auto solve = [&](double alpha, const double* y, double* x) {
    const double a = A[0][0] + alpha, d = A[1][1] + alpha, det = a * d - A[0][1] * A[1][0];
    x[0] = (d * y[0] - A[0][1] * y[1]) / det;
    x[1] = (a * y[1] - A[1][0] * y[0]) / det;
  };
  double lo = 0, hi = 0, x[2], slope_x[2], r_n = 0;
  bool bracketed = false;
  const double minus_c[2] = {-c[0], -c[1]};
  double alpha = std::sqrt(c[0] * c[0] + c[1] * c[1]) / (mu * b0) - mean;
  if (!std::isfinite(alpha) || !(alpha > 0)) alpha = 0.5 * mean;
  for (int i = 0; i < 100; ++i) {
    solve(alpha, minus_c, x);
    r_n = b0 - m[0] * x[0] - m[1] * x[1];
    const double size = std::sqrt(x[0] * x[0] + x[1] * x[1]), f = size - mu * r_n;
    if (std::abs(f) <= 4e-16 * (size + mu * std::abs(r_n))) break;
    if (f > 0) {
      lo = alpha;
    } else {
      hi = alpha;
      bracketed = true;
    }
    double next = -1;
    if (r_n > 0) {
      solve(alpha, x, slope_x);  // minus the derivative of x
      const double dx = -(x[0] * slope_x[0] + x[1] * slope_x[1]) / size;
      const double dr = m[0] * slope_x[0] + m[1] * slope_x[1];
      const double value = 1 / size - 1 / (mu * r_n);
      next = alpha - value / (-dx / (size * size) + dr / (mu * r_n * r_n));
    }
    if (!(next > lo) || (bracketed && !(next < hi)))
      next = bracketed ? 0.5 * (lo + hi) : 2 * alpha + mean;
    if (next == alpha) break;
    alpha = next;
  }
  if (!(r_n >= 0) || !std::isfinite(x[0] + x[1])) return false;
  r[0] = r_n;
  r[1] = x[0];
  r[2] = x[1];
  return true;
}

// Pyramid: the friction impulse sits on a vertex, or on an edge across which the slip velocity
// points.
bool slide_on_pyramid(const LocalConstraint& g, const double* s, double* r) {
  const int k = static_cast<int>(g.set.corners.size());
  const double mu = g.set.mu;
  auto direction = [&](int i, double* d) {
    const Corner& corner = g.set.corners[static_cast<std::size_t>((i + k) % k)];
    d[0] = 0;
    d[1] = corner[0];
    d[2] = corner[1];
  };
  for (int i = 0; i < k; ++i) {
    double d[3], before[3], after[3], trial[3];
    direction(i, d);
    direction(i - 1, before);
    direction(i + 1, after);
    if (!slide_on_ray(g, s, d, trial)) continue;
    const double u1 = local_velocity(g, s, trial, 1), u2 = local_velocity(g, s, trial, 2);
    auto power = [&](const double* e) { return -(e[1] * u1 + e[2] * u2); };
    if (power(d) >= power(before) && power(d) >= power(after) && power(d) >= 0) {
      std::copy(trial, trial + 3, r);
      return true;
    }
  }
  for (int i = 0; i < k; ++i) {
    // r = p (1, mu d) + q (1, mu e), p, q >= 0; u_n = 0 and u_T across the edge.
    double d[3], e[3];
    direction(i, d);
    direction(i + 1, e);
    double g1[3] = {1, mu * d[1], mu * d[2]}, g2[3] = {1, mu * e[1], mu * e[2]}, w1[3], w2[3];
    for (int row = 0; row < 3; ++row) {
      w1[row] = g.W[row][0] * g1[0] + g.W[row][1] * g1[1] + g.W[row][2] * g1[2];
      w2[row] = g.W[row][0] * g2[0] + g.W[row][1] * g2[1] + g.W[row][2] * g2[2];
    }
    const double t1 = e[1] - d[1], t2 = e[2] - d[2];
    const double A[max_rows][max_rows] = {
        {w1[0], w2[0], 0}, {t1 * w1[1] + t2 * w1[2], t1 * w2[1] + t2 * w2[2], 0}, {0, 0, 0}};
    const double y[2] = {-s[0], -(t1 * s[1] + t2 * s[2])};
    double x[2];
    if (!solve_small(A, 2, y, x) || !(x[0] >= 0) || !(x[1] >= 0)) continue;
    const double u1 = s[1] + w1[1] * x[0] + w2[1] * x[1], u2 = s[2] + w1[2] * x[0] + w2[2] * x[1];
    if (-(d[1] + e[1]) * u1 - (d[2] + e[2]) * u2 < 0) continue;
    for (int row = 0; row < 3; ++row) r[row] = g1[row] * x[0] + g2[row] * x[1];
    return true;
  }
  return false;
}

// A step of the projection iteration: for W_ii too degenerate for the closed forms.
void projected_step(const LocalConstraint& g, const double* s, double* r) {
  double z[max_rows], u[max_rows], trace = 0;
  for (int k = 0; k < g.rows; ++k) trace += g.W[k][k];
  if (!(trace > 0)) return;
  for (int k = 0; k < g.rows; ++k) u[k] = local_velocity(g, s, r, k);
  u[0] += problem::slip_bound(g.set, u);
  for (int k = 0; k < g.rows; ++k) z[k] = r[k] - u[k] / trace;
  problem::project(g.set, z, r);
}

bool inside_cone(const problem::LawSet& set, const double* r) {
  if (set.rows == 2) return std::abs(r[1]) <= set.mu * r[0];
  if (set.corners.empty()) return std::sqrt(r[1] * r[1] + r[2] * r[2]) <= set.mu * r[0];
  double p[max_rows];
  problem::project(set, r, p);
  return std::equal(r, r + set.rows, p);
}

// The impulse that stops all motion.
void sticking(const LocalConstraint& g, const double* s, double* r) {
  const auto& stick = factors_of(g).stick;
  for (int i = 0; i < g.rows; ++i) {
    r[i] = 0;
    for (int k = 0; k < g.rows; ++k) r[i] -= stick[i][k] * s[k];
  }
}

void solve_cone(const LocalConstraint& g, const double* s, double* r) {
  if (problem::opening_speed(g.set, s) >= 0) {
    std::fill(r, r + g.rows, 0.0);
    return;
  }
  double stick[max_rows];
  if (factors_of(g).regular) {
    sticking(g, s, stick);
    if (inside_cone(g.set, stick)) {
      std::copy(stick, stick + g.rows, r);
      return;
    }
  }
  if (g.set.mu == 0 && g.W[0][0] > 0) {
    std::fill(r, r + g.rows, 0.0);
    r[0] = -s[0] / g.W[0][0];
    return;
  }
  bool found = false;
  if (g.W[0][0] > 0 && factors_of(g).regular && g.set.law == Law::coulomb_relaxed) {
    found = slide_relaxed(g, s, r);
  } else if (g.W[0][0] > 0 && factors_of(g).regular) {
    if (g.rows == 2)
      found = slide_in_plane(g, s, r);
    else if (!g.set.corners.empty())
      found = slide_on_pyramid(g, s, r);
    else
      found = factors_of(g).symmetric ? slide_on_cone(g, s, r) : slide_on_skew_cone(g, s, r);
  }
  if (!found) projected_step(g, s, r);
}

// Two rows in a disc of radius R (E243): the impulse that stops all motion, or on the circle
// (W + alpha) r = -s, alpha >= 0 such that |r| = R, by Newton on 1/|r| - 1/R inside a bracket.
void solve_disc(const LocalConstraint& g, const double* s, double* r) {
  const double R = g.set.hi;
  const int n = g.rows;
  const auto size_of = [n](const double* x) {
    return n == 1 ? std::abs(x[0]) : std::sqrt(x[0] * x[0] + x[1] * x[1]);
  };
  if (factors_of(g).regular) {
    double stick[max_rows] = {};
    sticking(g, s, stick);
    if (size_of(stick) <= R) {
      std::copy(stick, stick + n, r);
      return;
    }
  }
  if (!(R > 0) || !(size_of(s) > 0)) {
    std::fill(r, r + n, 0.0);
    return;
  }
  double lo = 0, hi = size_of(s) / R, alpha = hi;
  for (int i = 0; i < 100; ++i) {
    double W[max_rows][max_rows], minus[2], x[2], slope[2];
    for (int k = 0; k < n; ++k) {
      std::copy(g.W[k], g.W[k] + n, W[k]);
      W[k][k] += alpha;
      minus[k] = -s[k];
    }
    if (!solve_small(W, n, minus, x) || !solve_small(W, n, x, slope)) break;
    const double size = size_of(x), f = size - R;
    std::copy(x, x + n, r);
    if (std::abs(f) <= 4e-16 * R) break;
    (f > 0 ? lo : hi) = alpha;
    double fall = 0;  // - d|x|/d alpha
    for (int k = 0; k < n; ++k) fall += x[k] * slope[k] / size;
    double next = alpha + f * size / (R * fall);
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (next == alpha) break;
    alpha = next;
  }
  double p[max_rows];
  problem::project(g.set, r, p);
  std::copy(p, p + n, r);
}

SlidePlane slide_plane(const LocalConstraint& g) {
  SlidePlane p;
  p.m1 = g.W[0][1] / g.W[0][0];
  p.m2 = g.W[0][2] / g.W[0][0];
  const double a11 = g.W[1][1] - g.W[0][1] * p.m1, a22 = g.W[2][2] - g.W[0][2] * p.m2,
               a12 = g.W[1][2] - g.W[0][1] * p.m2;
  const double half = 0.5 * (a11 - a22);
  const double spread = std::sqrt(half * half + a12 * a12);
  // Half the angle of (half, a12), from its larger part.
  const double cos2 = spread > 0 ? half / spread : 1, sin2 = spread > 0 ? a12 / spread : 0;
  const double larger = std::sqrt(0.5 * (1 + std::abs(cos2))), smaller = 0.5 * sin2 / larger;
  p.mean = 0.5 * (a11 + a22);
  p.co = cos2 >= 0 ? larger : std::abs(smaller);
  p.si = cos2 >= 0 ? smaller : std::copysign(larger, sin2);
  p.l1 = std::max(0.0, p.mean + spread);
  p.l2 = std::max(0.0, p.mean - spread);
  p.q1 = p.co * p.m1 + p.si * p.m2;
  p.q2 = -p.si * p.m1 + p.co * p.m2;
  return p;
}

bool invert_any(const LocalConstraint& g, double (&inverse)[max_rows][max_rows]) {
  linear::BodyBlock block = {}, out;
  for (int r = 0; r < g.rows; ++r)
    for (int c = 0; c < g.rows; ++c) block[r][c] = g.W[r][c];
  if (!linear::invert(block, g.rows, out)) return false;
  for (int r = 0; r < g.rows; ++r)
    for (int c = 0; c < g.rows; ++c) inverse[r][c] = out[r][c];
  return true;
}

// By W = L D L^T; false if W is not positive.
bool invert_symmetric(const double (&W)[max_rows][max_rows],
                      double (&inverse)[max_rows][max_rows]) {
  const double i0 = 1 / W[0][0], a = W[1][0] * i0, b = W[2][0] * i0;
  const double d1 = W[1][1] - a * W[1][0], i1 = 1 / d1, e = W[2][1] - b * W[1][0], c = e * i1;
  const double d2 = W[2][2] - b * W[2][0] - c * e, i2 = 1 / d2;
  if (!(W[0][0] > 0) || !(d1 > 0) || !(d2 > 0) || !std::isfinite(i0 + i1 + i2)) return false;
  // L^-1 = [1; -a 1; ac - b -c 1].
  const double f = a * c - b;
  inverse[2][2] = i2;
  inverse[1][2] = inverse[2][1] = -c * i2;
  inverse[0][2] = inverse[2][0] = f * i2;
  inverse[1][1] = i1 + c * c * i2;
  inverse[0][1] = inverse[1][0] = -a * i1 - c * f * i2;
  inverse[0][0] = i0 + a * a * i1 + f * f * i2;
  return true;
}

}  // namespace

// A pivot below rounding says that W is singular.
void find_factors(const LocalConstraint& g, LocalFactors& f) {
  double largest = 0, most = 0;
  f.known = true;
  f.symmetric = g.rows < 3 || is_symmetric(g);
  f.regular = g.rows == 3 && f.symmetric ? invert_symmetric(g.W, f.stick) : invert_any(g, f.stick);
  for (int r = 0; r < g.rows && f.regular; ++r) {
    f.regular = f.stick[r][r] > 0;
    largest = std::max(largest, g.W[r][r]);
    most = std::max(most, f.stick[r][r]);
  }
  f.regular = f.regular && 1 / most > 1e-12 * largest;
  if (g.rows == 3 && g.set.law == Law::coulomb && g.set.corners.empty() && f.regular && f.symmetric)
    f.slide = slide_plane(g);
}

void solve_local(const LocalConstraint& g, const double* s, double* r) {
  switch (g.set.law) {
    case Law::equality: {
      if (factors_of(g).regular)
        sticking(g, s, r);
      else
        projected_step(g, s, r);
      return;
    }
    case Law::nonnegative:
      r[0] = g.W[0][0] > 0 ? std::max(0.0, -s[0] / g.W[0][0]) : 0;
      return;
    case Law::box:
      r[0] = std::clamp(g.W[0][0] > 0 ? -s[0] / g.W[0][0] : 0.0, g.set.lo, g.set.hi);
      return;
    case Law::disc:
      solve_disc(g, s, r);
      return;
    case Law::coulomb:
    case Law::coulomb_relaxed:
      solve_cone(g, s, r);
      return;
  }
}

}  // namespace cairn::solver
