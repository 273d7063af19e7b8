// (E50). Outer: r <- P(r - rho (u + sigma e_n)), a proximal step, so that a singular W needs no
// ridge. Inner: Newton on y = P(r - rho (W y + q + sigma e_n)), with the matrix
// I + rho D (I + e_n tau^T) W over the constraints whose D is not zero; W enters whole, symmetric
// or not. sigma is frozen and the step found by an exact line search far from the solution; near it
// the derivative of sigma joins the matrix. u follows y by steps of W dy: under a heavy body y is
// large and u small, and u = W y + q would lose the digits that rho needs.
#include "solve/newton_reduced.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace cairn {
namespace {

class Inner {
 public:
  Inner(const ReducedIsland& island, ReducedNewtonBuffers& buffers, double initial_rho)
      : rho(initial_rho), island_(island), b_(buffers) {
    for (auto* x : {&b_.z, &b_.r_plus, &b_.g, &b_.dy, &b_.ud}) x->resize(at(island.rows));
    b_.sigma.assign(island.groups.size(), 0.0);
  }

  void freeze_slip(const std::vector<double>& u);
  // z, r_plus = P(z) and g = r_plus - y at y with its velocities u; returns the merit.
  double evaluate(const std::vector<double>& r, const std::vector<double>& y,
                  const std::vector<double>& u, bool coulomb);
  bool step_direction(const std::vector<double>& u, bool coulomb);
  double exact_line_search(const std::vector<double>& y);

  double rho;

 private:
  // Bilateral rows are linear: there a large penalty costs nothing.
  double penalty(const ReducedGroup& g) const {
    return g.set.law == Law::equality ? std::max(1e8, rho) : rho;
  }
  void row_matrix(const ReducedGroup& g, const std::vector<double>& u, bool coulomb,
                  double N[max_rows][max_rows]) const;

  const ReducedIsland& island_;
  ReducedNewtonBuffers& b_;
};

void Inner::freeze_slip(const std::vector<double>& u) {
  for (std::size_t i = 0; i < island_.groups.size(); ++i)
    b_.sigma[i] = slip_bound(island_.groups[i].set, &u[at(island_.groups[i].first)]);
}

// The merit g^T W g is the momentum residual in the norm of the mass; a W that is not positive has
// none, and |g|^2 takes its place.
double Inner::evaluate(const std::vector<double>& r, const std::vector<double>& y,
                       const std::vector<double>& u, bool coulomb) {
  double plain = 0, weighted = 0;
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const ReducedGroup& g = island_.groups[i];
    const std::size_t first = at(g.first);
    if (coulomb) b_.sigma[i] = slip_bound(g.set, &u[first]);
    for (int k = 0; k < g.rows; ++k)
      b_.z[first + at(k)] =
          r[first + at(k)] - penalty(g) * (u[first + at(k)] + (k == 0 ? b_.sigma[i] : 0));
    project(g.set, &b_.z[first], &b_.r_plus[first]);
    for (std::size_t k = first; k < first + at(g.rows); ++k) {
      b_.g[k] = b_.r_plus[k] - y[k];
      plain += b_.g[k] * b_.g[k];
    }
  }
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    double Wg[max_rows];
    row_product(island_, i, b_.g.data(), nullptr, Wg);
    for (int k = 0; k < island_.groups[i].rows; ++k)
      weighted += Wg[k] * b_.g[at(island_.groups[i].first + k)];
  }
  return weighted > 1e-12 * plain ? weighted : plain;
}

// N = rho D (I + e_n tau^T) of a group.
void Inner::row_matrix(const ReducedGroup& g, const std::vector<double>& u, bool coulomb,
                       double N[max_rows][max_rows]) const {
  double D[max_rows][max_rows], tau[max_rows] = {};
  const double *z = &b_.z[at(g.first)], *p = &b_.r_plus[at(g.first)];
  project_derivative(g.set, z, D);
  // While sticking the slip speed is zero and sigma has a kink there: take the zero subgradient.
  if (coulomb && !std::equal(z, z + g.rows, p)) slip_gradient(g.set, &u[at(g.first)], tau);
  for (int r = 0; r < g.rows; ++r)
    for (int c = 0; c < g.rows; ++c) N[r][c] = penalty(g) * (D[r][c] + D[r][0] * tau[c]);
}

// (I + N W) dy = g. Where N is zero dy = g; those rows are moved to the right-hand side. Rows are
// divided by rho, so that a large penalty leaves the matrix near W.
bool Inner::step_direction(const std::vector<double>& u, bool coulomb) {
  int size = 0;
  b_.place.assign(island_.groups.size(), -1);
  b_.x.clear();
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const ReducedGroup& g = island_.groups[i];
    double N[max_rows][max_rows];
    row_matrix(g, u, coulomb, N);
    bool active = false;
    for (int r = 0; r < g.rows; ++r)
      for (int c = 0; c < g.rows; ++c) active = active || N[r][c] != 0;
    std::copy(&b_.g[at(g.first)], &b_.g[at(g.first)] + g.rows, &b_.dy[at(g.first)]);
    if (!active) continue;
    b_.place[i] = size;
    size += g.rows;
  }
  b_.lu.begin(size);
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    if (b_.place[i] < 0) continue;
    const ReducedGroup& g = island_.groups[i];
    const double scale = 1 / penalty(g);
    double N[max_rows][max_rows], right[max_rows];
    row_matrix(g, u, coulomb, N);
    for (int r = 0; r < g.rows; ++r) {
      right[r] = scale * b_.g[at(g.first + r)];
      b_.lu.add(b_.place[i] + r, b_.place[i] + r, scale);
    }
    for (int k = island_.first_block[i]; k < island_.first_block[i + 1]; ++k) {
      const ReducedProblem::Block& block = island_.blocks[at(k)];
      const ReducedGroup& other = island_.groups[at(block.column)];
      for (int r = 0; r < g.rows; ++r)
        for (int c = 0; c < other.rows; ++c) {
          double value = 0;
          for (int l = 0; l < g.rows; ++l) value += scale * N[r][l] * block.value[l][c];
          if (b_.place[at(block.column)] >= 0)
            b_.lu.add(b_.place[i] + r, b_.place[at(block.column)] + c, value);
          else
            right[r] -= value * b_.g[at(other.first + c)];
        }
    }
    b_.x.insert(b_.x.end(), right, right + g.rows);
  }
  if (size > 0) {
    if (!b_.lu.factorize()) return false;
    b_.lu.solve(b_.x);
  }
  for (std::size_t i = 0; i < island_.groups.size(); ++i)
    if (b_.place[i] >= 0)
      std::copy(&b_.x[at(b_.place[i])], &b_.x[at(b_.place[i])] + island_.groups[i].rows,
                &b_.dy[at(island_.groups[i].first)]);
  for (std::size_t i = 0; i < island_.groups.size(); ++i)
    row_product(island_, i, b_.dy.data(), nullptr, &b_.ud[at(island_.groups[i].first)]);
  return std::all_of(b_.dy.begin(), b_.dy.end(), [](double x) { return std::isfinite(x); });
}

