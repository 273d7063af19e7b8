// The second judge. It takes from the engine the layout of Problem and nothing else: dense algebra
// from Eigen in place of the engine's blocks, a search over faces in place of its projections.
//
// Legend: r impulses, w = J v + b, d scaling of a constraint (E10), V speed of an island (E11),
// kappa from sqrt(J) to speeds (E310), tau terms of a body (E311).
#include "record/check/judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/index.hpp"
#include "record/check/judge_mass.hpp"

namespace cairn::record {
namespace {

// Everything about a constraint that the residuals need.
struct Row {
  Few w, free;  // J v + b, J v_free + b
  double d = 1, kappa = 1;
  double root = 1;                       // of the lightest mass of its bodies
  std::array<double, max_sides> c = {};  // sqrt(trace(J Z J^T) / rows) of each side
  int island = -1;                       // label of a body; -1: between bodies that do not move
};

struct Bench {
  int doubtful = 0;
  const Problem& problem;
  const VecX& v;
  const VecX& lambda;
  const Mass& inertia;
  VecX v_free;
  std::vector<int> label;
  std::vector<double> mass_root;  // of each body: square root of the largest diagonal entry of A
  std::vector<Row> rows;
  std::vector<double> terms;  // of each body: tau
  std::vector<double> speed;  // of the island with that label: V
  std::vector<double> island_mass;

