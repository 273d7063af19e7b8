// A curve over time of a run of any length, as buckets of least and largest value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cairn::record {

// At most `capacity` buckets, more than a plot has columns; when they are full, neighbours merge.
class Series {
 public:
  struct Bucket {
    double t_first = 0, t_last = 0;  // [s]
    double lo = 0, hi = 0;
  };
  static constexpr std::size_t capacity = 1024;

  Series() { buckets_.reserve(capacity); }

  void add(double t, double y) {
    if (in_last_ == 0) {
      if (buckets_.size() == capacity) merge();
      buckets_.push_back({t, t, y, y});
    } else {
      Bucket& b = buckets_.back();
      b.t_last = t;
      b.lo = std::min(b.lo, y);
      b.hi = std::max(b.hi, y);
    }
    in_last_ = (in_last_ + 1) % stride_;
  }
  const std::vector<Bucket>& buckets() const { return buckets_; }

  // For a plot: least and largest value in the middle of each bucket. The ends keep their times.
  std::vector<std::pair<double, double>> points() const {
    std::vector<std::pair<double, double>> all;
    for (const Bucket& b : buckets_) {
      double t = 0.5 * (b.t_first + b.t_last);
      if (&b == &buckets_.front()) t = b.t_first;
      if (&b == &buckets_.back()) t = b.t_last;
      all.emplace_back(t, b.lo);
      if (b.hi != b.lo) all.emplace_back(t, b.hi);
    }
    return all;
  }

 private:
  void merge() {
    for (std::size_t i = 0; i < capacity / 2; ++i) {
      const Bucket &a = buckets_[2 * i], &b = buckets_[2 * i + 1];
      buckets_[i] = {a.t_first, b.t_last, std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    buckets_.resize(capacity / 2);
    stride_ *= 2;
  }
  std::vector<Bucket> buckets_;
  std::int64_t stride_ = 1, in_last_ = 0;
};

}  // namespace cairn::record
