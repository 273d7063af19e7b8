// (E42). Outer: r <- P(r - rho (u + sigma e_n)), a proximal step, so that redundant constraints
// need no ridge. Inner: Newton on the momentum balance g(v) = J^T P(r - rho (J v + b + sigma e_n))
// + J_e^T lambda_e - A (v - v_free) = 0 with bilateral rows J_e v + b_e = 0 as further unknowns.
// sigma is frozen and the matrix symmetric far from the solution, where the inner problem is convex
// and an exact line search is safe; near it the derivative of sigma joins the matrix and
// convergence is quadratic.
#include "solve/newton.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace cairn {
namespace {

class Inner {
 public:
  Inner(const Island& island, NewtonBuffers& buffers) : island_(island), b_(buffers) {}

  void set_up();
  void freeze_slip(const std::vector<double>& v);
  // Evaluates u, z, r_plus and g at v; returns the merit |g|^2_{A^-1} + |bilateral velocities|^2.
  double evaluate(const std::vector<double>& r, const std::vector<double>& v, double rho,
                  bool coulomb);
  bool step_direction(double rho, bool coulomb);
  double exact_line_search(const std::vector<double>& v, double rho);

 private:
  void assemble(double rho, bool coulomb);
  void add_group(const Group& g, double rho, bool coulomb, bool symmetric);
  void require_edge(int i, int j);
  bool is_symmetric(bool coulomb) const { return !coulomb && cairn::is_symmetric(island_, b_); }
  void analyse();

  const Island& island_;
  NewtonBuffers& b_;
};

void Inner::set_up() {
  const int offset = lay_out(island_, b_);
  b_.x.resize(at(offset));
  b_.g.resize(at(offset));
  b_.u.resize(at(island_.rows));
  b_.z.resize(at(island_.rows));
  b_.r_plus.resize(at(island_.rows));
  b_.jd.resize(at(island_.rows));
  b_.sigma.assign(island_.groups.size(), 0.0);
  analyse();
}

void Inner::analyse() {
  b_.lu.begin(b_.sizes, b_.late);
  for (const auto& [i, j] : b_.edges) b_.lu.connect(i, j);
  b_.lu.analyze();
}

void Inner::freeze_slip(const std::vector<double>& v) {
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    double u[max_rows];
    group_velocity(island_, island_.groups[i], v.data(), u);
    b_.sigma[i] = slip_bound(island_.groups[i].set, u);
  }
}

double Inner::evaluate(const std::vector<double>& r, const std::vector<double>& v, double rho,
                       bool coulomb) {
  std::fill(b_.g.begin(), b_.g.end(), 0.0);
  for (const IslandBody& body : island_.bodies)
    for (int i = 0; i < body.size; ++i)
      b_.g[at(body.first + i)] =
          -body.mass[i] * (v[at(body.first + i)] - island_.v_free[at(body.first + i)]);
  if (!island_.rest.empty()) {
    b_.change.resize(v.size());
    for (std::size_t k = 0; k < v.size(); ++k) b_.change[k] = island_.v_free[k] - v[k];
    add_rest_product(island_, b_.change.data(), b_.g.data());
  }
  double merit = 0;
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const Group& g = island_.groups[i];
    double *u = &b_.u[at(g.first)], *z = &b_.z[at(g.first)], *p = &b_.r_plus[at(g.first)];
    group_velocity(island_, g, v.data(), u);
    if (g.set.law == Law::equality) {
      for (int k = 0; k < g.rows; ++k) {
        p[k] = r[at(g.first + k)];
        b_.g[at(b_.offsets[at(b_.node_of_group[i])] + k)] = -u[k];
        merit += u[k] * u[k];
      }
    } else {
      if (coulomb) b_.sigma[i] = slip_bound(g.set, u);
      for (int k = 0; k < g.rows; ++k)
        z[k] = r[at(g.first + k)] - rho * (u[k] + (k == 0 ? b_.sigma[i] : 0));
      project(g.set, z, p);
    }
    for (int side = 0; side < 2; ++side) {
      if (g.body[side] < 0) continue;
      const IslandBody& body = island_.bodies[at(g.body[side])];
      add_transposed(g.J[side], g.rows, body.size, p, &b_.g[at(body.first)]);
    }
  }
  for (const IslandBody& body : island_.bodies)
    for (int i = 0; i < body.size; ++i)
      merit += b_.g[at(body.first + i)] * body.inverse[i] * b_.g[at(body.first + i)];
  return merit;
}

