// Plots over time with axes, ticks, units and a legend, as pictures and as SVG. Colours come from
// the page's style sheet.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/picture.hpp"
#include "record/series.hpp"

namespace cairn {

struct Curve {
  const Series* series = nullptr;
  std::string label;
};

struct PlotOptions {
  std::string title;
  std::string unit;          // of y
  bool logarithmic = false;  // zero and below are drawn in a band of their own under the axis
  bool from_zero = false;    // the axis of counts and times starts at zero
  std::optional<double> line = {};  // a level to compare with
  std::string line_label = {};
  // The sheet [px]. Small enough that its letters stay readable when a phone shrinks it.
  double width = 480, height = 230;
};

Picture draw_plot(const PlotOptions& options, std::span<const Curve> curves);

// One <svg> element; well-formed XML.
std::string plot_svg(const PlotOptions& options, std::span<const Curve> curves);

// Round numbers that cut [lo, hi] into at most `most` parts: multiples of 1, 2 or 5 times a power
// of ten.
std::vector<double> round_ticks(double lo, double hi, int most);

// The largest of 1, 2 or 5 times a power of ten that is not above x > 0.
double round_down(double x);

// A number with the digits that a reader wants: 12.5, 3.2e-09.
std::string short_number(double x);

}  // namespace cairn
