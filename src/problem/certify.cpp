// The judge: how well (v, lambda) meets the momentum balance and the laws (E10 to E16, E310, E311).
// Reads the problem alone; knows nothing of the solver.
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

// What the residuals of a constraint are judged by.
struct Row {
  double d = 1;      // (E10)
  double kappa = 1;  // (E310)
  double light = 0;  // largest 1/sqrt(m_j) of its bodies
  double c[2] = {};  // of its bodies (E311)
};

struct Scratch {
  problem::MassInverse mass;
  std::vector<double> v_free, momentum;
  std::vector<double> light;    // of each body: 1/sqrt(m_j), (E310)
  std::vector<double> terms;    // of each body: tau_j, (E311)
  std::vector<double> speed;    // of each island: V, (E11)
  std::vector<double> mass_of;  // of each island: sum of m_j
  std::vector<Row> rows;
  problem::Islands islands;
};

// Share of the speeds of bodies that counts as speed of their island (E11).
constexpr double common_motion = 0x1p-10;

// |p|_Z of body i.
double impulse_norm(const Scratch& s, std::size_t i, int size, const double* p) {
  const int body = static_cast<int>(i);
  return block_norm(s.mass.block(body), s.mass.is_diagonal(body), size, p);
}

// Trace of J Z J^T of one side of a constraint.
double side_trace(const Scratch& s, const Problem& problem, const Constraint& c, int side) {
  const int i = c.body[base::at(side)];
  const linear::BodyBlock& inverse = s.mass.block(i);
  return linear::with_sizes(c.rows, problem.bodies[base::at(i)].size, [&](auto rows, auto n) {
    double trace = 0;
    if (s.mass.is_diagonal(i)) {
      double squares[max_velocities] = {};
      for (int r = 0; r < rows; ++r)
        for (int k = 0; k < n; ++k) squares[k] += c.J[side][r][k] * c.J[side][r][k];
      for (int k = 0; k < n; ++k) trace += squares[k] * inverse[k][k];
      return trace;
    }
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < n; ++k)
        trace += c.J[side][r][k] * linear::row_product(inverse[k], n, c.J[side][r]);
    return trace;
  });
}

Row measure(const Scratch& s, const Problem& problem, const Constraint& c) {
  Row row;
  double trace = 0;
  for (int side = 0; side < 2; ++side) {
    if (c.body[base::at(side)] < 0) continue;
    const double own = side_trace(s, problem, c, side);
    trace += own;
    row.c[side] = std::sqrt(own / c.rows);
    row.light = std::max(row.light, s.light[base::at(c.body[base::at(side)])]);
  }
  if (!problem.couplings.empty()) {
    double W[max_rows][max_rows];
    problem::own_response(problem, s.mass, c, W);
    trace = 0;
    for (int r = 0; r < c.rows; ++r) trace += W[r][r];
  }
  row.d = power_of_two(1.2 * std::sqrt(trace / c.rows));
  row.kappa = row.light > 0 ? std::min(row.d, row.light) : row.d;
  return row;
}

// J v_free + b of a constraint.
void free_velocity(const Problem& problem, const Scratch& s, const Constraint& c, double* w) {
  linear::constraint_velocity(problem, c, s.v_free.data(), true, w);
}

// Takes constraint i into the speed of its island (E11).
void take_speed(const Problem& problem, std::size_t i, Scratch& s) {
  const Constraint& c = problem.constraints[i];
  double w[max_rows];
  if (c.law == Law::disc && c.tie >= 0) {  // counts if its contact acts (E241)
    const Constraint& contact = problem.constraints[base::at(c.tie)];
    free_velocity(problem, s, contact, w);
    if (problem::opening_speed(problem::law_set(contact), w) >= 0) return;
  }
  free_velocity(problem, s, c, w);
  if (is_unilateral(c.law) && problem::opening_speed(problem::law_set(c), w) >= 0) return;
  double& speed = s.speed[base::at(s.islands.of_constraint[i])];
  speed = std::max(speed, s.rows[i].kappa * (problem::norm(c.rows, w) / s.rows[i].d));
}

