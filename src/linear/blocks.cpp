#include "linear/blocks.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"

namespace cairn::linear {
namespace {

// n: an int or a constant.
template <class Size>
bool invert_sized(const BodyBlock& A, Size n, BodyBlock& inverse) {
  double work[max_velocities][2 * max_velocities];
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      work[r][c] = A[r][c];
      work[r][n + c] = r == c ? 1 : 0;
    }
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int r = c + 1; r < n; ++r)
      if (std::abs(work[r][c]) > std::abs(work[pivot][c])) pivot = r;
    if (!(std::abs(work[pivot][c]) > 0) || !std::isfinite(work[pivot][c])) return false;
    if (pivot != c) std::swap_ranges(work[c], work[c] + 2 * n, work[pivot]);
    const double scale = 1 / work[c][c];
    for (int k = c; k < 2 * n; ++k) work[c][k] *= scale;
    for (int r = 0; r < n; ++r) {
      if (r == c || work[r][c] == 0) continue;
      const double factor = work[r][c];
      for (int k = c; k < 2 * n; ++k) work[r][k] -= factor * work[c][k];
    }
  }
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) inverse[r][c] = work[r][n + c];
  return true;
}

}  // namespace

bool invert(const BodyBlock& A, int n, BodyBlock& inverse) {
  CAIRN_DCHECK(n >= 1 && n <= max_velocities, n);
  return with_size(n, [&](auto size) { return invert_sized(A, size, inverse); });
}

void constraint_velocity(const Problem& problem, const Constraint& c, const double* v, bool with_b,
                         double* w) {
  CAIRN_DCHECK(c.rows >= 1 && c.rows <= max_rows, c.rows);
  double sum[max_rows] = {};
  if (with_b) std::copy_n(c.b, max_rows, sum);
  for (int side = 0; side < c.sides; ++side) {
    const int i = c.body[static_cast<std::size_t>(side)];
    if (i < 0) continue;
    const ProblemBody& body = problem.bodies[static_cast<std::size_t>(i)];
    add_product(c.J[side], c.rows, body.size, v + body.first, sum);
  }
  std::copy_n(sum, c.rows, w);
}

}  // namespace cairn::linear
