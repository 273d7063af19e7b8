// The judge: how well (v, lambda) meets the momentum balance and the laws (E10 to E16, E310, E311).
// Reads the problem alone; knows nothing of the solver.
#include "problem/certify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/conventions.hpp"
#include "base/index.hpp"
#include "cairn/error.hpp"
#include "cairn/solution.hpp"
#include "linear/blocks.hpp"
#include "linear/number_pair.hpp"
#include "problem/verdict.hpp"

namespace cairn {
namespace {

using problem::CertifyScratch;
using Row = CertifyScratch::Row;

// x^T B x.
double block_square(const linear::BodyBlock& block, bool diagonal, int size, const double* x) {
  return linear::with_size(size, [&](auto n) {
    double sum = 0;
    if (diagonal)
      for (int i = 0; i < n; ++i) sum += x[i] * block[i][i] * x[i];
    else
      for (int i = 0; i < n; ++i) sum += x[i] * linear::row_product(block[i], n, x);
    return sum;
  });
}

// sqrt(x^T B x), 0 where rounding makes it negative; also of numbers whose squares underflow.
double block_norm(const linear::BodyBlock& block, bool diagonal, int size, const double* x) {
  const double sum = block_square(block, diagonal, size, x);
  if (sum > 0x1p-900) return std::sqrt(sum);
  double most = 0, scaled[max_velocities];
  for (int i = 0; i < size; ++i) most = std::max(most, std::abs(x[i]));
  if (!(most > 0)) return 0;
  const double unit = power_of_two(most);
  for (int i = 0; i < size; ++i) scaled[i] = x[i] / unit;
  return unit * std::sqrt(std::max(0.0, block_square(block, diagonal, size, scaled)));
}

// v and lambda with the free velocities.
struct Answer {
  const double *v, *v_free, *lambda;
};

// Share of the speeds of bodies that counts as speed of their island (E11).
constexpr double common_motion = 0x1p-10;

// |p|_Z of body i.
double impulse_norm(const CertifyScratch& s, std::size_t i, int size, const double* p) {
  const int body = static_cast<int>(i);
  return block_norm(s.mass.block(body), s.mass.is_diagonal(body), size, p);
}

// Trace of J Z J^T of one side of a constraint; rows, n: ints or constants.
template <class Rows, class Size>
double side_trace(const CertifyScratch& s, const double (&J)[max_rows][max_velocities], int body,
                  Rows rows, Size n) {
  const linear::BodyBlock& inverse = s.mass.block(body);
  double trace = 0;
  if (s.mass.is_diagonal(body)) {
    double squares[max_velocities] = {};
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < n; ++k) squares[k] += J[r][k] * J[r][k];
    for (int k = 0; k < n; ++k) trace += squares[k] * inverse[k][k];
    return trace;
  }
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < n; ++k) trace += J[r][k] * linear::row_product(inverse[k], n, J[r]);
  return trace;
}

// What one side of a constraint is needed for.
struct Side {
  const double (&J)[max_rows][max_velocities];
  int body;
  const double *v, *v_free;  // of the body
  const double* minus;       // the impulse with the other sign
  double* momentum;          // of the body
};

// Three rows on a body in space, which nearly all are: everything in registers.
double take_spatial_side(const CertifyScratch& s, const Side& x, Row& row) {
  using linear::NumberPair;
  const linear::BodyBlock& inverse = s.mass.block(x.body);
  const bool diagonal = s.mass.is_diagonal(x.body);
  NumberPair w[3] = {}, w_free[3] = {}, trace = {};
  for (int k = 0; k < max_velocities; k += 2) {
    const NumberPair v = linear::load_pair(x.v + k), v_free = linear::load_pair(x.v_free + k);
    NumberPair push = {}, squares = {};
    for (int r = 0; r < 3; ++r) {
      const NumberPair J = linear::load_pair(x.J[r] + k);
      w[r] += J * v;
      w_free[r] += J * v_free;
      push += J * linear::both(x.minus[r]);
      squares += J * J;
    }
    linear::store_pair(linear::load_pair(x.momentum + k) + push, x.momentum + k);
    trace += squares * NumberPair{inverse[k][k], inverse[k + 1][k + 1]};
  }
  for (int r = 0; r < 3; ++r) {
    row.w[r] += w[r][0] + w[r][1];
    row.w_free[r] += w_free[r][0] + w_free[r][1];
  }
  return diagonal ? trace[0] + trace[1]
                  : side_trace(s, x.J, x.body, std::integral_constant<int, 3>(),
                               std::integral_constant<int, 6>());
}

