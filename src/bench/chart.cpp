#include "bench/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "record/html.hpp"
#include "record/plot.hpp"

namespace cairn {
namespace {

constexpr double width = 560;  // [px]
constexpr double left = 64, right = 18, bottom = 46;
constexpr double legend_left = 120, legend_row = 18;
constexpr std::array colours = {"#1f66b5", "#c0500f", "#2e8540", "#7a3e9d", "#8a6d00", "#555555"};

// Whole decades around all values.
struct Decades {
  int lo = 0, hi = 1;
  Decades(const std::vector<ChartCurve>& curves, double std::pair<double, double>::*part) {
    double least = 1e300, most = 0;
    for (const ChartCurve& curve : curves)
      for (const auto& point : curve.points) {
        least = std::min(least, point.*part);
        most = std::max(most, point.*part);
      }
    if (!(most > 0)) return;
    lo = static_cast<int>(std::floor(std::log10(least) + 1e-9));
    hi = std::max(lo + 1, static_cast<int>(std::ceil(std::log10(most) - 1e-9)));
  }
  double share(double value) const { return (std::log10(value) - lo) / (hi - lo); }
};

// Multiples of a round number; time starts at zero, values where the least of them is.
struct Linear {
  double lo = 0, hi = 1;
  std::vector<double> ticks;
  Linear(const std::vector<ChartCurve>& curves, double std::pair<double, double>::*part,
         bool from_zero) {
    double least = from_zero ? 0 : 1e300, most = from_zero ? 0 : -1e300;
    for (const ChartCurve& curve : curves)
      for (const auto& point : curve.points) {
        least = std::min(least, point.*part);
        most = std::max(most, point.*part);
      }
    if (most > least) lo = least, hi = most;
    ticks = round_ticks(lo, hi, 8);
  }
  double share(double value) const { return (value - lo) / (hi - lo); }
};

// Where the label of each curve stands: from left to right, in as many rows as it takes.
struct Legend {
  std::vector<std::pair<double, double>> places;  // below the first row
  double height = 0;                              // of the rows behind the first
  explicit Legend(const std::vector<ChartCurve>& curves) {
    double x = legend_left;
    for (const ChartCurve& curve : curves) {
      const double size = 34 + 7.2 * static_cast<double>(curve.label.size());
      if (x > legend_left && x + size > width) {
        x = legend_left;
        height += legend_row;
      }
      places.emplace_back(x, height);
      x += size;
    }
  }
};

std::string decade_text(int exponent) {
  return exponent >= -2 && exponent <= 5 ? fmt::format("{:g}", std::pow(10.0, exponent))
                                         : fmt::format("1e{}", exponent);
}

}  // namespace

std::string chart_svg(const ChartOptions& options, const std::vector<ChartCurve>& curves) {
  const Decades log_x(curves, &std::pair<double, double>::first),
      log_y(curves, &std::pair<double, double>::second);
  const Linear linear_x(curves, &std::pair<double, double>::first, true),
      linear_y(curves, &std::pair<double, double>::second, false);
  const Legend legend(curves);
  const double top = 62 + legend.height, height = 340 + legend.height;
  const auto x_share = [&](double value) {
    return options.x_linear ? linear_x.share(value) : log_x.share(value);
  };
  const auto y_share = [&](double value) {
    return options.y_linear ? linear_y.share(value) : log_y.share(value);
  };
  const auto px = [&](double share) {
    return left + (options.x_falls ? 1 - share : share) * (width - left - right);
  };
  const auto py = [&](double share) { return height - bottom - share * (height - top - bottom); };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"12\" y=\"22\" font-size=\"15\" font-weight=\"bold\">{2}</text>\n",
      width, height, escape(options.title));
  const auto text = [&](double at_x, double at_y, const char* anchor, const std::string& words) {
    svg +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"#444\">{}</text>\n",
                    at_x, at_y, anchor, escape(words));
  };
  const auto line = [&](double x1, double y1, double x2, double y2) {
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#d8d8d8\"/>\n", x1,
        y1, x2, y2);
  };
  const auto x_tick = [&](double value, const std::string& words) {
    const double at = px(x_share(value));
    line(at, top, at, height - bottom);
    text(at, height - bottom + 16, "middle", words);
  };
  if (options.x_linear)
    for (const double tick : linear_x.ticks) x_tick(tick, short_number(tick));
  else
    for (int k = log_x.lo; k <= log_x.hi; ++k) x_tick(std::pow(10.0, k), decade_text(k));
  const auto y_tick = [&](double value, const std::string& words) {
    const double at = py(y_share(value));
    line(left, at, width - right, at);
    text(left - 6, at + 4, "end", words);
  };
  if (options.y_linear)
    for (const double tick : linear_y.ticks) y_tick(tick, short_number(tick));
  else
    for (int k = log_y.lo; k <= log_y.hi; ++k) y_tick(std::pow(10.0, k), decade_text(k));
  text(width - right, height - 10, "end", options.x);
  text(12, top - 12, "start", options.y);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const char* colour = colours[i % colours.size()];
    std::string path;
    for (const auto& [a, b] : curves[i].points)
      path += fmt::format("{:.1f},{:.1f} ", px(x_share(a)), py(y_share(b)));
    svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                       path, colour);
    for (const auto& [a, b] : curves[i].points)
      if (options.marks)
        svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n",
                           px(x_share(a)), py(y_share(b)), colour);
    const double x = legend.places[i].first, y = 46 + legend.places[i].second;
    svg += fmt::format(
        "<line x1=\"{0:.0f}\" y1=\"{1:.0f}\" x2=\"{2:.0f}\" y2=\"{1:.0f}\" stroke=\"{3}\" "
        "stroke-width=\"3\"/>\n",
        x, y, x + 18, colour);
    text(x + 23, y + 4, "start", curves[i].label);
  }
  return svg + "</svg>\n";
}

}  // namespace cairn
