// Redundant contacts make G = I - D + D (I + e_n tau^T) W singular, and any regular neighbour of it
// throws the impulses about; the shortest step leaves alone what F does not ask for.
#include "solver/newton/least_steps.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace cairn::solver {
namespace {

constexpr int most_steps = 30;
constexpr int idle_steps = 8;  // steps without a better one

class LeastSteps {
 public:
  LeastSteps(const Island& island, double threshold, LeastStepBuffers& buffers)
      : island_(island), threshold_(threshold), b_(buffers) {}

  // u from v, whose digits are better than those of W r + q, and F.
  double evaluate(const std::vector<double>& v) {
    b_.u.resize(island_.rows);
    b_.f.resize(island_.rows);
    for (const Group& g : island_.groups) {
      double *u = b_.u.data() + g.first, z[max_rows], p[max_rows];
      const double* r = b_.r.data() + g.first;
      group_velocity(island_, g, v.data(), u);
      const double sigma = problem::slip_bound(g.set, u);
      for (int k = 0; k < g.rows; ++k) z[k] = r[k] - u[k] - (k == 0 ? sigma : 0);
      problem::project(g.set, z, p);
      for (int k = 0; k < g.rows; ++k) b_.f[g.first + k] = r[k] - p[k];
    }
    return b_.f.norm();
  }

  // Rows of groups that are open say dr = -F; the others share what is left.
  void find_step() {
    b_.step = -b_.f;
    b_.active.clear();
    b_.weight.setZero(island_.rows, max_rows);
    b_.rest.setZero(island_.rows, max_rows);
    for (const Group& g : island_.groups) {
      double D[max_rows][max_rows], tau[max_rows] = {}, z[max_rows];
      const double *u = b_.u.data() + g.first, *r = b_.r.data() + g.first;
      const double sigma = problem::slip_bound(g.set, u);
      for (int k = 0; k < g.rows; ++k) z[k] = r[k] - u[k] - (k == 0 ? sigma : 0);
      problem::project_derivative(g.set, z, D);
      problem::slip_gradient(g.set, u, tau);
      bool open = true;
      for (int i = 0; i < g.rows; ++i)
        for (int j = 0; j < g.rows; ++j) {
          open = open && D[i][j] == 0;
          b_.weight(g.first + i, j) = D[i][j] + D[i][0] * tau[j];
          b_.rest(g.first + i, j) = (i == j ? 1 : 0) - D[i][j];
        }
      if (!open)
        for (int i = 0; i < g.rows; ++i) b_.active.push_back(g.first + i);
    }
    solve_active();
  }

 private:
  void solve_active() {
    const auto n = static_cast<Eigen::Index>(b_.active.size());
    if (n == 0) return;
    b_.open = b_.step;
    for (const int i : b_.active) b_.open[i] = 0;
    b_.pushed.noalias() = b_.W * b_.open;
    b_.G.setZero(n, n);
    b_.right.resize(n);
    Eigen::Index row = 0;
    for (const Group& g : island_.groups) {
      if (row == n || b_.active[static_cast<std::size_t>(row)] != g.first) continue;
      for (int i = 0; i < g.rows; ++i, ++row) {
        b_.right[row] = -b_.f[g.first + i];
        for (int j = 0; j < g.rows; ++j) {
          const double w = b_.weight(g.first + i, j);
          b_.right[row] -= w * b_.pushed[g.first + j];
          if (w != 0)
            for (Eigen::Index c = 0; c < n; ++c)
              b_.G(row, c) += w * b_.W(g.first + j, b_.active[static_cast<std::size_t>(c)]);
          b_.G(row, row - i + j) += b_.rest(g.first + i, j);
        }
      }
    }
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors;
    factors.setThreshold(threshold_);
    factors.compute(b_.G);
    b_.solved = factors.solve(b_.right);
    for (Eigen::Index k = 0; k < n; ++k)
      b_.step[b_.active[static_cast<std::size_t>(k)]] = b_.solved[k];
  }

  const Island& island_;
  double threshold_;
  LeastStepBuffers& b_;
};

void velocities_of(const Island& island, const VecX& r, std::vector<double>& copy,
                   std::vector<double>& v) {
  copy.assign(r.data(), r.data() + r.size());
  velocities_from_impulses(island, copy, v);
}

}  // namespace

void fill_delassus(const Island& island, Eigen::MatrixXd& W) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(island.rows, island.velocities);
  VecX inverse(island.velocities);
  for (const IslandBody& b : island.bodies)
    for (int k = 0; k < b.size; ++k) inverse[b.first + k] = b.inverse[k];
  for (const Group& g : island.groups)
    for (int side = 0; side < g.sides; ++side) {
      if (g.body[side] < 0) continue;
      const IslandBody& b = island.bodies[base::at(g.body[side])];
      for (int r = 0; r < g.rows; ++r)
        for (int c = 0; c < b.size; ++c) J(g.first + r, b.first + c) += g.J[side][r][c];
    }
  W.noalias() = J * inverse.asDiagonal() * J.transpose();
}

IterationResult least_steps(const Island& island, double tolerance, double singular,
                            LeastStepBuffers& b, std::vector<double>& r, std::vector<double>& v) {
  velocities_from_impulses(island, r, v);
  IterationResult result{0, residual(island, r, v)};
  b.r = VecX::Map(r.data(), static_cast<Eigen::Index>(r.size()));
  LeastSteps steps(island, singular, b);
  int idle = 0;
  std::vector<double>& trial = b.trial;
  double merit = steps.evaluate(v);
  const double aim = std::min(tolerance, 1e-13);
  for (; result.iterations < most_steps && idle < idle_steps && !(result.residual <= aim) &&
         !island.interrupted(cost::dense * std::pow(static_cast<double>(island.rows), 3));
       ++result.iterations) {
    steps.find_step();
    if (!b.step.allFinite()) break;
    b.before = b.r;
    double t = 1, now = 0;
    for (int halvings = 0; halvings < 6; ++halvings, t *= 0.5) {
      b.r = b.before + t * b.step;
      velocities_of(island, b.r, trial, v);
      now = steps.evaluate(v);
      if (now <= (1 - 0.1 * t) * merit) break;
    }
    merit = now;  // the last one is taken in any case: F has kinks that a descent does not pass
    const double here = residual(island, trial, v);
    if (!std::isfinite(here)) break;
    ++idle;
    if (here < result.residual) {
      if (here < 0.9 * result.residual) idle = 0;
      result.residual = here;
      r = trial;
    } else if (result.residual <= tolerance) {
      break;
    }
  }
  velocities_from_impulses(island, r, v);
  return result;
}

}  // namespace cairn::solver
