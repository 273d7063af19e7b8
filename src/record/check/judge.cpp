// The second judge. It takes from the engine the layout of Problem and nothing else: dense algebra
// from Eigen in place of the engine's blocks, a search over faces in place of its projections.
//
// Legend: r impulses, w = J v + b, d scaling of a constraint, s scale of an island, u_f = J v_free
// (without b).
#include "record/check/judge.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/index.hpp"

namespace cairn::record {
namespace {

using Index = Eigen::Index;
using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, max_velocities,
                            max_velocities>;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, max_rows,
                           max_velocities>;
using Few = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_velocities, 1>;

Block mass(const ProblemBody& body) {
  return Eigen::Map<const Eigen::Matrix<double, max_velocities, max_velocities, Eigen::RowMajor>>(
             &body.A[0][0])
      .topLeftCorner(body.size, body.size);
}

Rows jacobian(const Constraint& c, int side, int size) {
  return Eigen::Map<const Eigen::Matrix<double, max_rows, max_velocities, Eigen::RowMajor>>(
             &c.J[side][0][0])
      .topLeftCorner(c.rows, size);
}

// Pairs of bodies that a constraint or a block of A connects.
std::vector<std::array<int, 2>> connections(const Problem& problem) {
  std::vector<std::array<int, 2>> pairs;
  for (const Constraint& c : problem.constraints)
    if (c.body[0] >= 0 && c.body[1] >= 0) pairs.push_back(c.body);
  for (const BodyCoupling& c : problem.couplings) pairs.push_back(c.body);
  return pairs;
}

// Islands by relabelling along connections until nothing changes: slow and plain.
std::vector<int> components(const Problem& problem) {
  const auto pairs = connections(problem);
  std::vector<int> label(problem.bodies.size());
  std::iota(label.begin(), label.end(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& pair : pairs) {
      int& a = label[base::at(pair[0])];
      int& b = label[base::at(pair[1])];
      // A label is a body of the same island: following it halves the chains.
      a = label[base::at(a)];
      b = label[base::at(b)];
      if (a == b) continue;
      const int least = std::min(a, b);
      label[base::at(a)] = label[base::at(b)] = least;
      a = b = least;
      changed = true;
    }
  }
  for (int& l : label)
    while (l != label[base::at(l)]) l = label[base::at(l)];
  return label;
}

// Solves with A: body by body where its blocks are symmetric and nothing couples bodies, else as
// one sparse matrix.
class Mass {
 public:
  explicit Mass(const Problem& problem) : problem_(problem) {
    for (const ProblemBody& b : problem.bodies)
      simple_ = simple_ && mass(b).isApprox(mass(b).transpose(), 1e-12);
    simple_ = simple_ && problem.couplings.empty();
    for (const ProblemBody& b : problem.bodies)
      if (simple_) factors_.emplace_back(mass(b));
    if (!simple_) factor_whole();
  }
  VecX solve(const VecX& p) const {
    if (!simple_) return lu_.solve(p);
    VecX v(p.size());
    for (std::size_t j = 0; j < factors_.size(); ++j) {
      const ProblemBody& b = problem_.bodies[j];
      v.segment(b.first, b.size) = factors_[j].solve(p.segment(b.first, b.size));
    }
    return v;
  }
  // sqrt(p^T A^-1 p) of an impulse on body j alone.
  double norm(std::size_t j, const Few& p) const {
    if (simple_) return std::sqrt(std::max(0.0, p.dot(Few(factors_[j].solve(p)))));
    return std::sqrt(std::max(0.0, p.dot(inverse_[j] * p)));
  }
  // Trace of J A^-1 J^T.
  double trace(const Constraint& c) const {
    double sum = 0;
    if (simple_) {
      for (int side = 0; side < 2; ++side) {
        if (c.body[base::at(side)] < 0) continue;
        const std::size_t body = base::at(c.body[base::at(side)]);
        const Rows J = jacobian(c, side, problem_.bodies[body].size);
        sum += J.cwiseProduct(Rows(factors_[body].solve(J.transpose()).transpose())).sum();
      }
      return sum;
    }
    for (int r = 0; r < c.rows; ++r) {
      VecX row = VecX::Zero(problem_.velocities());
      for (int side = 0; side < 2; ++side) {
        if (c.body[base::at(side)] < 0) continue;
        const ProblemBody& b = problem_.bodies[base::at(c.body[base::at(side)])];
        row.segment(b.first, b.size) += jacobian(c, side, b.size).row(r).transpose();
      }
      sum += row.dot(solve(row));
    }
    return sum;
  }

