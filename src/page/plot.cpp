// Draws plots: finds the ranges, maps values to pixels, thins curves to what the pixels can show.
#include "page/plot.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace cairn::page {
namespace {

constexpr double left = 58, right = 18, bottom = 36;  // margins [px]
constexpr double legend_at = 34, legend_line = 16;    // base line of the legend's first line
constexpr double letter = 6.6;                        // mean width of a letter
constexpr double zero_band = 26;                      // under a logarithmic y axis
constexpr double x_room = 66, y_room = 25;            // of a tick with its label
constexpr double most_decades = 20;                   // of a y axis; what is less is in the band

struct Extent {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();
  void add(double x) {
    if (!std::isfinite(x)) return;
    lo = std::min(lo, x);
    hi = std::max(hi, x);
  }
  bool empty() const { return lo > hi; }
};

struct Axis {
  bool logarithmic = false;
  double lo = 0, hi = 1;    // values, or their decimal logarithms
  double from = 0, to = 1;  // pixels
  double at(double value) const {
    const double x = logarithmic ? std::log10(value) : value;
    return from + (x - lo) / (hi - lo) * (to - from);
  }
  int most_ticks(double room) const {
    return std::max(2, static_cast<int>(std::abs(to - from) / room));
  }
};

struct Sheet {
  const PlotOptions& options;
  std::span<const Curve> curves;
  Picture picture = {};
  double top = 0;  // margin under title and legend
  Axis x = {}, y = {};
  double unit_scale = 1;       // labels of y ticks are values / unit_scale
  bool has_zero_band = false;  // of a logarithmic y axis
  bool all_zero = false;

  double width() const { return options.width; }
  double base() const { return options.height - bottom; }  // where the x axis lies

  void stroke(std::string style, std::vector<std::array<double, 2>> points) {
    picture.marks.emplace_back(Stroke{std::move(style), std::move(points)});
  }
  void words(std::string style, double at_x, double at_y, Anchor anchor, std::string text) {
    picture.marks.emplace_back(Words{std::move(style), at_x, at_y, anchor, std::move(text)});
  }