  Few impulse(std::size_t i) const {
    return lambda.segment(problem.first_row[i], problem.constraints[i].rows);
  }
  Few of_body(const VecX& x, std::size_t j) const {
    return x.segment(problem.bodies[j].first, problem.bodies[j].size);
  }
  double mass_ratio(int island, double root) const {
    return island < 0 ? 1 : island_mass[base::at(island)] / (root * root);
  }
  double speed_of(const Row& row) const { return row.island < 0 ? 1 : speed[base::at(row.island)]; }
};

Row measure(const Bench& bench, std::size_t i) {
  const Constraint& c = bench.problem.constraints[i];
  Row row;
  row.w = row.free = Eigen::Map<const Few>(c.b, c.rows);
  row.root = std::numeric_limits<double>::infinity();
  for (int side = 0; side < max_sides; ++side) {
    if (c.body[base::at(side)] < 0) continue;
    const std::size_t body = base::at(c.body[base::at(side)]);
    const Rows J = jacobian(c, side, bench.problem.bodies[body].size);
    row.w += J * bench.of_body(bench.v, body);
    row.free += J * bench.of_body(bench.v_free, body);
    row.c[base::at(side)] = std::sqrt(bench.inertia.side_trace(c, side) / c.rows);
    row.island = bench.label[body];
    row.root = std::min(row.root, bench.mass_root[body]);
  }
  // The factor keeps round numbers, such as those of equal discs, off the jumps between powers of
  // two: there rounding would decide, and two correct judges would differ by a factor.
  double trace = bench.inertia.trace(c);
  const Few impulse = bench.impulse(i);
  for (int r = 0; r < c.rows; ++r) {
    row.w[r] += c.compliance[r] * impulse[r];
    trace += c.compliance[r];
  }
  row.d = power_of_two(1.2 * std::sqrt(trace / c.rows));
  row.kappa = row.island < 0 ? row.d : std::min(row.d, 1 / row.root);
  return row;
}

// The largest friction power per unit of normal impulse.
double friction_power(const Constraint& c, const Few& w) {
  if (!has_cone(c.law) || c.rows < 2) return 0;
  if (c.rows == 2) return c.mu * std::abs(w[1]);
  const FrictionPolygon corners = section_of(c);
  if (corners.empty()) return c.mu * std::hypot(w[1], w[2]);
  double most = 0;
  for (const auto& [x, y] : corners) most = std::max(most, -(x * w[1] + y * w[2]));
  return c.mu * most;
}

// sigma of E4; the relaxed law is without.
double sigma(const Constraint& c, const Few& w) {
  return c.law == Law::coulomb ? friction_power(c, w) : 0;
}

// |v|_A of body j.
double energy_root(const Bench& bench, const VecX& v, std::size_t j) {
  const Few x = bench.of_body(v, j);
  const double most = x.cwiseAbs().maxCoeff();
  if (!(most > 0)) return 0;
  const Few y = x / most;  // squares may underflow
  return most * std::sqrt(std::max(0.0, y.dot(mass(bench.problem.bodies[j]) * y)));
}

constexpr double floor_share = 16 * std::numeric_limits<double>::epsilon();

// Rounding of the free velocity of a constraint, as in (E311).
double free_rounding(const Bench& bench, std::size_t i) {
  const Constraint& c = bench.problem.constraints[i];
  double terms = Eigen::Map<const Few>(c.b, c.rows).stableNorm();
  for (std::size_t side = 0; side < max_sides; ++side)
    if (c.body[side] >= 0) {
      const std::size_t body = base::at(c.body[side]);
      terms += bench.rows[i].c[side] * energy_root(bench, bench.v_free, body);
    }
  return floor_share * (1 + c.mu) * terms;
}

// Does a constraint count for the speed of its island?
bool counts(const Bench& bench, std::size_t i) {
  const Constraint& c = bench.problem.constraints[i];
  if (c.law == Law::equality || c.law == Law::box) return true;
  const std::size_t contact = c.law == Law::disc ? base::at(c.tie) : i;
  const Constraint& law = bench.problem.constraints[contact];
  const Few& free = bench.rows[contact].free;
  const double closes = law.law == Law::coulomb_relaxed ? friction_power(law, free) : 0;
  return free[0] < closes + bench.doubtful * free_rounding(bench, contact);
}

void find_speeds(Bench& bench) {
  const Problem& problem = bench.problem;
  bench.speed.assign(problem.bodies.size(), 0.0);
  bench.island_mass.assign(problem.bodies.size(), 0.0);
  for (std::size_t j = 0; j < problem.bodies.size(); ++j)
    bench.island_mass[base::at(bench.label[j])] += bench.mass_root[j] * bench.mass_root[j];
  for (std::size_t j = 0; j < problem.bodies.size(); ++j) {
    double& speed = bench.speed[base::at(bench.label[j])];
    speed = std::max(speed, energy_root(bench, bench.v_free, j) / bench.mass_root[j] / 1024);
  }
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Row& row = bench.rows[i];
    if (row.island < 0 || !counts(bench, i)) continue;
    double& speed = bench.speed[base::at(row.island)];
    speed = std::max(speed, row.kappa * (row.free.stableNorm() / row.d));
  }
}

void find_terms(Bench& bench) {
  const Problem& problem = bench.problem;
  bench.terms.clear();
  for (std::size_t j = 0; j < problem.bodies.size(); ++j)
    bench.terms.push_back(energy_root(bench, bench.v, j) + energy_root(bench, bench.v_free, j));
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    for (std::size_t side = 0; side < max_sides; ++side)
      if (const int body = problem.constraints[i].body[side]; body >= 0)
        bench.terms[base::at(body)] += bench.rows[i].c[side] * bench.impulse(i).stableNorm();
  for (const BodyCoupling& c : problem.couplings)
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t to = base::at(c.body[side]), from = base::at(c.body[1 - side]);
      const Few v = bench.of_body(bench.v, from);
      Few p = Few::Zero(problem.bodies[to].size);
      for (int r = 0; r < p.size(); ++r)
        for (int k = 0; k < v.size(); ++k) p[r] += c.A[side][r][k] * v[k];
      bench.terms[to] += bench.inertia.norm(to, p);
    }
}

// A speed and the rounding of its terms, over the speed of the island.
struct Gauge {
  double V = 1, floor = 0;
  double mass_ratio = 1;  // mass of the island over that of the lightest body
  double operator()(double x) const {
    const double most = std::min(std::ldexp(1, -10), std::ldexp(mass_ratio, -38));
    const double hidden = V == 0 ? floor : std::min(floor, most * V);
    return x <= hidden ? 0 : (x - hidden) / V;
  }
};

