// Anderson's acceleration of a fixed-point iteration z <- z + g(z): the next iterate is the one
// whose g, extrapolated from the last few, is the smallest.
#pragma once

#include <vector>

#include "cairn/math.hpp"

namespace cairn::linear {

class Anderson {
 public:
  void begin() { used_ = 0; }
  // z <- the next iterate; g belongs to z.
  void advance(std::vector<double>& z, const std::vector<double>& g);

 private:
  static constexpr int window = 12;

  int used_ = 0;  // iterates seen
  std::vector<double> z_last_, g_last_;
  std::vector<double> dz_[window], dg_[window];
  Eigen::Matrix<double, window, window> products_;
};

}  // namespace cairn::linear
