// Arithmetic on the small blocks of a problem: bodies of at most six velocities, constraints of at
// most three rows.
#pragma once

#include <type_traits>

#include "cairn/problem.hpp"
#include "linear/number_pair.hpp"

namespace cairn::linear {

using BodyBlock = double[max_velocities][max_velocities];

// Calls f(rows, n) with constants where a constraint of that many rows on a body of n velocities is
// common, so that loops over them become straight-line code; the order of the sums is the same.
template <class F>
inline auto with_sizes(int rows, int n, const F& f) {
  if (rows == 3 && n == 6)
    return f(std::integral_constant<int, 3>(), std::integral_constant<int, 6>());
  if (rows == 2 && n == 3)
    return f(std::integral_constant<int, 2>(), std::integral_constant<int, 3>());
  return f(rows, n);
}

// The same for the velocities of one body.
template <class F>
inline auto with_size(int n, const F& f) {
  if (n == 6) return f(std::integral_constant<int, 6>());
  if (n == 3) return f(std::integral_constant<int, 3>());
  return f(n);
}

// inverse = A^-1 by Gauss-Jordan elimination with row pivoting; false if A is singular or not
// finite.
bool invert(const BodyBlock& A, int n, BodyBlock& inverse);

// Six numbers, those of a body in space, times six others.
inline double product_of_six(const double* a, const double* b) {
  const NumberPair sum = load_pair(a) * load_pair(b) + load_pair(a + 2) * load_pair(b + 2) +
                         load_pair(a + 4) * load_pair(b + 4);
  return sum[0] + sum[1];
}

// J_r . v for bodies of n velocities; planar and spatial bodies get straight-line code.
inline double row_product(const double* J, int n, const double* v) {
  if (n == 3) return J[0] * v[0] + J[1] * v[1] + J[2] * v[2];
  if (n == 6) return product_of_six(J, v);
  double sum = 0;
  for (int c = 0; c < n; ++c) sum += J[c] * v[c];
  return sum;
}

// w += J v for one body of a constraint.
inline void add_product(const double (&J)[max_rows][max_velocities], int rows, int n,
                        const double* v, double* w) {
  with_sizes(rows, n, [&](auto rows_, auto n_) {
    for (int r = 0; r < rows_; ++r) w[r] += row_product(J[r], n_, v);
  });
}

// f += J^T lambda for one body of a constraint.
inline void add_transposed(const double (&J)[max_rows][max_velocities], int rows, int n,
                           const double* lambda, double* f) {
  if (rows == 3 && n == 6) {
    const NumberPair x = both(lambda[0]), y = both(lambda[1]), z = both(lambda[2]);
    for (int c = 0; c < 6; c += 2)
      store_pair(load_pair(f + c) +
                     (load_pair(J[0] + c) * x + load_pair(J[1] + c) * y + load_pair(J[2] + c) * z),
                 f + c);
    return;
  }
  with_sizes(rows, n, [&](auto rows_, auto n_) {
    for (int r = 0; r < rows_; ++r)
      for (int c = 0; c < n_; ++c) f[c] += J[r][c] * lambda[r];
  });
}

// w = J v (+ b if asked) of constraint c.
void constraint_velocity(const Problem& problem, const Constraint& c, const double* v, bool with_b,
                         double* w);

}  // namespace cairn::linear
