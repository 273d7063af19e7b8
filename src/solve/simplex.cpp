#include "solve/simplex.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/infinity.hpp"

namespace cairn {
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
  upper_.assign(at(artificials_), infinity);
  free_.assign(at(artificials_), 0);
  at_upper_ = free_;
  basic_.assign(at(artificials_), 1);
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
  for (int k = start_[at(column)]; k < start_[at(column) + 1]; ++k)
    sum += value_[at(k)] * y[row_[at(k)]];
  return sum;
}

void Simplex::subtract(int column, double factor, VecX& rest) const {
  for (int k = start_[at(column)]; k < start_[at(column) + 1]; ++k)
    rest[row_[at(k)]] -= factor * value_[at(k)];
}

Simplex::Status Simplex::start() {
  VecX costs = VecX::Zero(static_cast<Eigen::Index>(upper_.size()));
  costs.head(artificials_).setOnes();
  const Status status = iterate(costs);
  double left = 0;
  for (int i = 0; i < artificials_; ++i)
    if (basis_[at(i)] < artificials_) left += std::abs(x_[i]);
  if (status != Status::optimal || left > feasible * std::max(1, artificials_))
    return Status::failed;
  // What stays in the basis stays at zero, and leaves when it would have to move.
  for (int i = 0; i < artificials_; ++i) {
    upper_[at(i)] = 0;
    if (basis_[at(i)] < artificials_) x_[i] = 0;
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
    if (at_upper_[at(j + artificials_)]) x[j] = upper_[at(j + artificials_)];
  for (int i = 0; i < artificials_; ++i)
    if (basis_[at(i)] >= artificials_) x[basis_[at(i)] - artificials_] = x_[i];
  return x;
}

void Simplex::find_values() {
  VecX rest = g_;
  for (int j = 0; j < static_cast<int>(upper_.size()); ++j)
    if (!basic_[at(j)] && at_upper_[at(j)]) subtract(j, upper_[at(j)], rest);
  x_ = inverse_ * rest;
  // Bounds hold to rounding; what is beyond them by that is on them.
  for (int i = 0; i < artificials_; ++i) {
    const std::size_t j = at(basis_[at(i)]);
    if (!free_[j]) x_[i] = std::clamp(x_[i], 0.0, upper_[j]);
  }
}

void Simplex::refactor() {
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(artificials_, artificials_);
  for (int i = 0; i < artificials_; ++i)
    for (int k = start_[at(basis_[at(i)])]; k < start_[at(basis_[at(i)]) + 1]; ++k)
      B(row_[at(k)], i) = value_[at(k)];
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
    if (basic_[at(j)] || upper_[at(j)] == 0) continue;
    const double slope = at_upper_[at(j)] ? reduced_[j] : -reduced_[j];
    const double gain = free_[at(j)] ? std::abs(slope) : slope;
    if (gain <= best) continue;
    best = gain;
    found = j;
    direction = at_upper_[at(j)] || (free_[at(j)] && reduced_[j] > 0) ? -1 : 1;
    if (first) break;
  }
  return found;
}

// Moves a column up or down until something blocks; false: nothing does.
bool Simplex::enter(int column, double direction) {
  alpha_.setZero();
  for (int k = start_[at(column)]; k < start_[at(column) + 1]; ++k)
    alpha_ += direction * value_[at(k)] * inverse_.col(row_[at(k)]);
  const double own = free_[at(column)] ? infinity : upper_[at(column)];
  const auto room = [&](int i) {  // how far the column can go for basic variable i
    const std::size_t j = at(basis_[at(i)]);
    if (free_[j] || std::abs(alpha_[i]) <= least_pivot) return infinity;
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
    const bool better = leaving < 0 || (first ? basis_[at(i)] < basis_[at(leaving)]
                                              : std::abs(alpha_[i]) > std::abs(alpha_[leaving]));
    if (better) leaving = i;
  }
  if (leaving >= 0) step = std::min(own, room(leaving));
  stalled_ = step > zero_step ? 0 : stalled_ + 1;
  ++pivots_;
  x_ -= step * alpha_;
  for (int i = 0; i < artificials_; ++i)
    if (!free_[at(basis_[at(i)])]) x_[i] = std::clamp(x_[i], 0.0, upper_[at(basis_[at(i)])]);
  const double start = at_upper_[at(column)] ? upper_[at(column)] : 0;
  if (leaving < 0) {  // from one bound to the other
    at_upper_[at(column)] = !at_upper_[at(column)];
    return true;
  }
  const std::size_t out = at(basis_[at(leaving)]);
  at_upper_[out] = alpha_[leaving] < 0 && upper_[out] > 0;
  basic_[out] = 0;
  basic_[at(column)] = 1;
  at_upper_[at(column)] = 0;
  basis_[at(leaving)] = column;
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
    for (int i = 0; i < artificials_; ++i) basic_costs[i] = costs[basis_[at(i)]];
    y_.noalias() = inverse_.transpose() * basic_costs;
    if (!y_.allFinite()) return Status::failed;  // rays too near to each other
    reduced_ = costs;
    for (int j = 0; j < n; ++j)
      if (!basic_[at(j)]) reduced_[j] -= dot(j, y_);
    double direction = 1;
    const int column = n > 0 ? entering(costs, direction) : -1;
    if (column >= 0 && enter(column, direction)) {
      fresh = since_factor_ == 0;
      continue;
    }
    // Optimal or unbounded: believed on a fresh inverse, or one that still reproduces g.
    if (!fresh) {
      VecX rest = g_;
      for (int i = 0; i < artificials_; ++i) subtract(basis_[at(i)], x_[i], rest);
      for (int j = 0; j < n; ++j)
        if (!basic_[at(j)] && at_upper_[at(j)]) subtract(j, upper_[at(j)], rest);
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
  std::vector<int> number(at(columns()), -1);
  int next = artificials_, entry = start_[at(artificials_)];
  for (int j = artificials_; j < static_cast<int>(upper_.size()); ++j) {
    const int begin = start_[at(j)], end = start_[at(j) + 1];
    if (j >= artificials_ + first && !basic_[at(j)] && !at_upper_[at(j)]) continue;
    number[at(j - artificials_)] = next - artificials_;
    start_[at(next)] = entry;
    for (int k = begin; k < end; ++k, ++entry) {
      row_[at(entry)] = row_[at(k)];
      value_[at(entry)] = value_[at(k)];
    }
    upper_[at(next)] = upper_[at(j)];
    free_[at(next)] = free_[at(j)];
    at_upper_[at(next)] = at_upper_[at(j)];
    basic_[at(next)] = basic_[at(j)];
    ++next;
  }
  start_.resize(at(next) + 1);
  start_.back() = entry;
  row_.resize(at(entry));
  value_.resize(at(entry));
  upper_.resize(at(next));
  free_.resize(at(next));
  at_upper_.resize(at(next));
  basic_.resize(at(next));
  for (int& j : basis_)
    if (j >= artificials_) j = number[at(j - artificials_)] + artificials_;
  return number;
}

}  // namespace cairn