  bool shown(double at_x) const { return std::isfinite(at_x) && (!x.logarithmic || at_x > 0); }
  double pixel(double value) const {
    if (!y.logarithmic) return y.at(value);
    if (!(value > 0) || std::log10(value) < y.lo) return base() - zero_band / 2;
    return std::max(y.at(value), y.to);
  }
};

// ---- Ranges

// Whole decades around positive values.
void set_decades(Axis& axis, const Extent& values) {
  axis.lo = std::floor(std::log10(values.lo) + 1e-9);
  axis.hi = std::max(axis.lo + 1, std::ceil(std::log10(values.hi) - 1e-9));
}

void find_x_range(Sheet& s) {
  Extent x;
  for (const Curve& curve : s.curves)
    for (const auto& point : curve.points)
      if (s.shown(point.first)) x.add(point.first);
  if (s.x.logarithmic) {
    if (x.empty()) x = {1, 10};
    return set_decades(s.x, x);
  }
  if (x.empty()) x = {0, 1};
  if (x.lo > 0 && x.lo < 0.1 * x.hi) x.lo = 0;
  if (x.hi <= x.lo) x.hi = x.lo + (x.lo == 0 ? 1 : std::abs(x.lo));
  s.x.lo = x.lo;
  s.x.hi = x.hi;
}

void find_linear_range(Sheet& s) {
  Extent y;
  for (const Curve& curve : s.curves)
    for (const auto& point : curve.points) y.add(point.second);
  if (s.options.line) y.add(*s.options.line);
  if (s.options.from_zero) y.add(0);
  if (y.empty()) y = {0, 1};
  // Rounding noise on a constant must not fill the plot.
  const double size = std::max(std::abs(y.lo), std::abs(y.hi));
  const double least = size == 0 ? 1 : 1e-3 * size;
  if (y.hi - y.lo < least) {
    const double middle = 0.5 * (y.lo + y.hi);
    y = {s.options.from_zero ? 0 : middle - least / 2, middle + least / 2};
  }
  const double margin = 0.04 * (y.hi - y.lo);
  s.y.lo = y.lo - (s.options.from_zero ? 0 : margin);
  s.y.hi = y.hi + margin;
  const double exponent =
      std::floor(std::log10(std::max(std::abs(s.y.lo), std::abs(s.y.hi))) / 3) * 3;
  if (exponent >= 6 || exponent <= -6) s.unit_scale = std::pow(10, exponent);
}

void find_log_range(Sheet& s) {
  Extent y;
  bool zeros = false;
  const auto add = [&](double value) {
    if (value > 0) y.add(value);
    if (value <= 0) zeros = true;
  };
  for (const Curve& curve : s.curves)
    for (const auto& point : curve.points) add(point.second);
  s.all_zero = y.empty() && zeros;
  if (s.options.line) add(1.2 * *s.options.line);  // with room above the line
  if (y.empty()) y = {0.1, 1};
  set_decades(s.y, y);
  s.y.lo = std::max(s.y.lo, s.y.hi - most_decades);
  s.has_zero_band = zeros || std::log10(y.lo) < s.y.lo;
}

// ---- Axes

// Long and wide lines across the plot lie under everything else.
void draw_y_tick(Sheet& s, double at, const std::string& label) {
  s.stroke("grid", {{left, at}, {s.width() - right, at}});
  s.words("tick", left - 6, at + 4, Anchor::end, label);
}

void draw_x_tick(Sheet& s, double at, const std::string& label) {
  s.stroke("grid", {{at, s.top}, {at, s.base()}});
  s.words("tick", at, s.base() + 16, Anchor::middle, label);
}

// As many digits as tell neighbouring ticks apart.
std::string tick_label(double value, double step) {
  const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  return fmt::format("{:.{}f}", value == 0 ? 0.0 : value, std::min(digits, 12));
}

std::string decade_label(double exponent) {
  return exponent >= -3 && exponent <= 5 ? fmt::format("{:g}", std::pow(10, exponent))
                                         : fmt::format("1e{:.0f}", exponent);
}

// Calls draw(value, label) for each tick, for values in units of `scale`.
template <class Draw>
void for_each_tick(const Axis& axis, double room, double scale, Draw draw) {
  const int most = axis.most_ticks(room);
  if (axis.logarithmic) {
    const int decades = static_cast<int>(std::lround(axis.hi - axis.lo));
    const int step = (decades + most - 1) / most;
    for (int d = 0; d <= decades; d += step)
      draw(std::pow(10, axis.hi - d), decade_label(axis.hi - d));
    return;
  }
  const std::vector<double> ticks = round_ticks(axis.lo / scale, axis.hi / scale, most);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  for (const double tick : ticks) draw(tick * scale, tick_label(tick, step));
}

void draw_axes(Sheet& s) {
  for_each_tick(s.x, x_room, 1, [&](double value, const std::string& label) {
    draw_x_tick(s, s.x.at(value), label);
  });
  if (!s.all_zero) {
    for_each_tick(s.y, y_room, s.unit_scale, [&](double value, const std::string& label) {
      draw_y_tick(s, s.y.at(value), label);
    });
    if (s.has_zero_band) draw_y_tick(s, s.base() - zero_band / 2, "0");
  }
  s.stroke("axis", {{left, s.base()}, {s.width() - right, s.base()}});
  s.words("tick", s.width() - right, s.options.height - 4, Anchor::end, s.options.x);
}

// ---- Curves and legend

// The least and largest point of each column of pixels, in their order. Where both have the same x
// the nearer to the last comes first, so that the line does not jump more than it must.
void draw_curve(Sheet& s, const Curve& curve, const std::string& colour) {
  std::vector<std::array<double, 2>> path;
  const auto& points = curve.points;
  const auto shown = [&](std::size_t i) {
    return s.shown(points[i].first) && std::isfinite(points[i].second);
  };
  const auto place = [&](std::size_t i) -> std::array<double, 2> {
    return {s.x.at(points[i].first), s.pixel(points[i].second)};
  };
  for (std::size_t i = 0; i < points.size();) {
    if (!shown(i)) {
      ++i;
      continue;
    }
    const double column = place(i)[0];
    std::size_t lo = i, hi = i;
    for (; i < points.size() && shown(i) && std::abs(place(i)[0] - column) < 1; ++i) {
      if (points[i].second < points[lo].second) lo = i;
      if (points[i].second > points[hi].second) hi = i;
    }
    std::array<double, 2> a = place(std::min(lo, hi)), b = place(std::max(lo, hi));
    if (a[0] == b[0] && !path.empty() &&
        std::abs(b[1] - path.back()[1]) < std::abs(a[1] - path.back()[1]))
      std::swap(a, b);
    path.push_back(a);
    if (lo != hi) path.push_back(b);
  }
  s.stroke("curve " + colour, std::move(path));
  if (!s.options.dots) return;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (shown(i)) s.stroke("dot " + colour, {place(i)});
}

std::string colour_of(std::size_t curve) {
  return fmt::format("s{}", curve % curve_colours + 1);
}

// Behind the label of the y axis. Lines break where the sheet ends; the plot begins below them.
void draw_legend(Sheet& s) {
  std::string label = s.options.y;
  if (s.unit_scale != 1) label = fmt::format("1e{:.0f} {}", std::log10(s.unit_scale), label);
  s.words("tick", 4, legend_at, Anchor::start, label);
  const double start = std::max(left, 20 + letter * static_cast<double>(label.size()));
  double x = start, y = legend_at;
  const auto entry = [&](const std::string& style, const std::string& text) {
    if (text.empty()) return;
    const double length = 36 + letter * static_cast<double>(text.size());
    if (x > start && x + length > s.width() + 8) {
      x = start;
      y += legend_line;
    }
    s.stroke(style, {{x, y - 4}, {x + 16, y - 4}});
    s.words("legend", x + 21, y, Anchor::start, text);
    x += length;
  };
  for (std::size_t i = 0; i < s.curves.size(); ++i)
    entry("curve " + colour_of(i), s.curves[i].label);
  if (s.options.line) entry("level", s.options.line_label);
  s.top = y + 10;
}

}  // namespace