// Bodies: masses, speeds, and A v - k with the terms that it is added up from.
void add_up_bodies(const Problem& problem, const VecX& v, Scratch& s) {
  s.speed.assign(base::at(s.islands.count), 0.0);
  s.mass_of.assign(base::at(s.islands.count), 0.0);
  s.light.resize(problem.bodies.size());
  s.terms.resize(problem.bodies.size());
  s.momentum.resize(base::at(problem.velocities()));
  for (int i = 0; i < problem.velocities(); ++i) s.momentum[base::at(i)] = -problem.k[i];
  problem::add_mass_product(problem, v.data(), s.momentum.data());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    double mass = 0;
    for (int k = 0; k < b.size; ++k) mass = std::max(mass, b.A[k][k]);
    s.light[i] = 1 / std::sqrt(mass);
    s.mass_of[base::at(s.islands.of_body[i])] += mass;
    const bool diagonal = problem::is_diagonal(b.A, b.size);
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

// One pass over the constraints, which are most of the memory: their scales, the speeds of the
// islands, and A v - k - J^T lambda with its terms.
void add_up_constraints(const Problem& problem, const VecX& lambda, Scratch& s) {
  s.rows.resize(problem.constraints.size());
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    const Row& row = s.rows[i] = measure(s, problem, c);
    if (s.islands.of_constraint[i] >= 0) take_speed(problem, i, s);
    const double* impulse = lambda.data() + problem.first_row[i];
    const double size = problem::norm(c.rows, impulse);
    double minus[max_rows];
    for (int r = 0; r < c.rows; ++r) minus[r] = -impulse[r];
    for (int side = 0; side < 2; ++side) {
      if (c.body[base::at(side)] < 0) continue;
      const ProblemBody& b = problem.bodies[base::at(c.body[base::at(side)])];
      linear::add_transposed(c.J[side], c.rows, b.size, minus, s.momentum.data() + b.first);
      s.terms[base::at(c.body[base::at(side)])] += row.c[side] * size;
    }
  }
}

// (E12).
void judge_momentum(const Problem& problem, const Scratch& s, problem::Verdict& judge) {
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
problem::RowScale scale_of(const Problem& problem, const Scratch& s, std::size_t i) {
  const Constraint& c = problem.constraints[i];
  const Row& row = s.rows[i];
  const int island = s.islands.of_constraint[i];
  const double V = island < 0 ? 1 : s.speed[base::at(island)];
  double terms = problem::norm(c.rows, c.b);
  for (int side = 0; side < 2; ++side)
    if (c.body[base::at(side)] >= 0)
      terms += row.c[side] * s.terms[base::at(c.body[base::at(side)])];
  const double phi = problem::floor_unit * (1 + c.mu) * (terms / row.d);
  const double ratio = island < 0 ? 1 : s.mass_of[base::at(island)] * row.light * row.light;
  return {row.d, row.kappa, V, V, problem::floor_within(row.kappa * phi, V, ratio)};
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
  add_up_bodies(problem, v, s);
  add_up_constraints(problem, lambda, s);
  for (const Row& row : s.rows) CAIRN_DCHECK(base::is_power_of_two(row.d), row.d);
  for (const double speed : s.speed) CAIRN_DCHECK(!(speed < 0), speed);
  judge_momentum(problem, s, judge);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    double w[max_rows];
    linear::constraint_velocity(problem, problem.constraints[i], v.data(), true, w);
    problem::LawSet set = problem::law_set(problem.constraints[i]);
    if (set.law == Law::disc)
      set.hi = problem::disc_radius(problem, problem.constraints[i], lambda);
    judge.judge(set, static_cast<int>(i), w, lambda.data() + problem.first_row[i],
                scale_of(problem, s, i), problem.units);
  }
  if (!cert.finite) cert.worst = std::numeric_limits<double>::infinity();
  return cert;
}

}  // namespace cairn
