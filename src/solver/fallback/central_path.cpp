#include "solver/fallback/central_path.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace cairn::solver {
namespace {

constexpr double straight = 0.7;  // cosine between the tangents at both ends of a step, at least
constexpr double shortest_arc = 1e-9;  // step at which the matrix is singular to rounding
constexpr double longest_arc = 3;
constexpr double near_eps = 3e-4;   // eps of the scale from which shortest steps may end it
constexpr double decade = 2.3;      // in log eps, from one attempt to the next
constexpr double last_eps = 1e-13;  // eps of the scale

// One constraint rounded off: F, its derivatives by r (own block) and by u, and by log eps.
struct Rounded {
  double F[max_rows] = {}, by_lambda[max_rows] = {};
  double by_r[max_rows][max_rows] = {}, by_u[max_rows][max_rows] = {};
};

// x - (w + sqrt(w^2 + 4 eps^2))/2 = 0, w = x - y, says x y = eps^2 with both positive.
void round_off_scalar(double r, double u, double eps, Rounded& out) {
  const double w = r - u, root = std::hypot(w, 2 * eps), P = 0.5 * (1 + w / root);
  out.F[0] = r - 0.5 * (w + root);
  out.by_r[0][0] = 1 - P;
  out.by_u[0][0] = P;
  out.by_lambda[0] = -2 * eps * eps / root;
}

// The same in the algebra of the second-order cone, x = (mu r_n, r_T), y = (u_n/mu + s, u_T),
// s^2 = |u_T|^2 + eps^2 under the exact law, 0 under the relaxed one.
void round_off_cone(const problem::LawSet& set, const double* r, const double* u, double eps,
                    Rounded& out) {
  const int n = set.rows;
  const double mu = set.mu;
  double slip = eps * eps;
  for (int k = 1; k < n; ++k) slip += u[k] * u[k];
  const bool exact = set.law == Law::coulomb;
  const double s = exact ? std::sqrt(slip) : 0;
  double x[max_rows] = {}, w[max_rows] = {}, e[max_rows] = {}, size = 0;
  for (int k = 0; k < n; ++k) {
    x[k] = k == 0 ? mu * r[0] : r[k];
    w[k] = x[k] - (k == 0 ? u[0] / mu + s : u[k]);
    if (k > 0) size += w[k] * w[k];
  }
  size = std::sqrt(size);
  if (size > 0)
    for (int k = 1; k < n; ++k) e[k] = w[k] / size;
  else
    e[1] = 1;
  const double upper = w[0] + size, lower = w[0] - size;
  const double root_u = std::hypot(upper, 2 * eps), root_l = std::hypot(lower, 2 * eps);
  const double slope_u = upper / root_u, slope_l = lower / root_l;
  const double mean = 0.5 * (slope_u + slope_l), half = 0.5 * (slope_u - slope_l);
  const double across = size > 0 ? (root_u - root_l) / (upper - lower) : mean;
  double P[max_rows][max_rows] = {};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double d = 0;
      if (i == 0 && j == 0)
        d = mean;
      else if (i == 0 || j == 0)
        d = half * e[i + j];
      else
        d = (i == j ? across : 0) + (mean - across) * e[i] * e[j];
      P[i][j] = 0.5 * ((i == j ? 1 : 0) + d);
    }
  const double push_u = 4 * eps * eps / root_u, push_l = 4 * eps * eps / root_l;  // by log eps
  const double s_lambda = exact ? eps * eps / s : 0;
  for (int i = 0; i < n; ++i) {
    const double root = i == 0 ? 0.5 * (root_u + root_l) : 0.5 * (root_u - root_l) * e[i];
    out.F[i] = x[i] - 0.5 * (w[i] + root);
    const double push = i == 0 ? 0.25 * (push_u + push_l) : 0.25 * (push_u - push_l) * e[i];
    out.by_lambda[i] = -push + P[i][0] * s_lambda;
    for (int j = 0; j < n; ++j) {
      out.by_r[i][j] = ((i == j ? 1 : 0) - P[i][j]) * (j == 0 ? mu : 1);
      out.by_u[i][j] = j == 0 ? P[i][0] / mu : P[i][j] + (exact ? P[i][0] * u[j] / s : 0);
    }
  }
}

