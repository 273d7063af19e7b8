// CPU times of steps: bounded memory, a median that is off by less than the width of a bin.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "record/run/cpu_times.hpp"

namespace cairn::test_cpu_times {
namespace {

TEST(CpuTimes, MedianIsWithinABinOfTheExactOne) {
  record::CpuTimes times;
  std::vector<double> all;
  EXPECT_EQ(times.median(), 0);
  for (int i = 0; i < 2001; ++i) {
    // Over nine powers of ten, in no order.
    const double ms = std::pow(10, -5 + 9 * std::fmod(0.618033988749895 * i, 1));
    times.add(ms);
    all.push_back(ms);
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(times.count(), 2001);
  EXPECT_EQ(times.max(), all.back());
  EXPECT_NEAR(times.median(), all[1000], all[1000] / 64);
}

TEST(CpuTimes, EqualValuesAndExtremesAreExact) {
  for (const double ms : {0.0, 1e-12, 0.37, 5e9, 1e300}) {
    record::CpuTimes times;
    for (int i = 0; i < 4; ++i) times.add(ms);
    EXPECT_DOUBLE_EQ(times.median(), ms);
    EXPECT_EQ(times.max(), ms);
  }
}

}  // namespace
}  // namespace cairn::test_cpu_times
