#include "linear/sparse_lu.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace cairn::linear {
namespace {

// An entry may be a pivot if it is not below this part of the largest in its row: the usual
// compromise between growth and fill.
constexpr double threshold = 0.1;
// Lines looked at for one pivot: more find hardly better ones.
constexpr int lines_searched = 6;
constexpr double singular = 1e-14;

void erase(std::vector<int>& list, int value) {
  auto found = std::find(list.begin(), list.end(), value);
  *found = list.back();
  list.pop_back();
}

}  // namespace

void SparseLU::Counts::begin(int n) {
  head.assign(base::at(n + 1), -1);
  next.assign(base::at(n), -1);
  last.assign(base::at(n), -1);
  count.assign(base::at(n), 0);
}

void SparseLU::Counts::insert(int i, int entries) {
  count[base::at(i)] = entries;
  int& first = head[base::at(entries)];
  next[base::at(i)] = first;
  last[base::at(i)] = -1;
  if (first >= 0) last[base::at(first)] = i;
  first = i;
}

void SparseLU::Counts::remove(int i) {
  const int after = next[base::at(i)], before = last[base::at(i)];
  if (after >= 0) last[base::at(after)] = before;
  if (before >= 0)
    next[base::at(before)] = after;
  else
    head[base::at(count[base::at(i)])] = after;
}

void SparseLU::begin(int n) {
  n_ = n;
  if (rows_.size() < base::at(n)) {
    rows_.resize(base::at(n));
    columns_.resize(base::at(n));
  }
  for (int i = 0; i < n; ++i) {
    rows_[base::at(i)].clear();
    columns_[base::at(i)].clear();
  }
  place_.assign(base::at(n), -1);
  work_.resize(base::at(n));
  steps_.clear();
  lower_.clear();
  upper_.clear();
  etas_.clear();
  eta_entries_.clear();
}

void SparseLU::add(int row, int column, double value) {
  if (value == 0) return;
  rows_[base::at(row)].push_back({column, value});
  columns_[base::at(column)].push_back(row);
}

const SparseLU::Entry* SparseLU::acceptable(int row, int column) const {
  const Entry* entry = nullptr;
  double largest = tiny_;
  for (const Entry& e : rows_[base::at(row)]) {
    largest = std::max(largest, std::abs(e.value));
    if (e.index == column) entry = &e;
  }
  return std::abs(entry->value) >= threshold * largest && std::abs(entry->value) > tiny_ ? entry
                                                                                         : nullptr;
}

// Least (entries of the row - 1) (entries of the column - 1) among acceptable entries of the
// shortest lines.
bool SparseLU::choose(int& row, int& column) const {
  long best = -1;
  int looked = 0;
  for (int entries = 1; entries <= n_ - done_; ++entries) {
    if (best >= 0 && best <= static_cast<long>(entries - 1) * (entries - 1)) return true;
    for (int c = column_counts_.head[base::at(entries)]; c >= 0;
         c = column_counts_.next[base::at(c)]) {
      for (const int r : columns_[base::at(c)]) {
        const long cost = static_cast<long>(entries - 1) * (row_counts_.count[base::at(r)] - 1);
        if ((best >= 0 && cost >= best) || acceptable(r, c) == nullptr) continue;
        best = cost;
        row = r;
        column = c;
      }
      if (best >= 0 &&
          (best <= static_cast<long>(entries - 1) * (entries - 1) || ++looked >= lines_searched))
        return true;
    }
    for (int r = row_counts_.head[base::at(entries)]; r >= 0; r = row_counts_.next[base::at(r)]) {
      double largest = tiny_;
      for (const Entry& e : rows_[base::at(r)]) largest = std::max(largest, std::abs(e.value));
      for (const Entry& e : rows_[base::at(r)]) {
        const long cost =
            static_cast<long>(entries - 1) * (column_counts_.count[base::at(e.index)] - 1);
        if ((best >= 0 && cost >= best) || std::abs(e.value) <= tiny_ ||
            std::abs(e.value) < threshold * largest)
          continue;
        best = cost;
        row = r;
        column = e.index;
      }
      if (best >= 0 &&
          (best <= static_cast<long>(entries) * (entries - 1) || ++looked >= lines_searched))
        return true;
    }
  }
  return best >= 0;
}