 private:
  void factor_whole() {
    std::vector<Eigen::Triplet<double>> entries;
    const auto add = [&](const double(&A)[max_velocities][max_velocities], const ProblemBody& a,
                         const ProblemBody& b) {
      for (int r = 0; r < a.size; ++r)
        for (int c = 0; c < b.size; ++c) entries.emplace_back(a.first + r, b.first + c, A[r][c]);
    };
    for (const ProblemBody& b : problem_.bodies) add(b.A, b, b);
    for (const BodyCoupling& c : problem_.couplings) {
      const ProblemBody &a = problem_.bodies[base::at(c.body[0])],
                        &b = problem_.bodies[base::at(c.body[1])];
      add(c.A[0], a, b);
      add(c.A[1], b, a);
    }
    whole_.resize(problem_.velocities(), problem_.velocities());
    whole_.setFromTriplets(entries.begin(), entries.end());
    lu_.compute(whole_);
    for (const ProblemBody& b : problem_.bodies) {
      Block& Z = inverse_.emplace_back(b.size, b.size);
      for (int c = 0; c < b.size; ++c)
        Z.col(c) = solve(VecX::Unit(problem_.velocities(), b.first + c)).segment(b.first, b.size);
    }
  }

  const Problem& problem_;
  bool simple_ = true;
  std::vector<Eigen::LDLT<Block>> factors_;
  Eigen::SparseMatrix<double> whole_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu_;
  std::vector<Block> inverse_;  // diagonal blocks of A^-1
};

// Everything about a constraint that the residuals need.
struct Row {
  Few w, free, size;  // J v + b, J v_free, and the sum of the magnitudes that w was added up from
  double floor = 0;   // sum of the magnitudes that the normal part of J v_free is made of
  double free_size = 0;  // of the first row of J v_free, term by term without cancellation
  double d = 1;
  int island = -1;  // label of a body; -1: between bodies that do not move
};

struct Bench {
  const Problem& problem;
  const VecX& v;
  const VecX& lambda;
  const Mass& inertia;
  VecX v_free;
  std::vector<int> label;
  std::vector<Row> rows;
  std::vector<double> scale, velocity_scale, momentum_scale;  // of the island with that label