// Root of (W dy) . (y + t dy - P(z - t rho W dy)), the derivative of the inner objective along the
// step where W is symmetric, to 10 %.
double Inner::exact_line_search(const std::vector<double>& y) {
  auto slope = [&](double t) {
    double sum = 0;
    for (const ReducedGroup& g : island_.groups) {
      double z[max_rows], p[max_rows];
      const std::size_t first = at(g.first);
      for (int k = 0; k < g.rows; ++k)
        z[k] = b_.z[first + at(k)] - t * penalty(g) * b_.ud[first + at(k)];
      project(g.set, z, p);
      for (int k = 0; k < g.rows; ++k)
        sum += b_.ud[first + at(k)] * (y[first + at(k)] + t * b_.dy[first + at(k)] - p[k]);
    }
    return sum;
  };
  const double start = slope(0);
  if (!(start < 0)) return 1;  // no objective: W is not positive
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

}  // namespace

IterationResult newton(const ReducedIsland& island, const NewtonLimits& limits,
                       ReducedNewtonBuffers& buffers, std::vector<double>& r,
                       std::vector<double>& u) {
  Inner inner(island, buffers, limits.rho);
  velocities_from_impulses(island, r, u);
  IterationResult result{0, residual(island, r, u)};
  buffers.best = r;
  auto& y = buffers.y;
  auto &trial = buffers.y_trial, &u_trial = buffers.u_trial;
  trial.resize(r.size());
  u_trial.resize(r.size());
  double previous = result.residual;
  int without_progress = 0;

  while (result.iterations < limits.factorisations && without_progress < 6 &&
         !(result.residual <= limits.aim) && !island.interrupted()) {
    bool coulomb = previous < 1e-3;  // the full Jacobian diverges from far away
    if (!coulomb) inner.freeze_slip(u);
    double scale = island.scale;
    for (const double x : r) scale = std::max(scale, std::abs(x));
    const double enough = std::max(2e-16, 0.1 * std::min(1.0, previous)) * scale;
    y = r;
    double merit = inner.evaluate(r, y, u, coulomb), last_merit = merit;
    for (int i = 0; i < 30 && result.iterations < limits.factorisations; ++i) {
      if ((!(std::sqrt(merit) > enough) && i > 0) || island.interrupted()) break;
      ++result.iterations;
      if (!inner.step_direction(u, coulomb)) break;
      auto move = [&](double t) {
        for (std::size_t k = 0; k < y.size(); ++k) {
          trial[k] = y[k] + t * buffers.dy[k];
          u_trial[k] = u[k] + t * buffers.ud[k];
        }
        return inner.evaluate(r, trial, u_trial, coulomb);
      };
      double t = coulomb ? 1 : inner.exact_line_search(y);
      double next = move(t);
      if (coulomb) {
        for (int halvings = 0; halvings < 5 && !(next <= (1 - 0.2 * t) * (1 - 0.2 * t) * merit);
             ++halvings) {
          t *= 0.5;
          next = move(t);
        }
        if (!(next <= merit)) {  // freeze the slip speeds for the rest of this outer step
          coulomb = false;
          inner.freeze_slip(u);
          merit = last_merit = inner.evaluate(r, y, u, coulomb);
          continue;
        }
      }
      y = trial;
      u = u_trial;
      merit = next;
      if (t == 0 || (i > 3 && !(merit < 0.9 * last_merit) && std::sqrt(merit) < 1e-13 * scale))
        break;
      last_merit = merit;
    }
    r = buffers.r_plus;
    velocities_from_impulses(island, r, u);
    const double now = residual(island, r, u);
    if (!std::isfinite(now)) break;
    without_progress = now < 0.9 * result.residual ? 0 : without_progress + 1;
    if (now < result.residual) {
      result.residual = now;
      buffers.best = r;
    }
    if (result.residual <= limits.tolerance && !(now < 0.1 * previous)) {
      // Good enough for a large island; a small one can afford a stiffer penalty until it is at
      // rounding.
      if (island.groups.size() > 32 || inner.rho >= 1e11 || without_progress > 4) break;
      inner.rho *= 100;
    } else if (coulomb && now > 0.2 * previous) {
      inner.rho = std::min(1e8, 5 * inner.rho);
    }
    previous = now;
  }
  r = buffers.best;
  velocities_from_impulses(island, r, u);
  return result;
}

}  // namespace cairn
