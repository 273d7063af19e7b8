// (E50). Outer: r <- P(r - rho (u + sigma e_n)), a proximal step, so that a singular W needs no
// ridge. Inner: Newton on y = P(r - rho (W y + q + sigma e_n)), with the matrix
// I + rho D (I + e_n tau^T) W over the constraints whose D is not zero; W enters whole, symmetric
// or not. sigma is frozen and the step found by an exact line search far from the solution; near it
// the derivative of sigma joins the matrix. u follows y by steps of W dy: under a heavy body y is
// large and u small, and u = W y + q would lose the digits that rho needs.
#include "solver/reduced/newton_reduced.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "solver/newton/newton_loop.hpp"

namespace cairn::solver {
namespace {

class ImpulseBalance {
 public:
  static constexpr double largest_rho = 1e8;
  double rho;

  ImpulseBalance(const ReducedIsland& island, double initial_rho, ReducedNewtonBuffers& buffers,
                 const std::vector<double>& r, std::vector<double>& u)
      : rho(initial_rho), island_(island), b_(buffers), r_(r), u_(u) {
    for (auto* x : {&b_.z, &b_.r_plus, &b_.g, &b_.dy, &b_.ud, &b_.y_trial, &b_.u_trial})
      x->resize(base::at(island.rows));
    b_.sigma.assign(island.groups.size(), 0.0);
  }

  void begin() { b_.y = r_; }
  void freeze_slip();
  double evaluate(bool coulomb) { return evaluate_at(b_.y, u_, coulomb); }
  bool step_direction(bool coulomb);
  double line_search();
  void add_linear_part() {}
  double try_step(double t, bool coulomb);
  double work() const { return 0; }  // reduced problems have no budget
  void accept() {
    b_.y = b_.y_trial;
    u_ = b_.u_trial;
  }
  const std::vector<double>& impulses() const { return b_.r_plus; }

 private:
  // z, r_plus = P(z) and g = r_plus - y at y with its velocities u; returns the merit.
  double evaluate_at(const std::vector<double>& y, const std::vector<double>& u, bool coulomb);
  // Bilateral rows are linear: there a large penalty costs nothing.
  double penalty(const ReducedGroup& g) const {
    return g.set.law == Law::equality ? std::max(1e8, rho) : rho;
  }
  void row_matrix(const ReducedGroup& g, bool coulomb, double N[max_rows][max_rows]) const;

  const ReducedIsland& island_;
  ReducedNewtonBuffers& b_;
  const std::vector<double>& r_;
  std::vector<double>& u_;
};

void ImpulseBalance::freeze_slip() {
  for (std::size_t i = 0; i < island_.groups.size(); ++i)
    b_.sigma[i] =
        problem::slip_bound(island_.groups[i].set, &u_[base::at(island_.groups[i].first)]);
}

// The merit g^T W g is the momentum residual in the norm of the mass; a W that is not positive has
// none, and |g|^2 takes its place.
double ImpulseBalance::evaluate_at(const std::vector<double>& y, const std::vector<double>& u,
                                   bool coulomb) {
  double plain = 0, weighted = 0;
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const ReducedGroup& g = island_.groups[i];
    const std::size_t first = base::at(g.first);
    if (coulomb) b_.sigma[i] = problem::slip_bound(g.set, &u[first]);
    for (int k = 0; k < g.rows; ++k)
      b_.z[first + base::at(k)] =
          r_[first + base::at(k)] -
          penalty(g) * (u[first + base::at(k)] + (k == 0 ? b_.sigma[i] : 0));
    problem::project(g.set, &b_.z[first], &b_.r_plus[first]);
    for (std::size_t k = first; k < first + base::at(g.rows); ++k) {
      b_.g[k] = b_.r_plus[k] - y[k];
      plain += b_.g[k] * b_.g[k];
    }
  }
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    double Wg[max_rows];
    row_product(island_, i, b_.g.data(), nullptr, Wg);
    for (int k = 0; k < island_.groups[i].rows; ++k)
      weighted += Wg[k] * b_.g[base::at(island_.groups[i].first + k)];
  }
  return weighted > 1e-12 * plain ? weighted : plain;
}

