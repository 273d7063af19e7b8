// The judge: how well (v, lambda) meets the momentum balance and the laws (E10 to E16). Reads the
// problem alone; knows nothing of the solver.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/conventions.hpp"
#include "base/index.hpp"
#include "cairn/error.hpp"
#include "cairn/solution.hpp"
#include "linear/blocks.hpp"
#include "problem/islands.hpp"
#include "problem/mass.hpp"
#include "problem/verdict.hpp"

namespace cairn {
namespace {

// sqrt(p^T A^-1 p) of a body: an impulse as a velocity weighted by mass.
double energy_norm(const problem::MassInverse& mass, int body, int n, const double* p) {
  const linear::BodyBlock& inverse = mass.block(body);
  double sum = 0;
  if (mass.is_diagonal(body))
    for (int i = 0; i < n; ++i) sum += p[i] * inverse[i][i] * p[i];
  else
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) sum += p[i] * inverse[i][j] * p[j];
  return std::sqrt(std::max(0.0, sum));
}

struct Scratch {
  problem::MassInverse mass;
  std::vector<double> v_free, momentum, d, scale, velocity_scale, momentum_scale;
  std::vector<double> floor;  // of each island: what its velocities are made of, (E11)
  problem::Islands islands;
};

// Scaling of constraint c: d = power of two next to sqrt(trace(J A^-1 J^T) / rows), (E10).
double row_scale(const Scratch& s, const Problem& problem, const Constraint& c) {
  double trace = 0;
  if (!problem.couplings.empty()) {
    double W[max_rows][max_rows];
    problem::own_response(problem, s.mass, c, W);
    for (int r = 0; r < c.rows; ++r) trace += W[r][r];
    return power_of_two(1.2 * std::sqrt(trace / c.rows));
  }
  for (int side = 0; side < 2; ++side) {
    const int i = c.body[base::at(side)];
    if (i < 0) continue;
    const linear::BodyBlock& inverse = s.mass.block(i);
    linear::with_sizes(c.rows, problem.bodies[base::at(i)].size, [&](auto rows, auto n) {
      if (s.mass.is_diagonal(i)) {
        double squares[max_velocities] = {};
        for (int r = 0; r < rows; ++r)
          for (int k = 0; k < n; ++k) squares[k] += c.J[side][r][k] * c.J[side][r][k];
        for (int k = 0; k < n; ++k) trace += squares[k] * inverse[k][k];
        return;
      }
      for (int r = 0; r < rows; ++r)
        for (int k = 0; k < n; ++k)
          trace += c.J[side][r][k] * linear::row_product(inverse[k], n, c.J[side][r]);
    });
  }
  return power_of_two(1.2 * std::sqrt(trace / c.rows));
}

// Relative velocities below this share of the velocities they are made of count as rounding, (E11).
constexpr double velocity_floor = 0x1p-20;

// Whether the contact that a disc is tied to carries an impulse or closes (E241).
bool contact_acts(const Problem& problem, const VecX& lambda, const Scratch& s,
                  const Constraint& disc) {
  const Constraint& c = problem.constraints[base::at(disc.tie)];
  if (problem::norm(c.rows, lambda.data() + problem.first_row[base::at(disc.tie)]) != 0)
    return true;
  double free[max_rows];
  linear::constraint_velocity(problem, c, s.v_free.data(), false, free);
  return free[0] + c.b[0] < 0;
}

// Takes constraint i into the scales of its island: the largest impulse or free velocity over rows
// that carry an impulse or close (E11). A relative velocity is a difference of velocities: below
// their rounding it says nothing.
void take_scale(const Problem& problem, const VecX& lambda, std::size_t i, Scratch& s) {
  const Constraint& c = problem.constraints[i];
  const double* r = lambda.data() + problem.first_row[i];
  double free[max_rows];
  linear::constraint_velocity(problem, c, s.v_free.data(), false, free);
  const double impulse = problem::norm(c.rows, r), inverse = 1 / s.d[i];
  double size = 0;
  for (int side = 0; side < 2; ++side) {
    if (c.body[base::at(side)] < 0) continue;
    const ProblemBody& body = problem.bodies[base::at(c.body[base::at(side)])];
    for (int k = 0; k < body.size; ++k)
      size += std::abs(c.J[side][0][k] * s.v_free[base::at(body.first + k)]);
  }
  const std::size_t island = base::at(s.islands.of_constraint[i]);
  double &scale = s.scale[island], &velocity = s.velocity_scale[island];
  const double least = velocity_floor * size;
  s.floor[island] = std::max(s.floor[island], least * inverse);
  if (is_unilateral(c.law) && impulse == 0 && free[0] + c.b[0] >= 0) return;
  if (c.law == Law::disc && impulse == 0 && !contact_acts(problem, lambda, s, c)) return;
  const double free_speed = std::max(problem::norm(c.rows, free), least) * inverse;
  scale = std::max({scale, s.d[i] * impulse, free_speed});
  for (int k = 0; k < c.rows; ++k) free[k] += c.b[k];
  velocity = std::max({velocity, free_speed, problem::norm(c.rows, free) * inverse});
}

// momentum -= J^T lambda of constraint i.
void subtract_impulse(const Problem& problem, const VecX& lambda, std::size_t i, Scratch& s) {
  const Constraint& c = problem.constraints[i];
  double minus[max_rows];
  for (int r = 0; r < c.rows; ++r) minus[r] = -lambda[problem.first_row[i] + r];
  for (int side = 0; side < 2; ++side) {
    if (c.body[base::at(side)] < 0) continue;
    const ProblemBody& b = problem.bodies[base::at(c.body[base::at(side)])];
    linear::add_transposed(c.J[side], c.rows, b.size, minus, s.momentum.data() + b.first);
  }
}

// One way through the constraints, which are most of the memory: d, the scales of the islands, and
// A v - k - J^T lambda.
void add_up(const Problem& problem, const VecX& v, const VecX& lambda, Scratch& s) {
  s.d.resize(problem.constraints.size());
  s.scale.assign(base::at(s.islands.count), 0.0);
  s.velocity_scale.assign(base::at(s.islands.count), 0.0);
  s.momentum_scale.assign(base::at(s.islands.count), 0.0);
  s.floor.assign(base::at(s.islands.count), 0.0);
  s.momentum.resize(base::at(problem.velocities()));
  for (int i = 0; i < problem.velocities(); ++i) s.momentum[base::at(i)] = -problem.k[i];
  problem::add_mass_product(problem, v.data(), s.momentum.data());
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    s.d[i] = row_scale(s, problem, problem.constraints[i]);
    if (s.islands.of_constraint[i] >= 0) take_scale(problem, lambda, i, s);
    subtract_impulse(problem, lambda, i, s);
  }
  for (std::size_t i = 0; i < s.scale.size(); ++i) {
    if (s.scale[i] == 0) s.scale[i] = s.velocity_scale[i] = s.floor[i];
    s.velocity_scale[i] = problem::velocity_scale(s.scale[i], s.velocity_scale[i]);
  }
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    const std::size_t island = base::at(s.islands.of_body[i]);
    s.momentum_scale[island] =
        std::max({s.momentum_scale[island], s.scale[island],
                  energy_norm(s.mass, static_cast<int>(i), b.size, problem.k.data() + b.first)});
  }
}

