// Draws plots: finds the ranges, maps values to pixels, thins curves to what the pixels can show.
#include "record/plot.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace cairn {
namespace {

constexpr double left = 58, right = 12, bottom = 30;  // margins [px]
constexpr double legend_at = 34, legend_line = 15;    // base line of the legend's first line
constexpr double zero_band = 26;                      // under a logarithmic axis

struct Axis {
  double lo = 0, hi = 1;    // values, or their decimal logarithms
  double from = 0, to = 1;  // pixels
  double at(double x) const { return from + (x - lo) / (hi - lo) * (to - from); }
};

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

struct Sheet {
  const PlotOptions& options;
  std::span<const Curve> curves;
  Picture picture = {};
  double top = legend_at + 10;  // margin under title and legend
  Axis x = {}, y = {};
  double unit_scale = 1;  // tick labels are values / unit_scale
  bool has_zero_band = false;
  bool all_zero = false;  // of a logarithmic plot

  double width() const { return options.width; }
  double base() const { return options.height - bottom; }  // where the x axis lies

  void stroke(std::string style, std::vector<std::array<double, 2>> points) {
    picture.marks.emplace_back(Stroke{std::move(style), std::move(points)});
  }
  void words(std::string style, double at_x, double at_y, Anchor anchor, std::string text) {
    picture.marks.emplace_back(Words{std::move(style), at_x, at_y, anchor, std::move(text)});
  }

