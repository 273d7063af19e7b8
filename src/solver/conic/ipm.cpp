// The iterations of the interior point method (E48).
#include <cmath>

#include "base/index.hpp"
#include "base/infinity.hpp"
#include "solver/conic/interior_point.hpp"

namespace cairn::solver {
namespace {

constexpr double pin = 1e20;  // Theta of an impulse that may not move

// x' J x = x_0^2 - |x_T|^2, without cancellation where x is near the boundary.
double lorentz(const double* x) {
  const double t = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  return (x[0] - t) * (x[0] + t);
}

// Largest step from x along d that stays in the second-order cone.
double cone_step(const double* x, const double* d) {
  const double a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
  const double b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2], c = lorentz(x);
  const double root = b * b - a * c;
  if (!(root >= 0)) return base::infinity;
  const double denominator = -b + std::sqrt(root);
  return denominator > 0 ? c / denominator : base::infinity;
}

void multiply(const double M[max_rows][max_rows], const double* x, double* y) {
  for (int i = 0; i < 3; ++i) y[i] = M[i][0] * x[0] + M[i][1] * x[1] + M[i][2] * x[2];
}

// The product of the Jordan algebra and its inverse: (a . b, a_0 b_T + b_0 a_T).
void jordan(const double* a, const double* b, double* c) {
  const double first = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  for (int k = 1; k < 3; ++k) c[k] = a[0] * b[k] + b[0] * a[k];
  c[0] = first;
}
void jordan_divide(const double* a, const double* b, double* c) {
  const double first = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / lorentz(a);
  for (int k = 1; k < 3; ++k) c[k] = (b[k] - first * a[k]) / a[0];
  c[0] = first;
}

}  // namespace

double InteriorPoint::residual() {
  coupling_.multiply(b_.interior, b_.u);
  return coupling_.residual(b_.interior, b_.u);
}

// sigma and tau of (E4), smoothed over eps: the kink at rest has no derivative.
void InteriorPoint::smooth_slip(std::size_t i, double eps) {
  const problem::LawSet& set = part(i).set;
  const double* u = row(b_.u, i);
  double* tau = row(b_.tau, i);
  b_.sigma[i] = 0;
  std::fill(tau, tau + set.rows, 0.0);
  if (set.law != Law::coulomb || set.rows == 1 || set.mu == 0) return;
  if (set.rows == 2 || set.corners.empty()) {
    const double across = set.rows == 3 ? u[2] : 0;
    const double speed = std::sqrt(u[1] * u[1] + across * across + eps * eps);
    b_.sigma[i] = set.mu * speed;
    for (int k = 1; k < set.rows; ++k) tau[k] = set.mu * u[k] / speed;
    return;
  }
  // eps log(sum of exp(-d_k . u_T / eps)) for the pyramid.
  const double most = problem::slip_bound(set, u) / set.mu;
  double sum = 0;
  for (const auto& [dx, dy] : set.corners) {
    const double weight = std::exp((-dx * u[1] - dy * u[2] - most) / eps);
    sum += weight;
    tau[1] -= set.mu * weight * dx;
    tau[2] -= set.mu * weight * dy;
  }
  tau[1] /= sum;
  tau[2] /= sum;
  b_.sigma[i] = set.mu * (most + eps * std::log(sum));
}

// The scaling point of Nesterov and Todd: V y = V^-1 x.
void InteriorPoint::scale_cone(std::size_t i) {
  IpmBuffers::Scaling& s = b_.scalings[i];
  const double *x = b_.x.data() + b_.shapes[i].first, *y = b_.y.data() + b_.shapes[i].first;
  const double size_x = std::sqrt(lorentz(x)), size_y = std::sqrt(lorentz(y));
  const double along = (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) / (size_x * size_y);
  const double gamma = std::sqrt(0.5 * (1 + along));
  s.beta = std::sqrt(size_x / size_y);
  for (int k = 0; k < 3; ++k)
    s.w[k] = (x[k] / size_x + (k == 0 ? 1 : -1) * y[k] / size_y) / (2 * gamma);
  const double norm = std::sqrt(2 * (s.w[0] + 1));
  const double v[3] = {(s.w[0] + 1) / norm, s.w[1] / norm, s.w[2] / norm};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      const double J = r != c ? 0 : r == 0 ? 1 : -1;
      const double sign = (r == 0) == (c == 0) ? 1 : -1;  // of J v v^T J
      s.V[r][c] = s.beta * (2 * v[r] * v[c] - J);
      s.V_inverse[r][c] = (2 * sign * v[r] * v[c] - J) / s.beta;
    }
  multiply(s.V, y, s.lambda);
}