// N = rho D (I + e_n tau^T) of a group.
void ImpulseBalance::row_matrix(const ReducedGroup& g, bool coulomb,
                                double N[max_rows][max_rows]) const {
  double D[max_rows][max_rows], tau[max_rows] = {};
  const double *z = &b_.z[base::at(g.first)], *p = &b_.r_plus[base::at(g.first)];
  problem::project_derivative(g.set, z, D);
  // While sticking the slip speed is zero and sigma has a kink there: take the zero subgradient.
  if (coulomb && !std::equal(z, z + g.rows, p))
    problem::slip_gradient(g.set, &u_[base::at(g.first)], tau);
  for (int r = 0; r < g.rows; ++r)
    for (int c = 0; c < g.rows; ++c) N[r][c] = penalty(g) * (D[r][c] + D[r][0] * tau[c]);
}

// (I + N W) dy = g. Where N is zero dy = g; those rows are moved to the right-hand side. Rows are
// divided by rho, so that a large penalty leaves the matrix near W.
bool ImpulseBalance::step_direction(bool coulomb) {
  int size = 0;
  b_.place.assign(island_.groups.size(), -1);
  b_.x.clear();
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const ReducedGroup& g = island_.groups[i];
    double N[max_rows][max_rows];
    row_matrix(g, coulomb, N);
    bool active = false;
    for (int r = 0; r < g.rows; ++r)
      for (int c = 0; c < g.rows; ++c) active = active || N[r][c] != 0;
    std::copy(&b_.g[base::at(g.first)], &b_.g[base::at(g.first)] + g.rows,
              &b_.dy[base::at(g.first)]);
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
    row_matrix(g, coulomb, N);
    for (int r = 0; r < g.rows; ++r) {
      right[r] = scale * b_.g[base::at(g.first + r)];
      b_.lu.add(b_.place[i] + r, b_.place[i] + r, scale);
    }
    for (int k = island_.first_block[i]; k < island_.first_block[i + 1]; ++k) {
      const ReducedProblem::Block& block = island_.blocks[base::at(k)];
      const ReducedGroup& other = island_.groups[base::at(block.column)];
      for (int r = 0; r < g.rows; ++r)
        for (int c = 0; c < other.rows; ++c) {
          double value = 0;
          for (int l = 0; l < g.rows; ++l) value += scale * N[r][l] * block.value[l][c];
          if (b_.place[base::at(block.column)] >= 0)
            b_.lu.add(b_.place[i] + r, b_.place[base::at(block.column)] + c, value);
          else
            right[r] -= value * b_.g[base::at(other.first + c)];
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
      std::copy(&b_.x[base::at(b_.place[i])], &b_.x[base::at(b_.place[i])] + island_.groups[i].rows,
                &b_.dy[base::at(island_.groups[i].first)]);
  for (std::size_t i = 0; i < island_.groups.size(); ++i)
    row_product(island_, i, b_.dy.data(), nullptr, &b_.ud[base::at(island_.groups[i].first)]);
  return std::all_of(b_.dy.begin(), b_.dy.end(), [](double x) { return std::isfinite(x); });
}

// Root of (W dy) . (y + t dy - P(z - t rho W dy)), the derivative of the inner objective along the
// step where W is symmetric, to 10 %.
double ImpulseBalance::line_search() {
  auto slope = [&](double t) {
    double sum = 0;
    for (const ReducedGroup& g : island_.groups) {
      double z[max_rows], p[max_rows];
      const std::size_t first = base::at(g.first);
      for (int k = 0; k < g.rows; ++k)
        z[k] = b_.z[first + base::at(k)] - t * penalty(g) * b_.ud[first + base::at(k)];
      problem::project(g.set, z, p);
      for (int k = 0; k < g.rows; ++k)
        sum += b_.ud[first + base::at(k)] *
               (b_.y[first + base::at(k)] + t * b_.dy[first + base::at(k)] - p[k]);
    }
    return sum;
  };
  const double start = slope(0);
  return start < 0 ? falling_end(start, slope) : 1;  // 1: no objective, W is not positive
}

double ImpulseBalance::try_step(double t, bool coulomb) {
  for (std::size_t k = 0; k < b_.y.size(); ++k) {
    b_.y_trial[k] = b_.y[k] + t * b_.dy[k];
    b_.u_trial[k] = u_[k] + t * b_.ud[k];
  }
  return evaluate_at(b_.y_trial, b_.u_trial, coulomb);
}

}  // namespace

IterationResult newton(const ReducedIsland& island, const NewtonLimits& limits,
                       ReducedNewtonBuffers& buffers, std::vector<double>& r,
                       std::vector<double>& u) {
  ImpulseBalance inner(island, limits.rho, buffers, r, u);
  return newton_loop(island, limits, inner, buffers.best, buffers.before, r, u);
}

}  // namespace cairn::solver