void Inner::require_edge(int i, int j) {
  if (i < 0 || j < 0 || b_.lu.has(i, j)) return;
  b_.edges.emplace_back(i, j);
}

// Adds J^T N J, N = rho D (I + e_n tau^T), to the matrix.
void Inner::add_group(const Group& g, double rho, bool coulomb, bool symmetric) {
  double D[max_rows][max_rows], N[max_rows][max_rows], tau[max_rows] = {};
  project_derivative(g.set, &b_.z[at(g.first)], D);
  // While sticking the slip speed is zero and sigma has a kink there: take the zero subgradient.
  const double* z = &b_.z[at(g.first)];
  const double* p = &b_.r_plus[at(g.first)];
  if (coulomb && !std::equal(z, z + g.rows, p)) slip_gradient(g.set, &b_.u[at(g.first)], tau);
  for (int r = 0; r < g.rows; ++r)
    for (int c = 0; c < g.rows; ++c) N[r][c] = rho * (D[r][c] + D[r][0] * tau[c]);
  add_rows(island_, g, N, symmetric, b_.lu);
}

void Inner::assemble(double rho, bool coulomb) {
  auto open = [&](const Group& g) {
    const double* p = &b_.r_plus[at(g.first)];
    return is_unilateral(g.set.law) && std::all_of(p, p + g.rows, [](double x) { return x == 0; });
  };
  // Fill may have lent a group its block; a new order may take that away, so look again after it.
  for (std::size_t known = b_.edges.size();; known = b_.edges.size()) {
    for (const Group& g : island_.groups)
      if (g.set.law != Law::equality && !open(g)) require_edge(g.body[0], g.body[1]);
    if (b_.edges.size() == known) break;
    analyse();
  }

  b_.lu.zero();
  add_masses(island_, b_.lu);
  const bool symmetric = is_symmetric(coulomb);
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const Group& g = island_.groups[i];
    if (g.set.law == Law::equality)
      add_border(island_, g, b_.node_of_group[i], b_.lu);
    else if (!open(g))
      add_group(g, rho, coulomb, symmetric);
  }
}

bool Inner::step_direction(double rho, bool coulomb) {
  assemble(rho, coulomb);
  if (!b_.lu.factorize(is_symmetric(coulomb))) return false;
  b_.x = b_.g;
  b_.lu.solve(b_.offsets, b_.x.data());
  return std::all_of(b_.x.begin(), b_.x.end(), [](double x) { return std::isfinite(x); });
}

// Root of the derivative of the convex inner objective along the step, to 10 %. (Where A is
// unsymmetric there is no objective, but the step's product with the momentum balance along it
// still falls: A is monotone.)
double Inner::exact_line_search(const std::vector<double>& v, double rho) {
  double constant = 0, linear = 0;
  for (const IslandBody& body : island_.bodies)
    for (int i = 0; i < body.size; ++i) {
      const double a_dv = body.mass[i] * b_.x[at(body.first + i)];
      linear += b_.x[at(body.first + i)] * a_dv;
      constant += (v[at(body.first + i)] - island_.v_free[at(body.first + i)]) * a_dv;
    }
  if (!island_.rest.empty()) {
    b_.product.assign(v.size(), 0.0);
    add_rest_product(island_, b_.x.data(), b_.product.data());
    for (std::size_t k = 0; k < v.size(); ++k) {
      linear += b_.x[k] * b_.product[k];
      b_.change[k] = v[k] - island_.v_free[k];
    }
    b_.product.assign(v.size(), 0.0);
    add_rest_product(island_, b_.change.data(), b_.product.data());
    for (std::size_t k = 0; k < v.size(); ++k) constant += b_.x[k] * b_.product[k];
  }
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const Group& g = island_.groups[i];
    double* jd = &b_.jd[at(g.first)];
    std::fill(jd, jd + g.rows, 0.0);
    for (int side = 0; side < 2; ++side) {
      if (g.body[side] < 0) continue;
      const IslandBody& body = island_.bodies[at(g.body[side])];
      add_product(g.J[side], g.rows, body.size, &b_.x[at(body.first)], jd);
    }
    if (g.set.law != Law::equality) continue;
    for (int k = 0; k < g.rows; ++k)
      constant -=
          jd[k] * (b_.r_plus[at(g.first + k)] + b_.x[at(b_.offsets[at(b_.node_of_group[i])] + k)]);
  }
  auto slope = [&](double t) {
    double sum = constant + t * linear;
    for (const Group& g : island_.groups) {
      if (g.set.law == Law::equality) continue;
      double z[max_rows], p[max_rows];
      const double* jd = &b_.jd[at(g.first)];
      for (int k = 0; k < g.rows; ++k) z[k] = b_.z[at(g.first + k)] - t * rho * jd[k];
      project(g.set, z, p);
      for (int k = 0; k < g.rows; ++k) sum -= p[k] * jd[k];
    }
    return sum;
  };
  const double start = slope(0);
  double lo = 0, hi = 1, at_lo = start, at_hi = slope(1);
  if (!(start < 0)) return 0;
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