void round_off(const problem::LawSet& set, const double* r, const double* u, double eps,
               Rounded& out) {
  out = {};
  if (set.law == Law::equality) {
    for (int k = 0; k < set.rows; ++k) {
      out.F[k] = u[k];
      out.by_u[k][k] = 1;
    }
  } else if (set.rows == 1 || !(set.mu > 0)) {
    round_off_scalar(r[0], u[0], eps, out);
    for (int k = 1; k < set.rows; ++k) {
      out.F[k] = r[k];
      out.by_r[k][k] = 1;
    }
  } else {
    round_off_cone(set, r, u, eps, out);
  }
}

// The curve F(r, log eps) = 0 in the variables z = (r / scale, log eps).
class Curve {
 public:
  Curve(const Island& island, CentralPathBuffers& buffers) : island_(island), b_(buffers) {
    n_ = island.rows;
    b_.q = Eigen::Map<const VecX>(island.u_free.data(), n_);
    scale_ = b_.q.cwiseAbs().maxCoeff();
    b_.F.resize(n_);
    b_.F_lambda.resize(n_);
    b_.K.resize(n_ + 1, n_ + 1);
    b_.right.resize(n_ + 1);
  }
  double scale() const { return scale_; }
  double eps(const VecX& z) const { return std::exp(z[n_]); }
  int solves() const { return solves_; }

  // F, and K with `row` as its last row.
  void evaluate(const VecX& z, const VecX* row) {
    const double e = eps(z);
    b_.u = b_.q;
    b_.u.noalias() += scale_ * (b_.least.W * z.head(n_));
    for (const Group& g : island_.groups) {
      double r[max_rows];
      for (int k = 0; k < g.rows; ++k) r[k] = scale_ * z[g.first + k];
      Rounded c;
      round_off(g.set, r, b_.u.data() + g.first, e, c);
      for (int k = 0; k < g.rows; ++k) {
        b_.F[g.first + k] = c.F[k];
        b_.F_lambda[g.first + k] = c.by_lambda[k];
      }
      if (!row) continue;
      for (int i = 0; i < g.rows; ++i) {
        auto out = b_.K.row(g.first + i).head(n_);
        out.setZero();
        for (int j = 0; j < g.rows; ++j)
          if (c.by_u[i][j] != 0) out += scale_ * c.by_u[i][j] * b_.least.W.row(g.first + j);
        for (int j = 0; j < g.rows; ++j) out[g.first + j] += scale_ * c.by_r[i][j];
      }
    }
    if (!row) return;
    b_.K.col(n_).head(n_) = b_.F_lambda;
    b_.K.row(n_) = scale_ * row->transpose();
  }

  // Newton at a fixed eps.
  bool start(VecX& z) {
    VecX row = VecX::Zero(n_ + 1);
    row[n_] = 1;
    for (int steps = 0; steps < 40; ++steps) {
      evaluate(z, &row);
      const double merit = b_.F.norm();
      if (b_.F.cwiseAbs().maxCoeff() <= 1e-3 * eps(z)) return true;
      b_.right.head(n_) = -b_.F;
      b_.right[n_] = 0;
      solve(b_.change);
      double t = 1;
      for (int halvings = 0;; ++halvings, t *= 0.5) {
        if (halvings == 10) return false;
        b_.ahead = z + t * b_.change;
        evaluate(b_.ahead, nullptr);
        if (b_.F.norm() <= (1 - 0.1 * t) * merit) break;
      }
      z = b_.ahead;
    }
    return false;
  }

  // The curve's direction at z, onward from `before`.
  bool tangent(const VecX& z, const VecX& before, VecX& t) {
    evaluate(z, &before);
    b_.right.setZero();
    b_.right[n_] = scale_;
    solve(t);
    const double size = t.norm();
    t /= size;
    return std::isfinite(size);
  }

