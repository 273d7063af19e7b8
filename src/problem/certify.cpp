// The judge: how well (v, lambda) meets the momentum balance and the laws (E10 to E16). Reads the
// problem alone; knows nothing of the solver.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/solution.hpp"
#include "problem/blocks.hpp"
#include "problem/cone.hpp"
#include "problem/islands.hpp"

namespace cairn {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Also of numbers whose squares underflow.
double norm(int n, const double* x) {
  double sum = 0, largest = 0;
  for (int i = 0; i < n; ++i) {
    sum += x[i] * x[i];
    largest = std::max(largest, std::abs(x[i]));
  }
  if (sum > 0x1p-900 || !(largest > 0)) return std::sqrt(sum);
  sum = 0;
  for (int i = 0; i < n; ++i) sum += (x[i] / largest) * (x[i] / largest);
  return largest * std::sqrt(sum);
}

// sqrt(p^T A^-1 p): an impulse as a velocity weighted by mass.
double energy_norm(const BodyBlock& inverse, int n, const double* p) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) sum += p[i] * inverse[i][j] * p[j];
  return std::sqrt(std::max(0.0, sum));
}

struct Scratch {
  std::vector<ProblemBody> inverse;  // A^-1 of each body
  std::vector<double> v_free, momentum, d, scale, velocity_scale, momentum_scale;
  Islands islands;
};

// Scaling of constraint c: d = power of two next to sqrt(trace(J A^-1 J^T) / rows), (E10).
double row_scale(const Scratch& s, const Problem& problem, const Constraint& c) {
  double trace = 0;
  for (int side = 0; side < 2; ++side) {
    const int i = c.body[at(side)];
    if (i < 0) continue;
    const int n = problem.bodies[at(i)].size;
    for (int r = 0; r < c.rows; ++r)
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l)
          trace += c.J[side][r][k] * s.inverse[at(i)].A[k][l] * c.J[side][r][l];
  }
  return power_of_two(1.2 * std::sqrt(trace / c.rows));
}

// Relative velocities below this share of the velocities they are made of count as rounding, (E11).
constexpr double velocity_floor = 0x1p-20;

// Impulses loosen the velocity residuals at most this far beyond the velocities themselves:
// constraints that contradict each other drive the impulses to infinity and must not be certified
// by that.
constexpr double velocity_cap = 0x1p10;

// Largest impulse or free velocity of each island, over rows that carry an impulse or close (E11).
void island_scales(const Problem& problem, const VecX& lambda, Scratch& s) {
  s.scale.assign(at(s.islands.count), 0.0);
  s.velocity_scale.assign(at(s.islands.count), 0.0);
  s.momentum_scale.assign(at(s.islands.count), 0.0);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    if (s.islands.of_constraint[i] < 0) continue;
    const double* r = lambda.data() + problem.first_row[i];
    double free[max_rows];
    constraint_velocity(problem, c, s.v_free.data(), false, free);
    const double impulse = norm(c.rows, r);
    const bool unilateral = is_unilateral(c.law);
    if (unilateral && impulse == 0 && free[0] + c.b[0] >= 0) continue;
    double& scale = s.scale[at(s.islands.of_constraint[i])];
    double& velocity = s.velocity_scale[at(s.islands.of_constraint[i])];
    // A relative velocity is a difference of velocities: below their rounding it says nothing.
    double size = 0;
    for (int side = 0; side < 2; ++side) {
      if (c.body[at(side)] < 0) continue;
      const ProblemBody& body = problem.bodies[at(c.body[at(side)])];
      for (int k = 0; k < body.size; ++k)
        size += std::abs(c.J[side][0][k] * s.v_free[at(body.first + k)]);
    }
    const double free_speed = std::max(norm(c.rows, free), velocity_floor * size) / s.d[i];
    scale = std::max({scale, s.d[i] * impulse, free_speed});
    for (int k = 0; k < c.rows; ++k) free[k] += c.b[k];
    velocity = std::max({velocity, free_speed, norm(c.rows, free) / s.d[i]});
  }
  // Where nothing moves but impulses are in balance, rounding of their sum is all there is.
  for (std::size_t i = 0; i < s.scale.size(); ++i)
    s.velocity_scale[i] = s.velocity_scale[i] > 0
                              ? std::min(s.scale[i], velocity_cap * s.velocity_scale[i])
                              : 0x1p-40 * s.scale[i];
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    const std::size_t island = at(s.islands.of_body[i]);
    s.momentum_scale[island] =
        std::max({s.momentum_scale[island], s.scale[island],
                  energy_norm(s.inverse[i].A, b.size, problem.k.data() + b.first)});
  }
}

// Zero over zero is zero: an island in which nothing happens is perfect.
double ratio(double residual, double scale) {
  return residual == 0 ? 0 : residual / scale;
}

struct Judge {
  Certificate certificate;
  bool physical_started = false;

  void worst(double residual, int constraint) {
    if (std::isnan(residual)) certificate.finite = false;
    if (residual > certificate.worst) {
      certificate.worst = residual;
      certificate.worst_constraint = constraint;
    }
  }
};