// Theta = (I - e_n tau^T) F^T V^-2 F: the factor brings the slip's derivative to W's side.
bool InteriorPoint::form_theta() {
  for (std::size_t i = 0; i < b_.shapes.size(); ++i) {
    const Shape& shape = b_.shapes[i];
    if (part(i).set.law == Law::equality) continue;
    const int rows = part(i).set.rows;
    ThetaBlock& theta = b_.theta[i];
    theta = {};
    if (shape.kind == Kind::cone) {
      const IpmBuffers::Scaling& s = b_.scalings[i];
      const double mu = part(i).set.mu, squared = s.beta * s.beta;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
          const double J = r != c ? 0 : r == 0 ? 1 : -1;
          const double sign = (r == 0) == (c == 0) ? 1 : -1;
          const double T = (r == 0 ? mu : 1) * (c == 0 ? mu : 1);
          theta.value[r][c] = T * (2 * sign * s.w[r] * s.w[c] - J) / squared;
          theta.inverse[r][c] = (2 * s.w[r] * s.w[c] - J) * squared / T;
        }
    } else {
      for (int k = shape.first; k < shape.first + shape.count; ++k) {
        const double* f = b_.facets[base::at(k)].normal;
        const double weight = b_.y[base::at(k)] / b_.x[base::at(k)];
        for (int r = 0; r < rows; ++r)
          for (int c = 0; c < rows; ++c) theta.value[r][c] += weight * f[r] * f[c];
      }
      if (shape.pinned)
        for (int r = shape.count; r < rows; ++r) theta.value[r][r] = pin;
      if (shape.count == 0 && !shape.pinned)
        theta.value[0][0] = 1e-10;  // unbounded: as a bilateral row
      if (!invert(theta, rows)) return false;
    }
    const double* tau = row(b_.tau, i);
    for (int c = 0; c < rows; ++c)
      for (int k = 1; k < rows; ++k) theta.value[0][c] -= tau[k] * theta.value[k][c];
    for (int r = 0; r < rows; ++r)
      for (int k = 1; k < rows; ++k) theta.inverse[r][k] += theta.inverse[r][0] * tau[k];
  }
  return coupling_.factor(b_.theta);
}

// What V dy + V^-1 dx (cone) or x dy + y dx (facet) has to be, as a multiplier: y-like entries.
void InteriorPoint::target(std::size_t i, double centring, bool corrector, double* t) const {
  const Shape& shape = b_.shapes[i];
  const double *x = b_.x.data() + shape.first, *y = b_.y.data() + shape.first;
  const double *dx = b_.dx.data() + shape.first, *dy = b_.dy.data() + shape.first;
  if (shape.kind != Kind::cone) {
    for (int k = 0; k < shape.count; ++k)
      t[k] = (centring - x[k] * y[k] - (corrector ? dx[k] * dy[k] : 0)) / x[k];
    return;
  }
  const IpmBuffers::Scaling& s = b_.scalings[i];
  double rest[3], scaled[3];
  jordan(s.lambda, s.lambda, rest);
  for (double& value : rest) value = -value;
  rest[0] += centring;
  if (corrector) {
    double a[3], b[3], second[3];
    multiply(s.V_inverse, dx, a);
    multiply(s.V, dy, b);
    jordan(a, b, second);
    for (int k = 0; k < 3; ++k) rest[k] -= second[k];
  }
  jordan_divide(s.lambda, rest, scaled);
  multiply(s.V_inverse, scaled, t);
}

// F^T (y + target) - u_hat, times (I - e_n tau^T); bilateral rows: -u.
void InteriorPoint::right_hand_side(double centring, bool corrector) {
  for (std::size_t i = 0; i < b_.shapes.size(); ++i) {
    const Shape& shape = b_.shapes[i];
    const int rows = part(i).set.rows;
    const double *u = row(b_.u, i), *tau = row(b_.tau, i);
    double* rest = row(b_.rest, i);
    double* t = b_.target.data() + shape.first;
    for (int r = 0; r < rows; ++r) rest[r] = -u[r];
    if (shape.kind == Kind::bilateral) continue;
    rest[0] -= b_.sigma[i];
    target(i, centring, corrector, t);
    for (int k = 0; k < shape.count; ++k) {
      const double value = b_.y[base::at(shape.first + k)] + t[k];
      if (shape.kind == Kind::cone) {
        rest[k] += (k == 0 ? part(i).set.mu : 1) * value;
        continue;
      }
      for (int r = 0; r < rows; ++r)
        rest[r] += b_.facets[base::at(shape.first + k)].normal[r] * value;
    }
    if (shape.pinned)
      for (int r = shape.count; r < rows; ++r) rest[r] = 0;
    for (int r = 1; r < rows; ++r) rest[0] -= tau[r] * rest[r];
  }
}

// dr = (W + Theta)^-1 rest with one step of refinement.
void InteriorPoint::solve_refined() {
  b_.dr = b_.rest;
  coupling_.solve(b_.dr);
  coupling_.multiply(b_.dr, b_.product);
  const std::vector<double>& q = coupling_.q();
  for (std::size_t i = 0; i < b_.shapes.size(); ++i) {
    const int rows = part(i).set.rows;
    const double* dr = row(b_.dr, i);
    for (int r = 0; r < rows; ++r) {
      const std::size_t k = base::at(part(i).first + r);
      double sum = b_.product[k] - q[k];
      for (int c = 0; c < rows; ++c) sum += b_.theta[i].value[r][c] * dr[c];
      b_.correction[k] = b_.rest[k] - sum;
    }
  }
  coupling_.solve(b_.correction);
  for (std::size_t k = 0; k < b_.dr.size(); ++k) b_.dr[k] += b_.correction[k];
}

