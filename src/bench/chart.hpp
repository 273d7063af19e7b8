// Charts as SVG files that stand alone; axes are logarithmic unless asked for otherwise.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cairn {

struct ChartCurve {
  std::string label;
  std::vector<std::pair<double, double>> points;  // positive where the axis is logarithmic
};

struct ChartOptions {
  std::string title, x, y;  // labels with units
  bool x_falls = false;     // large values on the left, as accuracies are read
  bool x_linear = false;    // else logarithmic
  bool y_linear = false;    // likewise
  bool marks = true;        // a dot at each point
};

std::string chart_svg(const ChartOptions& options, const std::vector<ChartCurve>& curves);

}  // namespace cairn
