#include "linear/anderson.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <numeric>

namespace cairn::linear {

void Anderson::advance(std::vector<double>& z, const std::vector<double>& g) {
  const std::size_t n = z.size();
  if (used_ > 0) {
    const int slot = (used_ - 1) % window;
    auto &dz = dz_[slot], &dg = dg_[slot];
    dz.resize(n);
    dg.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      dz[i] = z[i] - z_last_[i];
      dg[i] = g[i] - g_last_[i];
    }
    const int known = std::min(used_, window);
    for (int j = 0; j < known; ++j)
      products_(slot, j) = products_(j, slot) =
          std::inner_product(dg.begin(), dg.end(), dg_[j].begin(), 0.0);
  }
  z_last_ = z;
  g_last_ = g;
  for (std::size_t i = 0; i < n; ++i) z[i] += g[i];
  if (const int m = std::min(used_, window); m > 0) {
    using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, window, window>;
    Small G = products_.topLeftCorner(m, m);
    G.diagonal() *= 1 + 1e-12;  // iterates may repeat themselves
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, window, 1> right(m);
    for (int j = 0; j < m; ++j)
      right[j] = std::inner_product(g.begin(), g.end(), dg_[j].begin(), 0.0);
    const auto share = G.ldlt().solve(right).eval();
    for (int j = 0; j < m; ++j)
      for (std::size_t i = 0; i < n; ++i) z[i] -= share[j] * (dz_[j][i] + dg_[j][i]);
  }
  ++used_;
}

}  // namespace cairn::linear