IterationResult newton(const Island& island, const NewtonLimits& limits, NewtonBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& v) {
  Inner inner(island, buffers);
  inner.set_up();
  velocities_from_impulses(island, r, v);
  IterationResult result{0, residual(island, r, v)};
  buffers.best = r;
  double rho = limits.rho, previous = result.residual;
  int without_progress = 0;

  while (result.iterations < limits.factorisations && without_progress < 6 &&
         !(result.residual <= limits.aim) && !island.interrupted()) {
    bool coulomb = previous < 1e-3;  // the full Jacobian diverges from far away
    if (!coulomb) inner.freeze_slip(v);
    double scale = island.scale;
    for (const double x : r) scale = std::max(scale, std::abs(x));
    const double enough = std::max(2e-16, 0.1 * std::min(1.0, previous)) * scale;
    double merit = inner.evaluate(r, v, rho, coulomb), last_merit = merit;
    for (int i = 0; i < 30 && result.iterations < limits.factorisations; ++i) {
      if ((!(std::sqrt(merit) > enough) && i > 0) || island.interrupted()) break;
      ++result.iterations;
      if (!inner.step_direction(rho, coulomb)) break;

      // Bilateral impulses take the full step; they are linear.
      auto& x = buffers.x;
      auto move = [&](double t) {
        buffers.v_trial.resize(v.size());
        for (std::size_t k = 0; k < v.size(); ++k) buffers.v_trial[k] = v[k] + t * x[k];
      };
      double t = 1;
      if (!coulomb) t = inner.exact_line_search(v, rho);
      for (std::size_t k = 0; k < island.groups.size(); ++k) {
        const Group& g = island.groups[k];
        if (g.set.law != Law::equality) continue;
        for (int row = 0; row < g.rows; ++row)
          r[at(g.first + row)] += x[at(buffers.offsets[at(buffers.node_of_group[k])] + row)];
      }
      move(t);
      double next = inner.evaluate(r, buffers.v_trial, rho, coulomb);
      if (coulomb) {
        for (int halvings = 0; halvings < 5 && !(next <= (1 - 0.2 * t) * (1 - 0.2 * t) * merit);
             ++halvings) {
          t *= 0.5;
          move(t);
          next = inner.evaluate(r, buffers.v_trial, rho, coulomb);
        }
        if (!(next <= merit)) {  // freeze the slip speeds for the rest of this outer step
          coulomb = false;
          inner.freeze_slip(v);
          merit = last_merit = inner.evaluate(r, v, rho, coulomb);
          continue;
        }
      }
      v = buffers.v_trial;  // a swap would mix capacities, and then a later step allocates
      merit = next;
      if (t == 0 || (i > 3 && !(merit < 0.9 * last_merit) && std::sqrt(merit) < 1e-13 * scale))
        break;
      last_merit = merit;
    }
    r = buffers.r_plus;
    velocities_from_impulses(island, r, v);
    const double now = residual(island, r, v);
    if (!std::isfinite(now)) break;
    without_progress = now < 0.9 * result.residual ? 0 : without_progress + 1;
    if (now < result.residual) {
      result.residual = now;
      buffers.best = r;
    }
    if (result.residual <= limits.tolerance && !(now < 0.1 * previous)) {
      // Good enough for a large island; a small one can afford a stiffer penalty until it is at
      // rounding.
      if (island.groups.size() > 32 || rho >= 1e11 || without_progress > 4) break;
      rho *= 100;
    } else if (coulomb && now > 0.2 * previous) {
      rho = std::min(1e7, 5 * rho);
    }
    previous = now;
  }
  r = buffers.best;
  velocities_from_impulses(island, r, v);
  return result;
}

}  // namespace cairn
