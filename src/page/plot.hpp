// Plots of curves with axes, ticks, units and a legend. All plots of the program are made here:
// reports, `cairn plot`, `bench`, `order` and `reproduce`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "page/picture.hpp"

namespace cairn::page {

struct Curve {
  std::string label;  // in the legend; empty: not there
  std::vector<std::pair<double, double>> points;
};

struct PlotOptions {
  std::string title;
  std::string x = "t [s]", y = {};  // labels of the axes with units
  bool log_x = false;               // points with x <= 0 are left out
  bool log_y = false;      // zero and below are drawn in a band of their own under the axis
  bool x_falls = false;    // large values on the left, as accuracies are read
  bool from_zero = false;  // the y axis of counts and times starts at zero
  bool dots = false;       // at each point
  std::optional<double> line = {};  // a level to compare with
  std::string line_label = {};
  // The sheet [px]. Small enough that its letters stay readable when a phone shrinks it.
  double width = 480, height = 230;
};

Picture draw_plot(const PlotOptions& options, std::span<const Curve> curves);

// One <svg> element for a page with the style sheet of reports; well-formed XML.
std::string plot_svg(const PlotOptions& options, std::span<const Curve> curves);

// A file that stands alone, on a larger sheet.
std::string plot_file(PlotOptions options, std::span<const Curve> curves);

// Round numbers that cut [lo, hi] into at most `most` parts: multiples of 1, 2 or 5 times a power
// of ten.
std::vector<double> round_ticks(double lo, double hi, int most);

// A number with the digits that a reader wants: 12.5, 3.2e-09.
std::string short_number(double x);

}  // namespace cairn::page