  // From z + length t back to the curve, across t. The work tells how curved it is; 0: too far.
  int correct(const VecX& z, const VecX& t, double length, VecX& out) {
    b_.predicted = z + length * t;
    out = b_.predicted;
    double before = 0;
    for (int i = 0; i < 7; ++i) {
      evaluate(out, &t);
      b_.right.head(n_) = b_.F;
      b_.right[n_] = scale_ * t.dot(out - b_.predicted);
      solve(b_.change);
      const double size = b_.change.norm();
      if (!std::isfinite(size) || size > (i == 0 ? 0.7 * length : 0.6 * before)) return 0;
      const bool small = b_.F.cwiseAbs().maxCoeff() < 1e-3 * eps(out) || size < 1e-3 * length;
      out -= b_.change;
      if (small) return i + 1;
      before = size;
    }
    return 0;
  }

 private:
  void solve(VecX& x) {
    ++solves_;
    x = b_.K.partialPivLu().solve(b_.right);
  }

  const Island& island_;
  CentralPathBuffers& b_;
  Eigen::Index n_ = 0;
  double scale_ = 0;
  int solves_ = 0;
};

}  // namespace

bool path_takes(const Island& island, const CentralPathLimits& limits) {
  if (!island.inertia.rest.empty() || island.rows > limits.rows) return false;
  return std::all_of(island.groups.begin(), island.groups.end(), [](const Group& g) {
    return g.set.law != Law::box && g.set.law != Law::disc && g.set.corners.empty();
  });
}

IterationResult follow_central_path(const Island& island, const CentralPathLimits& limits,
                                    CentralPathBuffers& b, std::vector<double>& r,
                                    std::vector<double>& v) {
  velocities_from_impulses(island, r, v);
  IterationResult result{0, residual(island, r, v)};
  fill_delassus(island, b.least.W);
  Curve curve(island, b);
  const double scale = curve.scale(), n = island.rows + 1;
  if (!(scale > 0)) return result;
  const int most =
      static_cast<int>(std::min<double>(limits.solves, limits.operations / (n * n * n)));
  auto finish = [&] {
    for (const double singular : singular_pivots) {
      b.trial.resize(r.size());
      VecX::Map(b.trial.data(), island.rows) = scale * b.z.head(island.rows);
      const IterationResult found =
          least_steps(island, limits.tolerance, singular, b.least, b.trial, v);
      result.iterations += found.iterations;
      if (!(found.residual < result.residual)) continue;
      result.residual = found.residual;
      r = b.trial;
      if (result.residual <= limits.tolerance) return;
    }
  };
  b.z.setZero(island.rows + 1);
  for (const Group& g : island.groups)
    if (g.set.law != Law::equality) b.z[g.first] = 1;
  b.z[island.rows] = std::log(scale);
  b.next.setZero(island.rows + 1);
  b.next[island.rows] = -1;
  double length = 0.3, attempt = std::log(near_eps * scale);
  bool onward = curve.start(b.z) && curve.tangent(b.z, b.next, b.tangent);
  const double work_of_step = cost::dense * std::pow(static_cast<double>(island.rows), 3);
  while (onward && curve.solves() < most && !island.interrupted(work_of_step) &&
         b.z[island.rows] > std::log(last_eps * scale)) {
    const int work = curve.correct(b.z, b.tangent, length, b.ahead);
    const bool kept =
        work > 0 && curve.tangent(b.ahead, b.tangent, b.next) && b.next.dot(b.tangent) >= straight;
    if (!kept) {
      length *= 0.4;
      onward = length > shortest_arc;
      continue;
    }
    std::swap(b.z, b.ahead);
    std::swap(b.tangent, b.next);
    if (work <= 3) length = std::min(1.7 * length, longest_arc);
    if (b.z[island.rows] > attempt) continue;
    attempt = b.z[island.rows] - decade;
    finish();
    if (result.residual <= limits.tolerance) break;
  }
  if (result.residual > limits.tolerance && curve.eps(b.z) < near_eps * scale) finish();
  result.iterations += curve.solves();
  velocities_from_impulses(island, r, v);
  return result;
}

}  // namespace cairn::solver