// How far two correct judges may differ: a quarter of the floor, four units of rounding.
void note_rounding(const Gauge& gauge, Judgement& j) {
  if (gauge.floor > 0) j.rounding = std::max(j.rounding, 0.25 * gauge.floor / gauge.V);
}

constexpr std::array residual_fields = {&Residuals::momentum,     &Residuals::equality,
                                        &Residuals::gap_velocity, &Residuals::normal_impulse,
                                        &Residuals::cone,         &Residuals::complementarity,
                                        &Residuals::natural_map};

// Takes one constraint's or body's residuals into the judgement.
void note(const Residuals& x, int constraint, Judgement& j) {
  if (x.worst() > j.worst()) j.worst_constraint = constraint;
  for (const auto field : residual_fields) j.*field = std::max(j.*field, x.*field);
}

// A v - k - J^T lambda and, beside it, the sum of the magnitudes of all products in it.
struct Momentum {
  VecX error, terms;
};

Momentum momentum_of(const Bench& bench) {
  const Problem& problem = bench.problem;
  VecX p = -problem.k, terms = problem.k.cwiseAbs();
  for (const ProblemBody& b : problem.bodies) {
    p.segment(b.first, b.size) += mass(b) * bench.v.segment(b.first, b.size);
    terms.segment(b.first, b.size) +=
        mass(b).cwiseAbs() * bench.v.segment(b.first, b.size).cwiseAbs();
  }
  for (const BodyCoupling& c : problem.couplings)
    for (std::size_t side = 0; side < 2; ++side) {
      const ProblemBody &to = problem.bodies[base::at(c.body[side])],
                        &from = problem.bodies[base::at(c.body[1 - side])];
      for (int r = 0; r < to.size; ++r)
        for (int k = 0; k < from.size; ++k) {
          const double product = c.A[side][r][k] * bench.v[from.first + k];
          p[to.first + r] += product;
          terms[to.first + r] += std::abs(product);
        }
    }
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    for (int side = 0; side < max_sides; ++side) {
      if (c.body[base::at(side)] < 0) continue;
      const ProblemBody& b = problem.bodies[base::at(c.body[base::at(side)])];
      const Rows J = jacobian(c, side, b.size);
      p.segment(b.first, b.size) -= J.transpose() * bench.impulse(i);
      terms.segment(b.first, b.size) += J.cwiseAbs().transpose() * bench.impulse(i).cwiseAbs();
    }
  }
  return {std::move(p), std::move(terms)};
}

// (E520): two units of rounding of every product, along the direction that moves the body most.
double momentum_rounding(const Bench& bench, const VecX& terms, std::size_t i) {
  const double V = bench.speed[base::at(bench.label[i])];
  const double most = bench.inertia.norm_of_magnitudes(i, bench.of_body(terms, i));
  if (!(most > 0)) return 0;
  return 2 * std::numeric_limits<double>::epsilon() * most / bench.mass_root[i] / V;
}

void judge_momentum(const Bench& bench, Judgement& j) {
  const auto [p, terms] = momentum_of(bench);
  for (std::size_t i = 0; i < bench.problem.bodies.size(); ++i) {
    const Gauge gauge{bench.speed[base::at(bench.label[i])],
                      floor_share * bench.terms[i] / bench.mass_root[i],
                      bench.mass_ratio(bench.label[i], bench.mass_root[i])};
    note({.momentum = gauge(bench.inertia.norm(i, bench.of_body(p, i)) / bench.mass_root[i])}, -1,
         j);
    j.momentum_rounding = std::max(j.momentum_rounding, momentum_rounding(bench, terms, i));
  }
}

// `reach`: how far from zero the scaled impulse of a disc may lie.
Few nearest(const Constraint& c, double d, double reach, const Few& z) {
  if (c.law == Law::disc) {
    const double size = z.stableNorm();
    return size > reach ? Few(z * (reach / size)) : z;
  }
  if (c.law == Law::equality) return z;
  if (c.law == Law::nonnegative) return z.cwiseMax(0.0);
  if (c.law == Law::box) return z.cwiseMax(d * c.lo).cwiseMin(d * c.hi);
  Vec3 full = Vec3::Zero();
  full.head(c.rows) = z;
  return nearest_in_cone(full, c.rows, c.mu, section_of(c)).head(c.rows);
}

