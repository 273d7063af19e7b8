// Arithmetic on the small blocks of a problem: bodies of at most six velocities, constraints of at
// most three rows.
#pragma once

#include "cairn/problem.hpp"

namespace cairn {

using BodyBlock = double[max_velocities][max_velocities];

// inverse = A^-1 by Gauss-Jordan elimination with row pivoting; false if A is singular or not
// finite.
bool invert(const BodyBlock& A, int n, BodyBlock& inverse);

// w += J v for one body of a constraint.
inline void add_product(const double (&J)[max_rows][max_velocities], int rows, int n,
                        const double* v, double* w) {
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < n; ++c) sum += J[r][c] * v[c];
    w[r] += sum;
  }
}

// f += J^T lambda for one body of a constraint.
inline void add_transposed(const double (&J)[max_rows][max_velocities], int rows, int n,
                           const double* lambda, double* f) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < n; ++c) f[c] += J[r][c] * lambda[r];
}

// w = J v (+ b if asked) of constraint c.
void constraint_velocity(const Problem& problem, const Constraint& c, const double* v, bool with_b,
                         double* w);

}  // namespace cairn
