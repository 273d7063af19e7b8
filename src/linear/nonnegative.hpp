// Small problems x >= 0, W x + r >= 0, x . (W x + r) = 0 with a symmetric positive semidefinite W:
// the impulses of contacts that do not open. By the active set method of Lawson and Hanson, which
// looks at the columns of W of few unknowns: they may be computed when they are needed (E730).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace cairn::linear {

class NonnegativeProblem {
 public:
  // All entries are zero.
  void begin(std::size_t n);
  std::size_t size() const { return r.size(); }
  double& W(std::size_t i, std::size_t k) { return W_[i * size() + k]; }
  double W(std::size_t i, std::size_t k) const { return W_[i * size() + k]; }

  // x, from zero. Unknowns whose W_ii is zero stay zero. False if it does not come to an end.
  bool solve() {
    return solve([](std::size_t) {});
  }
  // The same with column(i) called once before W(., i) is read.
  template <class Column>
  bool solve(const Column& column);
  // Columns that were asked for.
  std::size_t columns() const { return columns_; }

  std::vector<double> r, x;

 private:
  static constexpr double enough = 1e-13;  // slack that counts as zero, of the largest -r [-]

  double slack(std::size_t i) const;  // (W x + r)_i
  bool solve_active();                // W z = -r on the active set
  bool step_towards_z();
  bool reach_z();  // solve_active() and step_towards_z() in turn

  std::vector<double> W_, factor_, z_;
  std::vector<std::size_t> active_;
  std::vector<char> blocked_, known_;
  std::size_t columns_ = 0;
};

template <class Column>
bool NonnegativeProblem::solve(const Column& column) {
  const std::size_t n = size();
  active_.clear();
  blocked_.assign(n, 0);
  known_.assign(n, 0);
  columns_ = 0;
  double largest = 0;
  for (const double value : r) largest = std::max(largest, -value);
  const std::size_t max_changes = 4 * n + 16;
  for (std::size_t change = 0; change < max_changes; ++change) {
    std::size_t worst = n;
    double least = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (x[i] > 0 || blocked_[i]) continue;
      const double s = slack(i);
      if (!(s < -enough * largest)) continue;
      if (!known_[i]) {
        column(i);
        known_[i] = 1;
        ++columns_;
      }
      if (!(W(i, i) > 0)) continue;
      if (const double depth = s / std::sqrt(W(i, i)); depth < least) least = depth, worst = i;
    }
    if (worst == n) return true;
    active_.push_back(worst);
    if (!(solve_active() && z_.back() > 0)) {
      // Rounding alone: the others say the same already.
      active_.pop_back();
      blocked_[worst] = 1;
      continue;
    }
    if (!reach_z()) return false;
    std::fill(blocked_.begin(), blocked_.end(), 0);
  }
  return false;
}

}  // namespace cairn::linear
