// (E42). Outer: r <- P(r - rho (u + sigma e_n)), a proximal step, so that redundant constraints
// need no ridge. Inner: Newton on the momentum balance g(v) = J^T P(r - rho (J v + b + sigma e_n))
// + J_e^T lambda_e - A (v - v_free) = 0 with bilateral rows J_e v + b_e = 0 as further unknowns.
// sigma is frozen and the matrix symmetric far from the solution, where the inner problem is convex
// and an exact line search is safe; near it the derivative of sigma joins the matrix and
// convergence is quadratic.
#include "solver/newton/newton.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "solver/newton/newton_loop.hpp"

namespace cairn::solver {
namespace {

class MomentumBalance {
 public:
  static constexpr double largest_rho = 1e7;
  static constexpr double stiffest = 1e13;  // penalty of a group
  double rho;

  MomentumBalance(const Island& island, double initial_rho, NewtonBuffers& buffers,
                  std::vector<double>& r, std::vector<double>& v)
      : rho(initial_rho), island_(island), b_(buffers), r_(r), v_(v) {
    set_up();
  }

  void begin();
  void freeze_slip();
  double evaluate(bool coulomb) { return evaluate_at(v_, coulomb); }
  bool step_direction(bool coulomb);
  double line_search();
  void add_linear_part();
  double try_step(double t, bool coulomb);
  // A swap would mix capacities, and then a later step allocates.
  void accept() { v_ = b_.v_trial; }
  double work() const {
    constexpr double evaluations = 6;  // matrix, line search, trials
    return b_.lu.products() +
           evaluations * cost::evaluation * static_cast<double>(island_.groups.size());
  }
  const std::vector<double>& impulses() const { return b_.r_plus; }

 private:
  void set_up();
  // Evaluates u, z, r_plus and g at v; returns the merit |g|^2_{A^-1} + |bilateral velocities|^2.
  double evaluate_at(const std::vector<double>& v, bool coulomb);
  void assemble(bool coulomb);
  void add_group(std::size_t i, bool coulomb, bool symmetric);
  void require_edge(int i, int j);
  bool is_symmetric(bool coulomb) const { return !coulomb && solver::is_symmetric(island_, b_); }
  void analyse();
  double penalty(std::size_t i) const { return rho * b_.load[i]; }

