// Charts with a logarithmic y axis as SVG files that stand alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cairn {

struct ChartCurve {
  std::string label;
  std::vector<std::pair<double, double>> points;  // positive
};

struct ChartOptions {
  std::string title, x, y;  // labels with units
  bool x_falls = false;     // large values on the left, as accuracies are read
  bool x_linear = false;    // else logarithmic
  bool marks = true;        // a dot at each point
};

std::string chart_svg(const ChartOptions& options, const std::vector<ChartCurve>& curves);

}  // namespace cairn