std::vector<double> round_ticks(double lo, double hi, int most) {
  std::vector<double> ticks;
  if (!(hi > lo) || !std::isfinite(hi - lo)) return {lo};
  const double rough = (hi - lo) / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) {
      step = factor * power;
      break;
    }
  const double slack = 1e-9 * (hi - lo);
  for (double i = std::ceil((lo - slack) / step); i * step <= hi + slack; i += 1)
    ticks.push_back(i * step);
  return ticks;
}

std::string short_number(double x) {
  const double size = std::abs(x);
  if (x == 0) return "0";
  if (size >= 1e-3 && size < 1e6) return fmt::format("{:.4g}", x);
  return fmt::format("{:.3g}", x);
}

Picture draw_plot(const PlotOptions& options, std::span<const Curve> curves) {
  Sheet s{.options = options, .curves = curves};
  s.picture = {options.width, options.height, options.title, {}};
  s.x.logarithmic = options.log_x;
  s.y.logarithmic = options.log_y;
  find_x_range(s);
  if (options.log_y)
    find_log_range(s);
  else
    find_linear_range(s);

  s.words("title", 4, 15, Anchor::start, options.title);
  draw_legend(s);
  s.x.from = left;
  s.x.to = options.width - right;
  if (options.x_falls) std::swap(s.x.from, s.x.to);
  s.y.from = s.base() - (s.has_zero_band ? zero_band : 0);
  s.y.to = s.top;

  draw_axes(s);
  if (s.all_zero) {
    s.words("legend", options.width / 2, options.height / 2, Anchor::middle,
            "exactly zero at every point");
    return std::move(s.picture);
  }
  if (options.line) {
    const double at = s.pixel(*options.line);
    s.stroke("level", {{left, at}, {options.width - right, at}});
  }
  for (std::size_t i = 0; i < curves.size(); ++i) draw_curve(s, curves[i], colour_of(i));
  return std::move(s.picture);
}

std::string plot_svg(const PlotOptions& options, std::span<const Curve> curves) {
  return svg_element(draw_plot(options, curves));
}

std::string plot_file(PlotOptions options, std::span<const Curve> curves) {
  options.width = 560;
  options.height = 340;
  const Picture picture = draw_plot(options, curves);
  return svg_file({&picture, 1});
}

}  // namespace cairn::page