void SparseLU::eliminate(int row, int column) {
  std::vector<Entry>& pivot_row = rows_[base::at(row)];
  double pivot = 0;
  const int upper_begin = static_cast<int>(upper_.size());
  for (const Entry& e : pivot_row) {
    if (e.index == column)
      pivot = e.value;
    else
      upper_.push_back(e);
    column_counts_.remove(e.index);
    erase(columns_[base::at(e.index)], row);
  }
  row_counts_.remove(row);
  const int upper_end = static_cast<int>(upper_.size());

  for (const int i : columns_[base::at(column)]) {
    std::vector<Entry>& target = rows_[base::at(i)];
    row_counts_.remove(i);
    double factor = 0;
    for (std::size_t k = 0; k < target.size();) {
      if (target[k].index == column) {
        factor = target[k].value / pivot;
        target[k] = target.back();
        target.pop_back();
        continue;
      }
      place_[base::at(target[k].index)] = static_cast<int>(k);
      ++k;
    }
    lower_.push_back({i, factor});
    for (int k = upper_begin; k < upper_end; ++k) {
      const Entry& e = upper_[base::at(k)];
      const int place = place_[base::at(e.index)];
      if (place >= 0) {
        target[base::at(place)].value -= factor * e.value;
      } else {
        target.push_back({e.index, -factor * e.value});
        columns_[base::at(e.index)].push_back(i);
      }
    }
    for (const Entry& e : target) place_[base::at(e.index)] = -1;
    row_counts_.insert(i, static_cast<int>(target.size()));
  }
  for (int k = upper_begin; k < upper_end; ++k) {
    const int c = upper_[base::at(k)].index;
    column_counts_.insert(c, static_cast<int>(columns_[base::at(c)].size()));
  }
  pivot_row.clear();
  columns_[base::at(column)].clear();
  steps_.push_back({row, column, pivot, static_cast<int>(lower_.size()), upper_end});
}

bool SparseLU::factorize() {
  double largest = 0;
  row_counts_.begin(n_);
  column_counts_.begin(n_);
  for (int i = 0; i < n_; ++i) {
    row_counts_.insert(i, static_cast<int>(rows_[base::at(i)].size()));
    column_counts_.insert(i, static_cast<int>(columns_[base::at(i)].size()));
    for (const Entry& e : rows_[base::at(i)]) largest = std::max(largest, std::abs(e.value));
  }
  tiny_ = singular * largest;
  for (done_ = 0; done_ < n_; ++done_) {
    int row = -1, column = -1;
    if (!choose(row, column)) return false;
    eliminate(row, column);
  }
  return true;
}

void SparseLU::solve(std::vector<double>& x) {
  int begin = 0;
  for (const Step& step : steps_) {
    const double pivot_value = x[base::at(step.row)];
    if (pivot_value != 0)
      for (int k = begin; k < step.lower_end; ++k)
        x[base::at(lower_[base::at(k)].index)] -= lower_[base::at(k)].value * pivot_value;
    begin = step.lower_end;
  }
  for (std::size_t s = steps_.size(); s-- > 0;) {
    const Step& step = steps_[s];
    double sum = x[base::at(step.row)];
    for (int k = s == 0 ? 0 : steps_[s - 1].upper_end; k < step.upper_end; ++k)
      sum -= upper_[base::at(k)].value * work_[base::at(upper_[base::at(k)].index)];
    work_[base::at(step.column)] = sum / step.pivot;
  }
  std::copy(work_.begin(), work_.begin() + n_, x.begin());
  begin = 0;
  for (const Eta& eta : etas_) {
    if (x[base::at(eta.column)] != 0) {
      const double value = x[base::at(eta.column)] / eta.pivot;
      for (int k = begin; k < eta.end; ++k)
        x[base::at(eta_entries_[base::at(k)].index)] -= eta_entries_[base::at(k)].value * value;
      x[base::at(eta.column)] = value;
    }
    begin = eta.end;
  }
}

bool SparseLU::replace(int column, std::span<const double> y) {
  const double pivot = y[base::at(column)];
  if (!(std::abs(pivot) > 0)) return false;
  for (int i = 0; i < n_; ++i)
    if (i != column && y[base::at(i)] != 0) eta_entries_.push_back({i, y[base::at(i)]});
  etas_.push_back({column, pivot, static_cast<int>(eta_entries_.size())});
  return true;
}

// Measured on piles of discs: a factor costs as much as some fifty solves.
bool SparseLU::worn() const {
  return etas_.size() >= 64 ||
         eta_entries_.size() > 8 * (lower_.size() + upper_.size() + base::at(n_));
}

}  // namespace cairn::linear
