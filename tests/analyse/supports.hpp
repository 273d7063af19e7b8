// Bodies on supports and in grooves, for the tests of what impulses are left open; and solutions by
// enumeration of vertices.
#pragma once

#include <functional>
#include <numbers>

#include "cairn/solver.hpp"
#include "problem/make_problem.hpp"

namespace cairn::make {

// A plate that can move along z and turn about x and y, under the impulse `weight`, on legs at
// (x, y) without friction.
inline Problem plate(const std::vector<std::array<double, 2>>& legs, double weight) {
  Problem problem;
  add_body(problem, {2, 1, 1}, Vec3(-weight / 2, 0, 0));
  for (const auto& [x, y] : legs) {
    Constraint& c = add(problem, Law::nonnegative, 1, 0);
    c.J[0][0][0] = 1;
    c.J[0][0][1] = y;
    c.J[0][0][2] = -x;
  }
  return problem;
}

// A disc of radius one, mass one, in a groove of opening angle theta, under the impulse `weight`.
// Angle zero: between two parallel walls.
inline Problem groove(double theta, double mu, double weight) {
  Problem problem;
  add_body(problem, {1, 1, 0.5}, Vec3(0, -weight, 0));
  for (const double side : {1.0, -1.0}) {
    Constraint& c = add(problem, Law::coulomb, 2, 0);
    c.mu = mu;
    const double nx = side * std::cos(theta / 2), ny = std::sin(theta / 2);
    c.J[0][0][0] = nx;
    c.J[0][0][1] = ny;
    c.J[0][1][0] = -ny;
    c.J[0][1][1] = nx;
    c.J[0][1][2] = -1;  // at -n: (-nx)(nx) - (-ny)(-ny)
  }
  return problem;
}

// A ball of radius one between two planes in space whose normals are tilted against each other.
inline Problem ball_in_groove(double theta, double mu, double weight, int facets = 0) {
  Problem problem;
  add_body(problem, {1, 1, 1, 0.4, 0.4, 0.4}, (VecX(6) << 0, -weight, 0, 0, 0, 0).finished());
  for (const double side : {1.0, -1.0}) {
    Constraint& c = add(problem, Law::coulomb, 3, 0);
    c.mu = mu;
    c.facets = facets;
    const Vec3 n(side * std::cos(theta / 2), std::sin(theta / 2), 0);
    const Vec3 axes[3] = {n, Vec3(-n.y(), n.x(), 0), Vec3(0, 0, 1)};
    for (int r = 0; r < 3; ++r) {
      const Vec3 lever = (-n).cross(axes[r]);
      for (int k = 0; k < 3; ++k) {
        c.J[0][r][k] = axes[r][k];
        c.J[0][r][3 + k] = lever[k];
      }
    }
  }
  return problem;
}

inline Solution solved(const Problem& problem) {
  SolverWorkspace workspace;
  Solution solution;
  solve(problem, Auto{}, workspace, solution);
  return solution;
}

// {M x = g, x >= 0} by brute force: every basis is tried.
struct Polyhedron {
  Eigen::MatrixXd vertices;  // columns
  Eigen::MatrixXd rays;      // of the recession cone, sums of entries one
};

inline Eigen::MatrixXd basic_solutions(const Eigen::MatrixXd& M, const VecX& g) {
  // Rows that are independent, by Gauss elimination on [M g].
  Eigen::MatrixXd T(M.rows(), M.cols() + 1);
  T << M, g;
  int rank = 0;
  for (Eigen::Index c = 0; c < M.cols() && rank < T.rows(); ++c) {
    Eigen::Index p = 0;
    if (!(T.col(c).tail(T.rows() - rank).cwiseAbs().maxCoeff(&p) > 1e-10)) continue;
    T.row(rank).swap(T.row(rank + p));
    T.row(rank) /= T(rank, c);
    for (Eigen::Index r = 0; r < T.rows(); ++r)
      if (r != rank) T.row(r) -= T(r, c) * Eigen::RowVectorXd(T.row(rank));
    ++rank;
  }
  const int n = static_cast<int>(M.cols());
  std::vector<VecX> found;
  std::vector<int> chosen;
  const std::function<void(int)> choose = [&](int from) {
    if (static_cast<int>(chosen.size()) < rank) {
      for (int j = from; j < n; ++j) {
        chosen.push_back(j);
        choose(j + 1);
        chosen.pop_back();
      }
      return;
    }
    Eigen::MatrixXd B(rank, rank + 1);
    for (int k = 0; k < rank; ++k) B.col(k) = T.col(chosen[base::at(k)]).head(rank);
    B.col(rank) = T.col(n).head(rank);
    for (int c = 0; c < rank; ++c) {
      Eigen::Index p = 0;
      if (!(B.col(c).tail(rank - c).cwiseAbs().maxCoeff(&p) > 1e-9)) return;
      B.row(c).swap(B.row(c + p));
      B.row(c) /= B(c, c);
      for (int r = 0; r < rank; ++r)
        if (r != c) B.row(r) -= B(r, c) * Eigen::RowVectorXd(B.row(c));
    }
    if (rank > 0 && B.col(rank).minCoeff() < -1e-9) return;
    VecX x = VecX::Zero(n);
    for (int k = 0; k < rank; ++k) x[chosen[base::at(k)]] = B(k, rank);
    found.push_back(x);
  };
  choose(0);
  Eigen::MatrixXd result(n, static_cast<Eigen::Index>(found.size()));
  for (std::size_t k = 0; k < found.size(); ++k)
    result.col(static_cast<Eigen::Index>(k)) = found[k];
  return result;
}

inline Polyhedron enumerate(const Eigen::MatrixXd& M, const VecX& g) {
  Eigen::MatrixXd bordered(M.rows() + 1, M.cols());
  bordered << M, Eigen::RowVectorXd::Ones(M.cols());
  VecX unit = VecX::Zero(M.rows() + 1);
  unit.tail(1).setOnes();
  Polyhedron result{basic_solutions(M, g), basic_solutions(bordered, unit)};
  // Where the bordered system has no solution elimination leaves 0 = 1 behind: check each.
  std::vector<Eigen::Index> good;
  for (Eigen::Index k = 0; k < result.rays.cols(); ++k)
    if ((bordered * result.rays.col(k) - unit).norm() < 1e-7) good.push_back(k);
  Eigen::MatrixXd rays(M.cols(), static_cast<Eigen::Index>(good.size()));
  for (std::size_t k = 0; k < good.size(); ++k)
    rays.col(static_cast<Eigen::Index>(k)) = result.rays.col(good[k]);
  result.rays = rays;
  return result;
}

}  // namespace cairn::make
