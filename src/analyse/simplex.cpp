#include "analyse/simplex.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/infinity.hpp"

namespace cairn::analyse {
namespace {

// All columns and g are of order one.
constexpr double least_pivot = 1e-9;
constexpr double optimality = 1e-11;  // of a reduced cost, relative to the costs and their duals
constexpr double slack = 1e-11;       // by which a bound may be passed for a larger pivot
constexpr double zero_step = 1e-12;   // steps below it count as stalled
constexpr double feasible = 1e-9;     // sum of artificials that counts as none
constexpr int refactor_after = 100;   // pivots
constexpr int stalled_pivots = 20;    // stalled pivots before Bland's rule

}  // namespace

Simplex::Simplex(const VecX& g)
    : artificials_(static_cast<int>(g.size())), g_(g), y_(VecX::Zero(g.size())) {
  inverse_ = Eigen::MatrixXd::Zero(g.size(), g.size());
  for (int i = 0; i < artificials_; ++i) {
    row_.push_back(i);
    value_.push_back(g[i] < 0 ? -1 : 1);
    start_.push_back(i + 1);
    inverse_(i, i) = value_.back();
  }
  upper_.assign(base::at(artificials_), base::infinity);
  free_.assign(base::at(artificials_), 0);
  at_upper_ = free_;
  basic_.assign(base::at(artificials_), 1);
  for (int i = 0; i < artificials_; ++i) basis_.push_back(i);
  x_ = g.cwiseAbs();
  alpha_.resize(g.size());
}

int Simplex::add(const VecX& column, double upper, bool free) {
  for (int i = 0; i < artificials_; ++i)
    if (column[i] != 0) {
      row_.push_back(i);
      value_.push_back(column[i]);
    }
  start_.push_back(static_cast<int>(row_.size()));
  upper_.push_back(upper);
  free_.push_back(free ? 1 : 0);
  at_upper_.push_back(0);
  basic_.push_back(0);
  return columns() - 1;
}

double Simplex::dot(int column, const VecX& y) const {
  double sum = 0;
  for (int k = start_[base::at(column)]; k < start_[base::at(column) + 1]; ++k)
    sum += value_[base::at(k)] * y[row_[base::at(k)]];
  return sum;
}

void Simplex::subtract(int column, double factor, VecX& rest) const {
  for (int k = start_[base::at(column)]; k < start_[base::at(column) + 1]; ++k)
    rest[row_[base::at(k)]] -= factor * value_[base::at(k)];
}

Simplex::Status Simplex::start() {
  VecX costs = VecX::Zero(static_cast<Eigen::Index>(upper_.size()));
  costs.head(artificials_).setOnes();
  const Status status = iterate(costs);
  double left = 0;
  for (int i = 0; i < artificials_; ++i)
    if (basis_[base::at(i)] < artificials_) left += std::abs(x_[i]);
  if (status != Status::optimal || left > feasible * std::max(1, artificials_))
    return Status::failed;
  // What stays in the basis stays at zero, and leaves when it would have to move.
  for (int i = 0; i < artificials_; ++i) {
    upper_[base::at(i)] = 0;
    if (basis_[base::at(i)] < artificials_) x_[i] = 0;
  }
  return Status::optimal;
}

Simplex::Status Simplex::minimise(const VecX& costs) {
  VecX all = VecX::Zero(static_cast<Eigen::Index>(upper_.size()));
  all.tail(costs.size()) = costs;
  return iterate(all);
}

VecX Simplex::values() const {
  VecX x = VecX::Zero(columns());
  for (int j = 0; j < columns(); ++j)
    if (at_upper_[base::at(j + artificials_)]) x[j] = upper_[base::at(j + artificials_)];
  for (int i = 0; i < artificials_; ++i)
    if (basis_[base::at(i)] >= artificials_) x[basis_[base::at(i)] - artificials_] = x_[i];
  return x;
}

void Simplex::find_values() {
  VecX rest = g_;
  for (int j = 0; j < static_cast<int>(upper_.size()); ++j)
    if (!basic_[base::at(j)] && at_upper_[base::at(j)]) subtract(j, upper_[base::at(j)], rest);
  x_ = inverse_ * rest;
  // Bounds hold to rounding; what is beyond them by that is on them.
  for (int i = 0; i < artificials_; ++i) {
    const std::size_t j = base::at(basis_[base::at(i)]);
    if (!free_[j]) x_[i] = std::clamp(x_[i], 0.0, upper_[j]);
  }
}

void Simplex::refactor() {
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(artificials_, artificials_);
  for (int i = 0; i < artificials_; ++i)
    for (int k = start_[base::at(basis_[base::at(i)])];
         k < start_[base::at(basis_[base::at(i)]) + 1]; ++k)
      B(row_[base::at(k)], i) = value_[base::at(k)];
  inverse_ = B.partialPivLu().inverse();
  since_factor_ = 0;
  find_values();
}

// A column that lowers the costs, or -1.
int Simplex::entering(const VecX& costs, double& direction) const {
  const double size = std::max(costs.cwiseAbs().maxCoeff(), y_.cwiseAbs().maxCoeff());
  const bool first = stalled_ > stalled_pivots;
  double best = optimality * size;
  int found = -1;
  for (int j = 0; j < static_cast<int>(upper_.size()); ++j) {
    if (basic_[base::at(j)] || upper_[base::at(j)] == 0) continue;
    const double slope = at_upper_[base::at(j)] ? reduced_[j] : -reduced_[j];
    const double gain = free_[base::at(j)] ? std::abs(slope) : slope;
    if (gain <= best) continue;
    best = gain;
    found = j;
    direction = at_upper_[base::at(j)] || (free_[base::at(j)] && reduced_[j] > 0) ? -1 : 1;
    if (first) break;
  }
  return found;
}

// Moves a column up or down until something blocks; false: nothing does.
bool Simplex::enter(int column, double direction) {
  alpha_.setZero();
  for (int k = start_[base::at(column)]; k < start_[base::at(column) + 1]; ++k)
    alpha_ += direction * value_[base::at(k)] * inverse_.col(row_[base::at(k)]);
  const double own = free_[base::at(column)] ? base::infinity : upper_[base::at(column)];
  const auto room = [&](int i) {  // how far the column can go for basic variable i
    const std::size_t j = base::at(basis_[base::at(i)]);
    if (free_[j] || std::abs(alpha_[i]) <= least_pivot) return base::infinity;
    const double way = alpha_[i] > 0 ? x_[i] : upper_[j] - x_[i];
    return std::max(0.0, way) / std::abs(alpha_[i]);
  };
  // Of those that block within rounding the largest pivot (Harris 1973), or with Bland's rule, of
  // those that block first, the first column.
  const bool first = stalled_ > stalled_pivots;
  double step = own, reach = own;
  for (int i = 0; i < artificials_; ++i) {
    step = std::min(step, room(i));
    if (!first) reach = std::min(reach, room(i) + slack / std::abs(alpha_[i]));
  }
  if (std::isinf(step)) return false;
  if (first) reach = step + zero_step;
  int leaving = -1;
  for (int i = 0; i < artificials_ && step < own; ++i) {
    if (room(i) > reach) continue;
    const bool better = leaving < 0 || (first ? basis_[base::at(i)] < basis_[base::at(leaving)]
                                              : std::abs(alpha_[i]) > std::abs(alpha_[leaving]));
    if (better) leaving = i;
  }
  if (leaving >= 0) step = std::min(own, room(leaving));
  stalled_ = step > zero_step ? 0 : stalled_ + 1;
  ++pivots_;
  x_ -= step * alpha_;
  for (int i = 0; i < artificials_; ++i)
    if (!free_[base::at(basis_[base::at(i)])])
      x_[i] = std::clamp(x_[i], 0.0, upper_[base::at(basis_[base::at(i)])]);
  const double start = at_upper_[base::at(column)] ? upper_[base::at(column)] : 0;
  if (leaving < 0) {  // from one bound to the other
    at_upper_[base::at(column)] = !at_upper_[base::at(column)];
    return true;
  }
  const std::size_t out = base::at(basis_[base::at(leaving)]);
  at_upper_[out] = alpha_[leaving] < 0 && upper_[out] > 0;
  basic_[out] = 0;
  basic_[base::at(column)] = 1;
  at_upper_[base::at(column)] = 0;
  basis_[base::at(leaving)] = column;
  x_[leaving] = start + direction * step;

  // inverse <- (I - (alpha - e) e^T / alpha_leaving) inverse, alpha without its direction.
  alpha_ *= direction;
  const Eigen::RowVectorXd row = inverse_.row(leaving) / alpha_[leaving];
  alpha_[leaving] = 0;
  inverse_.noalias() -= alpha_ * row;
  inverse_.row(leaving) = row;
  if (++since_factor_ >= refactor_after) refactor();
  return true;
}

Simplex::Status Simplex::iterate(const VecX& costs) {
  const int n = static_cast<int>(upper_.size());
  const int limit = pivots_ + 200 + 50 * (artificials_ + n);
  stalled_ = 0;
  bool fresh = since_factor_ == 0;
  while (pivots_ < limit) {
    VecX basic_costs(artificials_);
    for (int i = 0; i < artificials_; ++i) basic_costs[i] = costs[basis_[base::at(i)]];
    y_.noalias() = inverse_.transpose() * basic_costs;
    if (!y_.allFinite()) return Status::failed;  // rays too near to each other
    reduced_ = costs;
    for (int j = 0; j < n; ++j)
      if (!basic_[base::at(j)]) reduced_[j] -= dot(j, y_);
    double direction = 1;
    const int column = n > 0 ? entering(costs, direction) : -1;
    if (column >= 0 && enter(column, direction)) {
      fresh = since_factor_ == 0;
      continue;
    }
    // Optimal or unbounded: believed on a fresh inverse, or one that still reproduces g.
    if (!fresh) {
      VecX rest = g_;
      for (int i = 0; i < artificials_; ++i) subtract(basis_[base::at(i)], x_[i], rest);
      for (int j = 0; j < n; ++j)
        if (!basic_[base::at(j)] && at_upper_[base::at(j)]) subtract(j, upper_[base::at(j)], rest);
      if (column >= 0 || (rest.size() > 0 && rest.cwiseAbs().maxCoeff() > 1e-13)) {
        refactor();
        fresh = true;
        continue;
      }
    }
    return column < 0 ? Status::optimal : Status::unbounded;
  }
  return Status::failed;
}

std::vector<int> Simplex::drop_idle(int first) {
  std::vector<int> number(base::at(columns()), -1);
  int next = artificials_, entry = start_[base::at(artificials_)];
  for (int j = artificials_; j < static_cast<int>(upper_.size()); ++j) {
    const int begin = start_[base::at(j)], end = start_[base::at(j) + 1];
    if (j >= artificials_ + first && !basic_[base::at(j)] && !at_upper_[base::at(j)]) continue;
    number[base::at(j - artificials_)] = next - artificials_;
    start_[base::at(next)] = entry;
    for (int k = begin; k < end; ++k, ++entry) {
      row_[base::at(entry)] = row_[base::at(k)];
      value_[base::at(entry)] = value_[base::at(k)];
    }
    upper_[base::at(next)] = upper_[base::at(j)];
    free_[base::at(next)] = free_[base::at(j)];
    at_upper_[base::at(next)] = at_upper_[base::at(j)];
    basic_[base::at(next)] = basic_[base::at(j)];
    ++next;
  }
  start_.resize(base::at(next) + 1);
  start_.back() = entry;
  row_.resize(base::at(entry));
  value_.resize(base::at(entry));
  upper_.resize(base::at(next));
  free_.resize(base::at(next));
  at_upper_.resize(base::at(next));
  basic_.resize(base::at(next));
  for (int& j : basis_)
    if (j >= artificials_) j = number[base::at(j - artificials_)] + artificials_;
  return number;
}

}  // namespace cairn::analyse
