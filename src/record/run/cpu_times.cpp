#include "record/run/cpu_times.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::record {
namespace {

// From a picosecond to a month; values outside are counted in the first and the last bin.
constexpr int least_exponent = -30, largest_exponent = 32;
constexpr int bins_per_power = 64;

std::size_t bin_of(double ms) {
  if (!(ms > 0)) return 0;
  int exponent = 0;
  const double fraction = std::frexp(ms, &exponent);  // in [0.5, 1)
  if (exponent < least_exponent) return 0;
  exponent = std::min(exponent, largest_exponent);
  return static_cast<std::size_t>((exponent - least_exponent) * bins_per_power) +
         static_cast<std::size_t>((fraction - 0.5) * 2 * bins_per_power);
}

}  // namespace

CpuTimes::CpuTimes() : bins_((largest_exponent - least_exponent + 1) * bins_per_power) {}

void CpuTimes::add(double ms) {
  Bin& bin = bins_[bin_of(ms)];
  ++bin.count;
  bin.sum += ms;
  ++count_;
  max_ = std::max(max_, ms);
}

double CpuTimes::median() const {
  std::int64_t before = 0;
  for (const Bin& bin : bins_) {
    before += bin.count;
    if (before > count_ / 2) return bin.sum / static_cast<double>(bin.count);
  }
  return 0;
}

}  // namespace cairn::record
