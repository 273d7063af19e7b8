// Problems made by hand or at random, and their dense matrices: shared by the tests of problem and
// solve.
#pragma once

#include <cmath>
#include <numbers>
#include <random>

#include "base/index.hpp"
#include "cairn/problem.hpp"

namespace cairn::make {

using Random = std::mt19937_64;

inline double uniform(Random& random, double lo, double hi) {
  return lo + (hi - lo) * static_cast<double>(random() >> 11) * 0x1p-53;
}

inline double normal(Random& random) {
  // Sum of uniforms: the same bits with every standard library.
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += uniform(random, -0.5, 0.5);
  return sum;
}

inline int pick(Random& random, int n) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(n));
}

// A convex polygon around the origin, its largest radius one (E247): points of an ellipse off the
// origin.
inline std::shared_ptr<const FrictionPolygon> random_polygon(Random& random, int corners) {
  for (;;) {
    const double a = uniform(random, 0.2, 1), b = uniform(random, 0.2, 1);
    const double x = uniform(random, -0.6, 0.6) * a, y = uniform(random, -0.6, 0.6) * b;
    FrictionPolygon polygon;
    for (int i = 0; i < corners; ++i) {
      const double angle = 2 * std::numbers::pi * (i + uniform(random, -0.4, 0.4)) / corners;
      polygon.push_back({x + a * std::cos(angle), y + b * std::sin(angle)});
    }
    if (!make_convex(polygon).empty()) continue;
    const double size = largest(polygon);
    for (Corner& c : polygon) c = {c[0] / size, c[1] / size};
    return std::make_shared<const FrictionPolygon>(polygon);
  }
}

// A body with mass matrix A that would move with v_free if nothing held it.
inline int add_body(Problem& problem, const Eigen::MatrixXd& A, const VecX& v_free) {
  ProblemBody body;
  body.first = problem.velocities();
  body.size = static_cast<int>(A.rows());
  for (int r = 0; r < body.size; ++r)
    for (int c = 0; c < body.size; ++c) body.A[r][c] = A(r, c);
  const VecX k = A * v_free;
  problem.k.conservativeResize(body.first + body.size);
  problem.k.tail(body.size) = k;
  problem.bodies.push_back(body);
  if (problem.first_row.empty()) problem.first_row = {0};
  return static_cast<int>(problem.bodies.size()) - 1;
}

inline int add_body(Problem& problem, std::initializer_list<double> diagonal, const VecX& v_free) {
  VecX d(static_cast<Eigen::Index>(diagonal.size()));
  std::copy(diagonal.begin(), diagonal.end(), d.begin());
  return add_body(problem, Eigen::MatrixXd(d.asDiagonal()), v_free);
}

// Blocks of A between bodies i and j, rows of i and rows of j.
inline void add_coupling(Problem& problem, int i, int j, const Eigen::MatrixXd& ij,
                         const Eigen::MatrixXd& ji) {
  BodyCoupling& c = problem.couplings.emplace_back();
  c.body = {i, j};
  for (Eigen::Index r = 0; r < ij.rows(); ++r)
    for (Eigen::Index k = 0; k < ij.cols(); ++k) {
      c.A[0][r][k] = ij(r, k);
      c.A[1][k][r] = ji(k, r);
    }
}

inline Constraint& add(Problem& problem, Law law, int rows, int a, int b = -1) {
  Constraint c;
  c.law = law;
  c.rows = rows;
  c.body = {a, b};
  c.key.element = static_cast<std::int32_t>(problem.constraints.size());
  problem.names.push_back("c" + std::to_string(c.key.element));
  problem.constraints.push_back(c);
  problem.first_row.push_back(problem.first_row.back() + rows);
  return problem.constraints.back();
}

inline void fill_random(Random& random, const Problem& problem, Constraint& c) {
  for (std::size_t side = 0; side < base::at(c.sides); ++side)
    for (int r = 0; r < c.rows && c.body[side] >= 0; ++r)
      for (int k = 0; k < problem.bodies[base::at(c.body[side])].size; ++k)
        c.J[side][r][k] = normal(random);
}

inline Eigen::MatrixXd random_spd(Random& random, int n) {
  Eigen::MatrixXd B(n, n);
  for (double& x : B.reshaped()) x = normal(random);
  return B * B.transpose() / n + 0.5 * Eigen::MatrixXd::Identity(n, n);
}

inline VecX random_vector(Random& random, int n) {
  VecX x(n);
  for (double& value : x) value = normal(random);
  return x;
}

// The problem as plain matrices.
struct Dense {
  Eigen::MatrixXd A, J;
  VecX b, v_free;
  Eigen::MatrixXd W;  // J A^-1 J^T + C
  VecX q;             // J v_free + b
};

// By Gauss-Jordan elimination, for matrices whose symmetric part is positive definite.
inline Eigen::MatrixXd inverse(Eigen::MatrixXd A) {
  Eigen::MatrixXd X = Eigen::MatrixXd::Identity(A.rows(), A.cols());
  for (Eigen::Index c = 0; c < A.cols(); ++c) {
    X.row(c) /= A(c, c);
    A.row(c) /= A(c, c);
    for (Eigen::Index r = 0; r < A.rows(); ++r) {
      if (r == c) continue;
      X.row(r) -= A(r, c) * X.row(c);
      A.row(r) -= A(r, c) * Eigen::RowVectorXd(A.row(c));
    }
  }
  return X;
}

inline Dense dense(const Problem& problem) {
  Dense d;
  const int n = problem.velocities(), m = problem.rows();
  d.A = Eigen::MatrixXd::Zero(n, n);
  d.J = Eigen::MatrixXd::Zero(m, n);
  d.b = VecX::Zero(m);
  for (const ProblemBody& body : problem.bodies)
    for (int r = 0; r < body.size; ++r)
      for (int c = 0; c < body.size; ++c) d.A(body.first + r, body.first + c) = body.A[r][c];
  for (const BodyCoupling& c : problem.couplings) {
    const ProblemBody &a = problem.bodies[base::at(c.body[0])],
                      &b = problem.bodies[base::at(c.body[1])];
    for (int r = 0; r < a.size; ++r)
      for (int k = 0; k < b.size; ++k) {
        d.A(a.first + r, b.first + k) += c.A[0][r][k];
        d.A(b.first + k, a.first + r) += c.A[1][k][r];
      }
  }
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    for (int r = 0; r < c.rows; ++r) {
      const int row = problem.first_row[i] + r;
      d.b[row] = c.b[r];
      for (std::size_t side = 0; side < base::at(c.sides); ++side) {
        if (c.body[side] < 0) continue;
        const ProblemBody& body = problem.bodies[base::at(c.body[side])];
        for (int k = 0; k < body.size; ++k) d.J(row, body.first + k) = c.J[side][r][k];
      }
    }
  }
  const Eigen::MatrixXd A_inverse = inverse(d.A);
  d.v_free = A_inverse * problem.k;
  d.W = d.J * A_inverse * d.J.transpose();
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    for (int r = 0; r < problem.constraints[i].rows; ++r) {
      const int row = problem.first_row[i] + r;
      d.W(row, row) += problem.constraints[i].compliance[r];
    }
  d.q = d.J * d.v_free + d.b;
  return d;
}

}  // namespace cairn::make