  const Island& island_;
  NewtonBuffers& b_;
  std::vector<double>&r_, &v_;
};

void MomentumBalance::set_up() {
  const int offset = lay_out(island_, b_);
  b_.x.resize(base::at(offset));
  b_.g.resize(base::at(offset));
  b_.u.resize(base::at(island_.rows));
  b_.z.resize(base::at(island_.rows));
  b_.r_plus.resize(base::at(island_.rows));
  b_.jd.resize(base::at(island_.rows));
  b_.sigma.assign(island_.groups.size(), 0.0);
  analyse();
}

void MomentumBalance::analyse() {
  b_.lu.begin(b_.sizes, b_.late);
  for (const auto& [i, j] : b_.edges) b_.lu.connect(i, j);
  b_.lu.analyze();
}

// (E313).
void MomentumBalance::begin() {
  const double most = std::max(1.0, stiffest / rho);
  b_.load.resize(island_.groups.size());
  for (std::size_t i = 0; i < island_.groups.size(); ++i)
    b_.load[i] = std::min(most, load_of(island_, island_.groups[i], r_));
}

void MomentumBalance::freeze_slip() {
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    double u[max_rows];
    group_velocity(island_, island_.groups[i], v_.data(), u);
    b_.sigma[i] = problem::slip_bound(island_.groups[i].set, u);
  }
}

double MomentumBalance::evaluate_at(const std::vector<double>& v, bool coulomb) {
  std::fill(b_.g.begin(), b_.g.end(), 0.0);
  for (const IslandBody& body : island_.bodies)
    for (int i = 0; i < body.size; ++i)
      b_.g[base::at(body.first + i)] =
          -body.mass[i] * (v[base::at(body.first + i)] - island_.v_free[base::at(body.first + i)]);
  if (!island_.inertia.rest.empty()) {
    b_.change.resize(v.size());
    for (std::size_t k = 0; k < v.size(); ++k) b_.change[k] = island_.v_free[k] - v[k];
    add_rest_product(island_, b_.change.data(), b_.g.data());
  }
  double merit = 0;
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const Group& g = island_.groups[i];
    double *u = &b_.u[base::at(g.first)], *z = &b_.z[base::at(g.first)],
           *p = &b_.r_plus[base::at(g.first)];
    group_velocity(island_, g, v.data(), u);
    if (g.set.law == Law::equality) {
      for (int k = 0; k < g.rows; ++k) {
        p[k] = r_[base::at(g.first + k)];
        b_.g[base::at(b_.offsets[base::at(b_.node_of_group[i])] + k)] = -u[k];
        merit += u[k] * u[k];
      }
    } else {
      if (coulomb) b_.sigma[i] = problem::slip_bound(g.set, u);
      for (int k = 0; k < g.rows; ++k)
        z[k] = r_[base::at(g.first + k)] - penalty(i) * (u[k] + (k == 0 ? b_.sigma[i] : 0));
      problem::project(g.set, z, p);
    }
    for (int side = 0; side < g.sides; ++side) {
      if (g.body[side] < 0) continue;
      const IslandBody& body = island_.bodies[base::at(g.body[side])];
      linear::add_transposed(g.J[side], g.rows, body.size, p, &b_.g[base::at(body.first)]);
    }
  }
  for (const IslandBody& body : island_.bodies)
    for (int i = 0; i < body.size; ++i)
      merit += b_.g[base::at(body.first + i)] * body.inverse[i] * b_.g[base::at(body.first + i)];
  return merit;
}

void MomentumBalance::require_edge(int i, int j) {
  if (i < 0 || j < 0 || b_.lu.has(i, j)) return;
  b_.edges.emplace_back(i, j);
}

// Adds J^T N J, N = rho D (I + e_n tau^T), to the matrix.
void MomentumBalance::add_group(std::size_t i, bool coulomb, bool symmetric) {
  const Group& g = island_.groups[i];
  double D[max_rows][max_rows], N[max_rows][max_rows], tau[max_rows] = {};
  problem::project_derivative(g.set, &b_.z[base::at(g.first)], D);
  // While sticking the slip speed is zero and sigma has a kink there: take the zero subgradient.
  const double* z = &b_.z[base::at(g.first)];
  const double* p = &b_.r_plus[base::at(g.first)];
  if (coulomb && !std::equal(z, z + g.rows, p))
    problem::slip_gradient(g.set, &b_.u[base::at(g.first)], tau);
  for (int r = 0; r < g.rows; ++r)
    for (int c = 0; c < g.rows; ++c) N[r][c] = penalty(i) * (D[r][c] + D[r][0] * tau[c]);
  add_rows(island_, g, N, symmetric, b_.lu);
}

void MomentumBalance::assemble(bool coulomb) {
  auto open = [&](const Group& g) {
    const double* p = &b_.r_plus[base::at(g.first)];
    return is_unilateral(g.set.law) && std::all_of(p, p + g.rows, [](double x) { return x == 0; });
  };
  // Fill may have lent a group its block; a new order may take that away, so look again after it.
  for (std::size_t known = b_.edges.size();; known = b_.edges.size()) {
    for (const Group& g : island_.groups)
      if (g.set.law != Law::equality && !open(g))
        for_pairs(g, [&](int a, int b) { require_edge(a, b); });
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
      add_group(i, coulomb, symmetric);
  }
}

