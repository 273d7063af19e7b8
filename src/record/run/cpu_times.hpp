// The CPU times of all steps in bounded memory: count, largest value and median.
#pragma once

#include <cstdint>
#include <vector>

namespace cairn::record {

// Values are counted in bins that are spaced evenly within each power of two. The median is the
// mean of its bin: off by less than 1/64 of the value, and exact where the bin holds one value
// only.
class CpuTimes {
 public:
  CpuTimes();
  void add(double ms);
  std::int64_t count() const { return count_; }
  double max() const { return max_; }  // [ms]
  double median() const;               // [ms]; 0 without values

 private:
  struct Bin {
    std::int64_t count = 0;
    double sum = 0;  // [ms]
  };
  std::vector<Bin> bins_;  // of fixed size
  std::int64_t count_ = 0;
  double max_ = 0;
};

}  // namespace cairn::record