// One side of a constraint: its rows are read once. Returns the trace of J Z J^T, takes the impulse
// from the momentum and adds J v to the velocities.
double take_side(const Problem& problem, const Constraint& c, int side, const Answer& x,
                 const double* minus, CertifyScratch& s, Row& row) {
  const int i = c.body[base::at(side)];
  const ProblemBody& b = problem.bodies[base::at(i)];
  const Side own{c.J[side],          i,     x.v + b.first,
                 x.v_free + b.first, minus, s.momentum.data() + b.first};
  if (c.rows == 3 && b.size == 6) return take_spatial_side(s, own, row);
  linear::add_transposed(own.J, c.rows, b.size, minus, own.momentum);
  linear::add_product(own.J, c.rows, b.size, own.v, row.w);
  linear::add_product(own.J, c.rows, b.size, own.v_free, row.w_free);
  return side_trace(s, own.J, i, c.rows, b.size);
}

// Takes constraint i into the speed of its island (E11).
void take_speed(const Problem& problem, std::size_t i, CertifyScratch& s) {
  const Constraint& c = problem.constraints[i];
  const Row& row = s.rows[i];
  const auto opens = [&](const Constraint& contact, const double* w) {
    return problem::opening_speed(problem::law_set(contact), w) >= 0;
  };
  if (c.law == Law::disc && c.tie >= 0) {  // counts if its contact acts (E241)
    const Constraint& contact = problem.constraints[base::at(c.tie)];
    double w[max_rows];
    linear::constraint_velocity(problem, contact, s.v_free.data(), true, w);
    if (opens(contact, w)) return;
  }
  if (is_unilateral(c.law) && opens(c, row.w_free)) return;
  double& speed = s.speed[base::at(s.islands.of_constraint[i])];
  speed = std::max(speed, row.kappa * (problem::norm(c.rows, row.w_free) / row.d));
}

// Bodies: masses, speeds, and A v - k with the terms that it is added up from.
void add_up_bodies(const Problem& problem, const VecX& v, CertifyScratch& s) {
  s.speed.assign(base::at(s.islands.count), 0.0);
  s.mass_of.assign(base::at(s.islands.count), 0.0);
  s.light.resize(problem.bodies.size());
  s.terms.resize(problem.bodies.size());
  s.momentum.resize(base::at(problem.velocities()));
  for (int i = 0; i < problem.velocities(); ++i) s.momentum[base::at(i)] = -problem.k[i];
  s.mass.add_mass_product(v.data(), s.momentum.data());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    double mass = 0;
    for (int k = 0; k < b.size; ++k) mass = std::max(mass, b.A[k][k]);
    s.light[i] = 1 / std::sqrt(mass);
    s.mass_of[base::at(s.islands.of_body[i])] += mass;
    const bool diagonal = s.mass.is_diagonal(static_cast<int>(i));
    const double free = block_norm(b.A, diagonal, b.size, s.v_free.data() + b.first);
    s.terms[i] = free + block_norm(b.A, diagonal, b.size, v.data() + b.first);
    double& speed = s.speed[base::at(s.islands.of_body[i])];
    speed = std::max(speed, common_motion * (free * s.light[i]));
  }
  for (const BodyCoupling& c : problem.couplings)
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t to = base::at(c.body[side]);
      const ProblemBody& from = problem.bodies[base::at(c.body[1 - side])];
      double p[max_velocities];
      for (int r = 0; r < problem.bodies[to].size; ++r)
        p[r] = linear::row_product(c.A[side][r], from.size, v.data() + from.first);
      s.terms[to] += impulse_norm(s, to, problem.bodies[to].size, p);
    }
}

