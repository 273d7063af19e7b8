#include "solver/island/coupling.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::solver {

bool invert(ThetaBlock& theta, int rows) {
  double work[max_rows][2 * max_rows];
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < rows; ++c) {
      work[r][c] = theta.value[r][c];
      work[r][rows + c] = r == c ? 1 : 0;
    }
  for (int c = 0; c < rows; ++c) {
    int pivot = c;
    for (int r = c + 1; r < rows; ++r)
      if (std::abs(work[r][c]) > std::abs(work[pivot][c])) pivot = r;
    if (!(std::abs(work[pivot][c]) > 0)) return false;
    if (pivot != c) std::swap_ranges(work[c], work[c] + 2 * rows, work[pivot]);
    const double scale = 1 / work[c][c];
    for (int k = c; k < 2 * rows; ++k) work[c][k] *= scale;
    for (int r = 0; r < rows; ++r) {
      if (r == c) continue;
      const double factor = work[r][c];
      for (int k = c; k < 2 * rows; ++k) work[r][k] -= factor * work[c][k];
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < rows; ++c) theta.inverse[r][c] = work[r][rows + c];
  return true;
}

}  // namespace cairn::solver