// The residuals of one constraint. `bound`: largest impulse of a disc.
Residuals residuals(const Constraint& c, const Row& row, const Few& lambda, double bound,
                    const Gauge& gauge) {
  const double d = row.d, kappa = row.kappa;
  const Few r = d * lambda, w = row.w / d;
  Few w_hat = w;
  w_hat[0] += sigma(c, w);
  Residuals x;
  x.natural_map = gauge(kappa * (r - nearest(c, d, d * bound, r - w_hat)).stableNorm());
  x.cone = gauge(kappa * (r - nearest(c, d, d * bound, r)).stableNorm());
  if (c.law == Law::equality) x.equality = gauge(kappa * w.stableNorm());
  if (!is_unilateral(c.law)) return x;
  x.gap_velocity = gauge(kappa * std::max(0.0, -w[0]));
  x.normal_impulse = gauge(kappa * std::max(0.0, -r[0]));
  const double large = std::max(r.stableNorm(), gauge.V / kappa), product = std::abs(r.dot(w_hat));
  if (product > 0) x.complementarity = gauge(kappa * (product / large));
  return x;
}

void judge_constraint(const Bench& bench, std::size_t i, Judgement& j) {
  const Constraint& c = bench.problem.constraints[i];
  const Row& row = bench.rows[i];
  double terms = Eigen::Map<const Few>(c.b, c.rows).stableNorm();
  for (int r = 0; r < c.rows; ++r) terms += c.compliance[r] * std::abs(bench.impulse(i)[r]);
  for (std::size_t side = 0; side < max_sides; ++side)
    if (c.body[side] >= 0) terms += row.c[side] * bench.terms[base::at(c.body[side])];
  const Gauge gauge{bench.speed_of(row), row.kappa * floor_share * (1 + c.mu) * terms / row.d,
                    bench.mass_ratio(row.island, row.root)};
  const double bound =
      c.law == Law::disc ? c.mu * std::max(0.0, bench.impulse(base::at(c.tie))[0]) : 0;
  note(residuals(c, row, bench.impulse(i), bound, gauge), static_cast<int>(i), j);
  note_rounding(gauge, j);
}

}  // namespace

FrictionPolygon section_of(const Constraint& c) {
  if (c.rows < 3) return {};
  if (c.section) return *c.section;
  FrictionPolygon corners;
  for (int i = 0; i < c.facets; ++i) {
    const double angle = 2 * std::numbers::pi * i / c.facets;
    corners.push_back({std::cos(angle), std::sin(angle)});
  }
  return corners;
}

double Residuals::worst() const {
  double largest = 0;
  for (const auto field : residual_fields) largest = std::max(largest, this->*field);
  return largest;
}

Judgement judge(const Problem& problem, const VecX& v, const VecX& lambda, int doubtful) {
  Judgement j;
  const Mass inertia(problem);
  Bench bench{.doubtful = doubtful,
              .problem = problem,
              .v = v,
              .lambda = lambda,
              .inertia = inertia,
              .v_free = inertia.solve(problem.k),
              .label = components(problem),
              .mass_root = {},
              .rows = {},
              .terms = {},
              .speed = {},
              .island_mass = {}};
  j.finite = v.allFinite() && lambda.allFinite();
  j.finite = j.finite && bench.v_free.allFinite();
  if (!j.finite) {
    j.momentum = std::numeric_limits<double>::infinity();
    return j;
  }
  for (const ProblemBody& b : problem.bodies)
    bench.mass_root.push_back(std::sqrt(mass(b).diagonal().maxCoeff()));
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    bench.rows.push_back(measure(bench, i));
  find_speeds(bench);
  find_terms(bench);
  judge_momentum(bench, j);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) judge_constraint(bench, i, j);
  return j;
}

}  // namespace cairn::record