// Scales, velocities and terms of constraint i; takes its impulse from A v - k.
void take_constraint(const Problem& problem, std::size_t i, const Answer& x, CertifyScratch& s) {
  const Constraint& c = problem.constraints[i];
  Row& row = s.rows[i];
  const double* impulse = x.lambda + problem.first_row[i];
  const double size = problem::norm(c.rows, impulse);
  double minus[max_rows], trace = 0;
  for (int r = 0; r < c.rows; ++r) minus[r] = -impulse[r];
  row.light = 0;
  std::copy_n(c.b, max_rows, row.w);
  std::copy_n(c.b, max_rows, row.w_free);
  for (int side = 0; side < c.sides; ++side) {
    row.c[side] = 0;
    if (c.body[base::at(side)] < 0) continue;
    const std::size_t body = base::at(c.body[base::at(side)]);
    const double own = take_side(problem, c, side, x, minus, s, row);
    trace += own;
    row.c[side] = std::sqrt(own / c.rows);
    row.light = std::max(row.light, s.light[body]);
    s.terms[body] += row.c[side] * size;
  }
  if (!problem.couplings.empty()) {
    double W[max_rows][max_rows];
    problem::own_response(problem, s.mass, c, W);
    trace = 0;
    for (int r = 0; r < c.rows; ++r) trace += W[r][r];
  }
  row.soft = 0;
  if (c.compliant()) {
    for (int r = 0; r < c.rows; ++r) {
      row.w[r] += c.compliance[r] * impulse[r];
      row.soft += c.compliance[r] * std::abs(impulse[r]);
      if (problem.couplings.empty()) trace += c.compliance[r];
    }
  }
  row.d = power_of_two(1.2 * std::sqrt(trace / c.rows));
  row.kappa = row.light > 0 ? std::min(row.d, row.light) : row.d;
}

// The one pass that reads the Jacobians, which are most of the memory: scales and velocities of the
// constraints, the speeds of the islands, and A v - k - J^T lambda with its terms.
void add_up_constraints(const Problem& problem, const Answer& x, CertifyScratch& s) {
  s.rows.resize(problem.constraints.size());
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    take_constraint(problem, i, x, s);
    if (s.islands.of_constraint[i] >= 0) take_speed(problem, i, s);
  }
}

// (E12).
void judge_momentum(const Problem& problem, const CertifyScratch& s, problem::Verdict& judge) {
  Certificate& cert = judge.certificate;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    const double* p = s.momentum.data() + b.first;
    const std::size_t island = base::at(s.islands.of_body[i]);
    const double V = s.speed[island];
    const double floor = problem::floor_within(problem::floor_unit * s.terms[i] * s.light[i], V,
                                               s.mass_of[island] * s.light[i] * s.light[i]);
    const double residual = problem::excess(impulse_norm(s, i, b.size, p) * s.light[i], floor, V);
    cert.momentum = std::max(cert.momentum, residual);
    cert.momentum_impulse =
        std::max(cert.momentum_impulse, problem::norm(b.size, p) * problem.units.impulse());
    judge.worst(residual, -1);
  }
}

// Scale and floor (E311) of constraint i.
problem::RowScale scale_of(const Problem& problem, const CertifyScratch& s, std::size_t i) {
  const Constraint& c = problem.constraints[i];
  const Row& row = s.rows[i];
  const int island = s.islands.of_constraint[i];
  const double V = island < 0 ? 1 : s.speed[base::at(island)];
  double terms = problem::norm(c.rows, c.b) + row.soft;
  for (int side = 0; side < c.sides; ++side)
    if (c.body[base::at(side)] >= 0)
      terms += row.c[side] * s.terms[base::at(c.body[base::at(side)])];
  const double phi = problem::floor_unit * (1 + c.mu) * (terms / row.d);
  const double ratio = island < 0 ? 1 : s.mass_of[base::at(island)] * row.light * row.light;
  return {row.d, row.kappa, V, V, problem::floor_within(row.kappa * phi, V, ratio)};
}

}  // namespace

Certificate certify(const Problem& problem, const VecX& v, const VecX& lambda) {
  CertifyScratch scratch;
  return problem::certify_with(scratch, problem, v, lambda);
}

Certificate problem::certify_with(CertifyScratch& s, const Problem& problem, const VecX& v,
                                  const VecX& lambda) {
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
  add_up_bodies(problem, v, s);
  add_up_constraints(problem, {v.data(), s.v_free.data(), lambda.data()}, s);
  for (const Row& row : s.rows) CAIRN_DCHECK(base::is_power_of_two(row.d), row.d);
  for (const double speed : s.speed) CAIRN_DCHECK(!(speed < 0), speed);
  judge_momentum(problem, s, judge);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    problem::LawSet set = problem::law_set(problem.constraints[i]);
    if (set.law == Law::disc)
      set.hi = problem::disc_radius(problem, problem.constraints[i], lambda);
    judge.judge(set, static_cast<int>(i), s.rows[i].w, lambda.data() + problem.first_row[i],
                scale_of(problem, s, i), problem.units);
  }
  if (!cert.finite) cert.worst = std::numeric_limits<double>::infinity();
  return cert;
}

}  // namespace cairn