// dr, then dx = F dr and dy = target - V^-2 dx.
void InteriorPoint::directions(double centring, bool corrector) {
  right_hand_side(centring, corrector);
  solve_refined();
  for (std::size_t i = 0; i < b_.shapes.size(); ++i) {
    const Shape& shape = b_.shapes[i];
    const double* dr = row(b_.dr, i);
    const double* t = b_.target.data() + shape.first;
    double *dx = b_.dx.data() + shape.first, *dy = b_.dy.data() + shape.first;
    if (shape.kind == Kind::cone) {
      const IpmBuffers::Scaling& s = b_.scalings[i];
      double once[3], twice[3];
      dx[0] = part(i).set.mu * dr[0];
      dx[1] = dr[1];
      dx[2] = dr[2];
      multiply(s.V_inverse, dx, once);
      multiply(s.V_inverse, once, twice);
      for (int k = 0; k < 3; ++k) dy[k] = t[k] - twice[k];
      continue;
    }
    for (int k = 0; k < shape.count; ++k) {
      const std::size_t entry = base::at(shape.first + k);
      dx[k] = 0;
      for (int r = 0; r < part(i).set.rows; ++r) dx[k] += b_.facets[entry].normal[r] * dr[r];
      dy[k] = t[k] - b_.y[entry] / b_.x[entry] * dx[k];
    }
  }
}

double InteriorPoint::longest_step() const {
  double step = base::infinity;
  for (const Shape& shape : b_.shapes) {
    const double *x = b_.x.data() + shape.first, *dx = b_.dx.data() + shape.first;
    const double *y = b_.y.data() + shape.first, *dy = b_.dy.data() + shape.first;
    if (shape.kind == Kind::cone) {
      step = std::min({step, cone_step(x, dx), cone_step(y, dy)});
      continue;
    }
    for (int k = 0; k < shape.count; ++k) {
      if (dx[k] < 0) step = std::min(step, -x[k] / dx[k]);
      if (dy[k] < 0) step = std::min(step, -y[k] / dy[k]);
    }
  }
  return step;
}

bool InteriorPoint::iterate() {
  gap_ = dot(b_.x, b_.y);
  const double mean = degree_ > 0 ? gap_ / degree_ : 0;
  for (std::size_t i = 0; i < b_.shapes.size(); ++i) {
    smooth_slip(i, 0.01 * std::sqrt(mean));
    if (b_.shapes[i].kind == Kind::cone) scale_cone(i);
  }
  if (!form_theta()) return false;

  // Predictor straight at the solution; how far it gets decides on the centring.
  directions(0, false);
  const double affine = std::min(1.0, longest_step());
  double reached = 0;
  for (std::size_t k = 0; k < b_.x.size(); ++k)
    reached += (b_.x[k] + affine * b_.dx[k]) * (b_.y[k] + affine * b_.dy[k]);
  if (degree_ > 0) {
    const double ratio = std::max(0.0, reached) / gap_;
    directions(std::clamp(ratio * ratio * ratio, 1e-6, 1.0) * mean, true);
  }
  const double step = std::min(1.0, (0.9 + 0.0995 * affine) * longest_step());
  for (std::size_t k = 0; k < b_.interior.size(); ++k) b_.interior[k] += step * b_.dr[k];
  for (std::size_t k = 0; k < b_.y.size(); ++k) b_.y[k] += step * b_.dy[k];
  slacks();
  // Rounding may carry a slack over the boundary that the step did not reach.
  for (const Shape& shape : b_.shapes) {
    const double *x = b_.x.data() + shape.first, *y = b_.y.data() + shape.first;
    if (shape.kind == Kind::cone && !(lorentz(x) > 0 && lorentz(y) > 0)) return false;
    for (int k = 0; k < shape.count && shape.kind == Kind::facets; ++k)
      if (!(x[k] > 0 && y[k] > 0)) return false;
  }
  return step > 1e-10;
}

IterationResult ipm(Coupling& coupling, const IpmLimits& limits, IpmBuffers& buffers,
                    std::vector<double>& r) {
  BestIterate best(coupling, buffers.best);
  coupling.multiply(r, buffers.u);
  best.offer(r, buffers.u);
  IterationResult result{0, best.value()};
  InteriorPoint method(coupling, buffers);
  if (best.value() <= limits.tolerance || !method.start()) return result;
  method.residual();
  double watched = base::infinity, lowest = base::infinity;
  while (result.iterations < limits.iterations && !(best.value() <= limits.tolerance)) {
    if (coupling.interrupted(coupling.factor_work() + 3 * coupling.solve_work())) break;
    ++result.iterations;
    if (!method.iterate()) break;
    const double now = method.residual();
    if (!std::isfinite(now)) break;
    best.offer(buffers.interior, buffers.u);
    lowest = std::min(lowest, now);
    if (result.iterations % 5 != 0) continue;
    if (lowest > 0.7 * watched) break;  // five iterations without a third of progress
    watched = lowest;
  }
  r = best.impulses();
  result.residual = best.value();
  return result;
}

}  // namespace cairn::solver