void judge_momentum(const Problem& problem, const Scratch& s, problem::Verdict& judge) {
  Certificate& cert = judge.certificate;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    const double* p = s.momentum.data() + b.first;
    const double residual = problem::ratio(energy_norm(s.mass, static_cast<int>(i), b.size, p),
                                           s.momentum_scale[base::at(s.islands.of_body[i])]);
    cert.momentum = std::max(cert.momentum, residual);
    cert.momentum_impulse =
        std::max(cert.momentum_impulse, problem::norm(b.size, p) * problem.units.impulse());
    judge.worst(residual, -1);
  }
}

}  // namespace

Certificate certify(const Problem& problem, const VecX& v, const VecX& lambda) {
  thread_local Scratch s;  // memory only: every entry is written before it is read
  problem::Verdict judge;
  Certificate& cert = judge.certificate;
  if (v.size() != problem.velocities() || lambda.size() != problem.rows())
    throw std::invalid_argument("cairn::certify: the answer is not of the problem's size");
  cert.finite = v.allFinite() && lambda.allFinite() && problem.k.allFinite();

  // Free velocities A^-1 k.
  cert.finite = s.mass.factor(problem) && cert.finite;
  s.v_free.assign(problem.k.begin(), problem.k.end());
  if (cert.finite) s.mass.solve(s.v_free.data());
  if (!cert.finite) {
    cert.worst = std::numeric_limits<double>::infinity();
    return cert;
  }
  problem::number_islands(problem, s.islands);
  CAIRN_DCHECK(s.islands.of_body.size() == problem.bodies.size(), s.islands.of_body.size());
  CAIRN_DCHECK(s.islands.of_constraint.size() == problem.constraints.size(),
               s.islands.of_constraint.size());
  add_up(problem, v, lambda, s);
  for (const double d : s.d) CAIRN_DCHECK(base::is_power_of_two(d), d);
  for (const double scale : s.scale) CAIRN_DCHECK(!(scale < 0), scale);
  judge_momentum(problem, s, judge);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const int island = s.islands.of_constraint[i];
    double w[max_rows];
    linear::constraint_velocity(problem, problem.constraints[i], v.data(), true, w);
    const problem::RowScale scale{s.d[i], island < 0 ? 1 : s.scale[base::at(island)],
                                  island < 0 ? 1 : s.velocity_scale[base::at(island)]};
    problem::LawSet set = problem::law_set(problem.constraints[i]);
    if (set.law == Law::disc)
      set.hi = problem::disc_radius(problem, problem.constraints[i], lambda);
    judge.judge(set, static_cast<int>(i), w, lambda.data() + problem.first_row[i], scale,
                problem.units);
  }
  if (!cert.finite) cert.worst = std::numeric_limits<double>::infinity();
  return cert;
}

}  // namespace cairn