  Few impulse(std::size_t i) const {
    return lambda.segment(problem.first_row[i], problem.constraints[i].rows);
  }
  double scale_of(const Row& row) const { return row.island < 0 ? 1 : scale[base::at(row.island)]; }
  double velocity_scale_of(const Row& row) const {
    return row.island < 0 ? 1 : velocity_scale[base::at(row.island)];
  }
};

constexpr double rounding_unit = 64 * std::numeric_limits<double>::epsilon();

Row measure(const Bench& bench, std::size_t i) {
  const Constraint& c = bench.problem.constraints[i];
  Row row;
  row.w = row.size = Few::Zero(c.rows);
  row.free = Few::Zero(c.rows);
  for (int r = 0; r < c.rows; ++r) {
    row.w[r] = c.b[r];
    row.size[r] = std::abs(c.b[r]);
  }
  for (int side = 0; side < 2; ++side) {
    const int body = c.body[base::at(side)];
    if (body < 0) continue;
    const ProblemBody& b = bench.problem.bodies[base::at(body)];
    const Rows J = jacobian(c, side, b.size);
    row.w += J * bench.v.segment(b.first, b.size);
    row.size += J.cwiseAbs() * bench.v.segment(b.first, b.size).cwiseAbs();
    row.free += J * bench.v_free.segment(b.first, b.size);
    row.free_size += J.row(0).cwiseAbs().dot(bench.v_free.segment(b.first, b.size).cwiseAbs());
    row.floor += J.row(0).cwiseAbs().dot(bench.v_free.segment(b.first, b.size).cwiseAbs());
    row.island = bench.label[base::at(body)];
  }
  // The factor keeps round numbers, such as those of equal discs, off the jumps between powers of
  // two: there rounding would decide, and two correct judges would differ by a factor.
  row.d = power_of_two(1.2 * std::sqrt(bench.inertia.trace(c) / c.rows));
  return row;
}

// Does a constraint count for the scale of its island: does it carry an impulse or close?
bool counts(const Bench& bench, std::size_t i) {
  const Constraint& c = bench.problem.constraints[i];
  if (c.law == Law::equality || c.law == Law::box || !bench.impulse(i).isZero(0)) return true;
  if (c.law == Law::disc) return counts(bench, base::at(c.tie));
  return bench.rows[i].free[0] + c.b[0] < 0;
}

void find_scales(Bench& bench) {
  const Problem& problem = bench.problem;
  bench.scale.assign(problem.bodies.size(), 0.0);
  bench.velocity_scale = bench.scale;
  std::vector<double> floors = bench.scale;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Row& row = bench.rows[i];
    if (row.island < 0) continue;
    const Constraint& c = problem.constraints[i];
    const double r = bench.impulse(i).stableNorm(), floor = row.floor / (1 << 20);
    floors[base::at(row.island)] = std::max(floors[base::at(row.island)], floor / row.d);
    if (!counts(bench, i)) continue;
    const double free = std::max(row.free.stableNorm(), floor) / row.d;
    const Few closing = row.free + Eigen::Map<const Few>(c.b, c.rows);
    double &scale = bench.scale[base::at(row.island)],
           &velocity = bench.velocity_scale[base::at(row.island)];
    scale = std::max({scale, row.d * r, free});
    velocity = std::max({velocity, free, closing.stableNorm() / row.d});
  }
  // Nothing acts: what the velocities are made of is all there is to measure by.
  for (std::size_t i = 0; i < bench.scale.size(); ++i)
    if (bench.scale[i] == 0) bench.scale[i] = bench.velocity_scale[i] = floors[i];
  // However large the impulses, velocities are measured by at most a thousand times themselves.
  for (std::size_t i = 0; i < bench.scale.size(); ++i)
    bench.velocity_scale[i] = bench.velocity_scale[i] > 0
                                  ? std::min(bench.scale[i], 1024 * bench.velocity_scale[i])
                                  : std::ldexp(bench.scale[i], -40);
  bench.momentum_scale = bench.scale;
  for (std::size_t j = 0; j < problem.bodies.size(); ++j) {
    const ProblemBody& b = problem.bodies[j];
    double& scale = bench.momentum_scale[base::at(bench.label[j])];
    scale = std::max(scale, bench.inertia.norm(j, problem.k.segment(b.first, b.size)));
  }
}

double over(double residual, double scale) {
  return residual == 0 ? 0 : residual / scale;
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

void judge_momentum(const Bench& bench, Judgement& j) {
  const Problem& problem = bench.problem;
  VecX p = -problem.k, size = problem.k.cwiseAbs();
  for (const ProblemBody& b : problem.bodies) {
    p.segment(b.first, b.size) += mass(b) * bench.v.segment(b.first, b.size);
    size.segment(b.first, b.size) +=
        mass(b).cwiseAbs() * bench.v.segment(b.first, b.size).cwiseAbs();
  }
  for (const BodyCoupling& c : problem.couplings)
    for (std::size_t side = 0; side < 2; ++side) {
      const ProblemBody &to = problem.bodies[base::at(c.body[side])],
                        &from = problem.bodies[base::at(c.body[1 - side])];
      for (int r = 0; r < to.size; ++r)
        for (int k = 0; k < from.size; ++k) {
          p[to.first + r] += c.A[side][r][k] * bench.v[from.first + k];
          size[to.first + r] += std::abs(c.A[side][r][k] * bench.v[from.first + k]);
        }
    }
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    for (int side = 0; side < 2; ++side) {
      if (c.body[base::at(side)] < 0) continue;
      const ProblemBody& b = problem.bodies[base::at(c.body[base::at(side)])];
      const Rows J = jacobian(c, side, b.size);
      p.segment(b.first, b.size) -= J.transpose() * bench.impulse(i);
      size.segment(b.first, b.size) += J.cwiseAbs().transpose() * bench.impulse(i).cwiseAbs();
    }
  }
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    const double s = bench.momentum_scale[base::at(bench.label[i])];
    const double residual = bench.inertia.norm(i, p.segment(b.first, b.size));
    const double rounding = rounding_unit * bench.inertia.norm(i, size.segment(b.first, b.size));
    note({.momentum = over(residual, s)}, -1, j);
    j.rounding = std::max(j.rounding, over(rounding, s));
  }
}