  double pixel(double value) const {
    if (!options.logarithmic) return y.at(value);
    if (!(value > 0) || std::log10(value) < y.lo) return base() - zero_band / 2;
    return y.at(std::min(std::log10(value), y.hi));
  }
};

void find_time_range(Sheet& s) {
  Extent t;
  for (const Curve& curve : s.curves)
    for (const Series::Bucket& b : curve.series->buckets()) {
      t.add(b.t_first);
      t.add(b.t_last);
    }
  if (t.empty()) t = {0, 1};
  if (t.lo > 0 && t.lo < 0.1 * t.hi) t.lo = 0;
  if (t.hi <= t.lo) t.hi = t.lo + (t.lo == 0 ? 1 : std::abs(t.lo));
  s.x = {t.lo, t.hi, left, s.width() - right};
}

void find_linear_range(Sheet& s) {
  Extent y;
  for (const Curve& curve : s.curves)
    for (const Series::Bucket& b : curve.series->buckets()) {
      y.add(b.lo);
      y.add(b.hi);
    }
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
  s.y = {y.lo - (s.options.from_zero ? 0 : margin), y.hi + margin, s.base(), s.top};
  const double exponent =
      std::floor(std::log10(std::max(std::abs(s.y.lo), std::abs(s.y.hi))) / 3) * 3;
  if (exponent >= 6 || exponent <= -6) s.unit_scale = std::pow(10, exponent);
}

void find_log_range(Sheet& s) {
  Extent y;
  bool zeros = false;
  const auto add = [&](double value) {
    if (value > 0)
      y.add(value);
    else
      zeros = true;
  };
  for (const Curve& curve : s.curves)
    for (const Series::Bucket& b : curve.series->buckets()) {
      add(b.lo);
      add(b.hi);
    }
  s.all_zero = y.empty();
  if (s.options.line) add(*s.options.line);
  if (y.empty()) y = {1e-16, 1};
  s.y.hi = std::ceil(std::log10(y.hi) + 0.05);
  s.y.lo = std::max(std::floor(std::log10(y.lo)), s.y.hi - 20);
  if (s.y.lo >= s.y.hi) s.y.lo = s.y.hi - 1;
  s.has_zero_band = zeros || std::log10(y.lo) < s.y.lo;
  s.y.from = s.base() - (s.has_zero_band ? zero_band : 0);
  s.y.to = s.top;
}

void draw_tick(Sheet& s, double at, const std::string& label) {
  s.stroke("grid", {{left, at}, {s.width() - right, at}});
  s.words("tick", left - 6, at + 4, Anchor::end, label);
}

// As many digits as tell neighbouring ticks apart.
std::string tick_label(double value, double step) {
  const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  return fmt::format("{:.{}f}", value == 0 ? 0.0 : value, std::min(digits, 12));
}

void draw_y_axis(Sheet& s) {
  if (s.options.logarithmic) {
    const int decades = static_cast<int>(std::lround(s.y.hi - s.y.lo));
    const int step = (decades + 5) / 6;
    for (int d = 0; d <= decades; d += step)
      draw_tick(s, s.y.at(s.y.hi - d), fmt::format("1e{:.0f}", s.y.hi - d));
    if (s.has_zero_band) draw_tick(s, s.base() - zero_band / 2, "0");
  } else {
    const std::vector<double> ticks = round_ticks(s.y.lo / s.unit_scale, s.y.hi / s.unit_scale, 5);
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
    for (const double tick : ticks)
      draw_tick(s, s.y.at(tick * s.unit_scale), tick_label(tick, step));
  }
  std::string unit = s.options.unit;
  if (s.unit_scale != 1) unit = fmt::format("1e{:.0f} {}", std::log10(s.unit_scale), unit);
  s.words("tick", 4, legend_at, Anchor::start, unit);
}

void draw_x_axis(Sheet& s) {
  s.stroke("axis", {{left, s.base()}, {s.width() - right, s.base()}});
  // Words of about 60 px must not touch.
  const int most = std::max(2, static_cast<int>((s.width() - left - right) / 66));
  const std::vector<double> ticks = round_ticks(s.x.lo, s.x.hi, most);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  for (const double tick : ticks) {
    s.stroke("axis", {{s.x.at(tick), s.base()}, {s.x.at(tick), s.base() + 4}});
    s.words("tick", s.x.at(tick), s.base() + 16, Anchor::middle, tick_label(tick, step));
  }
  s.words("tick", s.width() - right, s.options.height - 2, Anchor::end, "t [s]");
}

// The least and largest value of each column of pixels, joined so that the line does not jump more
// than it must.
void draw_curve(Sheet& s, const Curve& curve, std::size_t number) {
  std::vector<std::array<double, 2>> path;
  double last_y = s.options.height;
  const auto& buckets = curve.series->buckets();
  const auto point = [&](double px, double py) {
    path.push_back({px, py});
    last_y = py;
  };
  for (std::size_t i = 0; i < buckets.size();) {
    const double px = s.x.at(0.5 * (buckets[i].t_first + buckets[i].t_last));
    Extent y;
    for (; i < buckets.size() && s.x.at(0.5 * (buckets[i].t_first + buckets[i].t_last)) < px + 1;
         ++i) {
      y.add(buckets[i].lo);
      y.add(buckets[i].hi);
    }
    if (y.empty()) continue;
    double a = s.pixel(y.lo), b = s.pixel(y.hi);
    if (std::abs(b - last_y) < std::abs(a - last_y)) std::swap(a, b);
    point(px, a);
    if (std::abs(a - b) >= 0.1) point(px, b);
  }
  s.stroke(fmt::format("curve s{}", number + 1), std::move(path));
}

// The legend's lines break where the sheet ends; the plot begins below them.
void draw_legend(Sheet& s) {
  double x = left, y = legend_at;
  const auto entry = [&](const std::string& style, const std::string& label) {
    const double length = 36 + 6.6 * static_cast<double>(label.size());
    if (x > left && x + length > s.width() + 8) {
      x = left;
      y += legend_line;
    }
    s.stroke(style, {{x, y - 4}, {x + 16, y - 4}});
    s.words("legend", x + 21, y, Anchor::start, label);
    x += length;
  };
  // One curve needs no legend: the title names it.
  if (s.curves.size() > 1)
    for (std::size_t i = 0; i < s.curves.size(); ++i)
      entry(fmt::format("curve s{}", i + 1), s.curves[i].label);
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

double round_down(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double factor : {5.0, 2.0})
    if (factor * power <= x) return factor * power;
  return power;
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
  s.words("title", 4, 15, Anchor::start, options.title);
  draw_legend(s);
  find_time_range(s);
  if (options.logarithmic)
    find_log_range(s);
  else
    find_linear_range(s);

  if (options.logarithmic && s.all_zero) {
    s.words("legend", options.width / 2, options.height / 2, Anchor::middle,
            "exactly zero at every step");
  } else {
    draw_y_axis(s);
    if (options.line) {
      const double at = s.pixel(*options.line);
      s.stroke("level", {{left, at}, {options.width - right, at}});
    }
    for (std::size_t i = 0; i < curves.size(); ++i) draw_curve(s, curves[i], i);
  }
  draw_x_axis(s);
  return std::move(s.picture);
}

std::string plot_svg(const PlotOptions& options, std::span<const Curve> curves) {
  return svg_element(draw_plot(options, curves));
}

}  // namespace cairn