void judge_momentum(const Problem& problem, const VecX& v, const VecX& lambda, Scratch& s,
                    Judge& judge) {
  s.momentum.resize(at(problem.velocities()));
  for (const ProblemBody& b : problem.bodies)
    for (int r = 0; r < b.size; ++r) {
      double sum = -problem.k[b.first + r];
      for (int c = 0; c < b.size; ++c) sum += b.A[r][c] * v[b.first + c];
      s.momentum[at(b.first + r)] = sum;
    }
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    double minus[max_rows];
    for (int r = 0; r < c.rows; ++r) minus[r] = -lambda[problem.first_row[i] + r];
    for (int side = 0; side < 2; ++side) {
      if (c.body[at(side)] < 0) continue;
      const ProblemBody& b = problem.bodies[at(c.body[at(side)])];
      add_transposed(c.J[side], c.rows, b.size, minus, s.momentum.data() + b.first);
    }
  }
  Certificate& cert = judge.certificate;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    const double* p = s.momentum.data() + b.first;
    const double residual =
        ratio(energy_norm(s.inverse[i].A, b.size, p), s.momentum_scale[at(s.islands.of_body[i])]);
    cert.momentum = std::max(cert.momentum, residual);
    cert.momentum_impulse =
        std::max(cert.momentum_impulse, norm(b.size, p) * problem.units.impulse());
    judge.worst(residual, -1);
  }
}

void judge_constraint(const Problem& problem, std::size_t i, const double* w, const double* r,
                      double d, double scale, double velocity_scale, Judge& judge) {
  const Constraint& c = problem.constraints[i];
  LawSet set = law_set(c);
  set.lo *= d;
  set.hi *= d;
  Certificate& cert = judge.certificate;
  auto note = [&](double& field, double residual) {
    field = std::max(field, residual);
    judge.worst(residual, static_cast<int>(i));
  };

  // Scaled impulse and velocity; w_hat = w + sigma e_n, (E4).
  double z[max_rows], p[max_rows], r_s[max_rows], w_s[max_rows];
  for (int k = 0; k < c.rows; ++k) {
    r_s[k] = d * r[k];
    w_s[k] = w[k] / d;
  }
  w_s[0] += slip_bound(set, w_s);

  // Natural map (E16) and distance from the set of allowed impulses.
  for (int k = 0; k < c.rows; ++k) z[k] = r_s[k] - w_s[k];
  project(set, z, p);
  for (int k = 0; k < c.rows; ++k) p[k] -= r_s[k];
  note(cert.natural_map, ratio(norm(c.rows, p), scale));
  project(set, r_s, p);
  for (int k = 0; k < c.rows; ++k) p[k] -= r_s[k];
  note(cert.cone, ratio(norm(c.rows, p), scale));

  if (c.law == Law::equality) {
    note(cert.equality, ratio(norm(c.rows, w_s), velocity_scale));
    cert.equality_velocity =
        std::max(cert.equality_velocity, norm(c.rows, w) * problem.units.speed());
  }
  if (!is_unilateral(c.law)) return;
  double product = 0;
  for (int k = 0; k < c.rows; ++k) product += r_s[k] * w_s[k];
  // Not over scale^2, which underflows for an island that hardly moves.
  note(cert.complementarity, ratio(ratio(std::abs(product), scale), scale));
  note(cert.gap_velocity, ratio(std::max(0.0, -w[0] / d), velocity_scale));
  note(cert.normal_impulse, ratio(std::max(0.0, -r_s[0]), scale));
  const double least_w = w[0] * problem.units.speed(), least_r = r[0] * problem.units.impulse();
  cert.least_gap_velocity =
      judge.physical_started ? std::min(cert.least_gap_velocity, least_w) : least_w;
  cert.least_normal_impulse =
      judge.physical_started ? std::min(cert.least_normal_impulse, least_r) : least_r;
  cert.complementarity_energy =
      std::max(cert.complementarity_energy, std::abs(product) * problem.units.energy());
  judge.physical_started = true;
}

}  // namespace

Certificate certify(const Problem& problem, const VecX& v, const VecX& lambda) {
  thread_local Scratch s;  // memory only: every entry is written before it is read
  Judge judge;
  Certificate& cert = judge.certificate;
  CAIRN_CHECK(v.size() == problem.velocities() && lambda.size() == problem.rows());
  cert.finite = v.allFinite() && lambda.allFinite() && problem.k.allFinite();

  // Free velocities A^-1 k.
  s.inverse.resize(problem.bodies.size());
  s.v_free.assign(at(problem.velocities()), 0.0);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    cert.finite = invert(b.A, b.size, s.inverse[i].A) && cert.finite;
    for (int r = 0; r < b.size; ++r)
      for (int c = 0; c < b.size; ++c)
        s.v_free[at(b.first + r)] += s.inverse[i].A[r][c] * problem.k[b.first + c];
  }
  if (!cert.finite) {
    cert.worst = std::numeric_limits<double>::infinity();
    return cert;
  }
  find_islands(problem, s.islands);
  s.d.resize(problem.constraints.size());
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    s.d[i] = row_scale(s, problem, problem.constraints[i]);
  island_scales(problem, lambda, s);

  judge_momentum(problem, v, lambda, s, judge);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const int island = s.islands.of_constraint[i];
    double w[max_rows];
    constraint_velocity(problem, problem.constraints[i], v.data(), true, w);
    judge_constraint(problem, i, w, lambda.data() + problem.first_row[i], s.d[i],
                     island < 0 ? 1 : s.scale[at(island)],
                     island < 0 ? 1 : s.velocity_scale[at(island)], judge);
  }
  if (!cert.finite) cert.worst = std::numeric_limits<double>::infinity();
  return cert;
}

}  // namespace cairn