// Corners of a pyramid's section over mu; none: the section is a circle, or there is one direction.
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

// sigma of E4: the largest friction power per unit of normal impulse; the relaxed law is without.
double sigma(const Constraint& c, const Few& w) {
  if (c.law != Law::coulomb || c.rows < 2) return 0;
  if (c.rows == 2) return c.mu * std::abs(w[1]);
  const FrictionPolygon corners = section_of(c);
  if (corners.empty()) return c.mu * std::hypot(w[1], w[2]);
  double most = 0;
  for (const auto& [x, y] : corners) most = std::max(most, -(x * w[1] + y * w[2]));
  return c.mu * most;
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

// The residuals of one constraint with the scaling d in an island of scale s, s_v for velocities.
// `bound`: largest impulse of a disc.
Residuals residuals(const Constraint& c, const Few& w_row, const Few& lambda, double bound,
                    double d, double s, double s_v) {
  const Few r = d * lambda, w = w_row / d;
  Few w_hat = w;
  w_hat[0] += sigma(c, w);
  Residuals x;
  x.natural_map = over((r - nearest(c, d, d * bound, r - w_hat)).stableNorm(), s);
  x.cone = over((r - nearest(c, d, d * bound, r)).stableNorm(), s);
  if (c.law == Law::equality) x.equality = over(w.stableNorm(), s_v);
  if (!is_unilateral(c.law)) return x;
  x.gap_velocity = over(std::max(0.0, -w[0]), s_v);
  x.normal_impulse = over(std::max(0.0, -r[0]), s);
  x.complementarity = over(over(std::abs(r.dot(w_hat)), s), s);
  return x;
}

void judge_constraint(const Bench& bench, std::size_t i, Judgement& j) {
  const Constraint& c = bench.problem.constraints[i];
  const Row& row = bench.rows[i];
  const Few r = bench.impulse(i);
  const double s = bench.scale_of(row), s_v = bench.velocity_scale_of(row);
  const double bound =
      c.law == Law::disc ? c.mu * std::max(0.0, bench.impulse(base::at(c.tie))[0]) : 0;
  note(residuals(c, row.w, r, bound, row.d, s, s_v), static_cast<int>(i), j);
  const double size = (1 + c.mu) * row.size.norm() / row.d + row.d * r.norm();
  j.rounding = std::max(j.rounding, rounding_unit * over(size, std::min(s, s_v)));
}

}  // namespace

double Residuals::worst() const {
  double largest = 0;
  for (const auto field : residual_fields) largest = std::max(largest, this->*field);
  return largest;
}

Judgement judge(const Problem& problem, const VecX& v, const VecX& lambda) {
  Judgement j;
  const Mass inertia(problem);
  Bench bench{.problem = problem,
              .v = v,
              .lambda = lambda,
              .inertia = inertia,
              .v_free = inertia.solve(problem.k),
              .label = components(problem),
              .rows = {},
              .scale = {},
              .velocity_scale = {},
              .momentum_scale = {}};
  j.finite = v.allFinite() && lambda.allFinite();
  j.finite = j.finite && bench.v_free.allFinite();
  if (!j.finite) {
    j.momentum = std::numeric_limits<double>::infinity();
    return j;
  }
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    bench.rows.push_back(measure(bench, i));
  find_scales(bench);
  judge_momentum(bench, j);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) judge_constraint(bench, i, j);
  return j;
}

}  // namespace cairn::record