bool MomentumBalance::step_direction(bool coulomb) {
  assemble(coulomb);
  if (!b_.lu.factorize(is_symmetric(coulomb))) return false;
  b_.x = b_.g;
  b_.lu.solve(b_.offsets, b_.x.data());
  return std::all_of(b_.x.begin(), b_.x.end(), [](double x) { return std::isfinite(x); });
}

// Root of the derivative of the convex inner objective along the step, to 10 %. (Where A is
// unsymmetric there is no objective, but the step's product with the momentum balance along it
// still falls: A is monotone.)
double MomentumBalance::line_search() {
  double constant = 0, linear = 0;
  for (const IslandBody& body : island_.bodies)
    for (int i = 0; i < body.size; ++i) {
      const double a_dv = body.mass[i] * b_.x[base::at(body.first + i)];
      linear += b_.x[base::at(body.first + i)] * a_dv;
      constant += (v_[base::at(body.first + i)] - island_.v_free[base::at(body.first + i)]) * a_dv;
    }
  if (!island_.inertia.rest.empty()) {
    b_.product.assign(v_.size(), 0.0);
    add_rest_product(island_, b_.x.data(), b_.product.data());
    for (std::size_t k = 0; k < v_.size(); ++k) {
      linear += b_.x[k] * b_.product[k];
      b_.change[k] = v_[k] - island_.v_free[k];
    }
    b_.product.assign(v_.size(), 0.0);
    add_rest_product(island_, b_.change.data(), b_.product.data());
    for (std::size_t k = 0; k < v_.size(); ++k) constant += b_.x[k] * b_.product[k];
  }
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const Group& g = island_.groups[i];
    double* jd = &b_.jd[base::at(g.first)];
    std::fill(jd, jd + g.rows, 0.0);
    for (int side = 0; side < g.sides; ++side) {
      if (g.body[side] < 0) continue;
      const IslandBody& body = island_.bodies[base::at(g.body[side])];
      linear::add_product(g.J[side], g.rows, body.size, &b_.x[base::at(body.first)], jd);
    }
    if (g.set.law != Law::equality) continue;
    for (int k = 0; k < g.rows; ++k)
      constant -= jd[k] * (b_.r_plus[base::at(g.first + k)] +
                           b_.x[base::at(b_.offsets[base::at(b_.node_of_group[i])] + k)]);
  }
  auto slope = [&](double t) {
    double sum = constant + t * linear;
    for (std::size_t i = 0; i < island_.groups.size(); ++i) {
      const Group& g = island_.groups[i];
      if (g.set.law == Law::equality) continue;
      double z[max_rows], p[max_rows];
      const double* jd = &b_.jd[base::at(g.first)];
      for (int k = 0; k < g.rows; ++k) z[k] = b_.z[base::at(g.first + k)] - t * penalty(i) * jd[k];
      problem::project(g.set, z, p);
      for (int k = 0; k < g.rows; ++k) sum -= p[k] * jd[k];
    }
    return sum;
  };
  const double start = slope(0);
  return start < 0 ? falling_end(start, slope) : 0;
}

// Impulses of bilateral rows are linear.
void MomentumBalance::add_linear_part() {
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const Group& g = island_.groups[i];
    if (g.set.law != Law::equality) continue;
    for (int row = 0; row < g.rows; ++row)
      r_[base::at(g.first + row)] +=
          b_.x[base::at(b_.offsets[base::at(b_.node_of_group[i])] + row)];
  }
}

double MomentumBalance::try_step(double t, bool coulomb) {
  b_.v_trial.resize(v_.size());
  for (std::size_t k = 0; k < v_.size(); ++k) b_.v_trial[k] = v_[k] + t * b_.x[k];
  return evaluate_at(b_.v_trial, coulomb);
}

}  // namespace

IterationResult newton(const Island& island, const NewtonLimits& limits, NewtonBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& v) {
  MomentumBalance inner(island, limits.rho, buffers, r, v);
  return newton_loop(island, limits, inner, buffers.best, buffers.before, r, v);
}

}  // namespace cairn::solver
