// What a report keeps of a run of any length: curves as buckets of least and largest value, and a
// few states.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cairn/simulator.hpp"

namespace cairn {

// A curve over time in at most `capacity` buckets, more than a plot has columns; when they are
// full, neighbours merge.
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

// A state to draw, with the contacts that led to it.
struct Still {
  double t = 0, h = 0;  // [s]
  std::int64_t step = 0;
  std::vector<Pose> poses;
  std::vector<ContactReport> contacts;  // that carry an impulse
};

// States at even distances in steps, at most `capacity` of them however long the run, and the last
// one.
class Stills {
 public:
  static constexpr std::size_t capacity = 64;

  void add(std::int64_t step, double t, double h, const std::vector<Pose>& poses,
           const std::vector<ContactReport>& contacts);
  // About `count` of them, evenly spread, the first and the last included.
  std::vector<const Still*> pick(std::size_t count) const;

 private:
  std::vector<Still> kept_;  // at multiples of stride_; the first `used_`
  std::size_t used_ = 0;
  std::int64_t stride_ = 1;
  Still last_;
  bool any_ = false;
};

}  // namespace cairn
