// Draws plots: finds the ranges, maps values to pixels, thins curves to what the pixels can show.
#include "record/plot.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>

#include "record/html.hpp"

namespace cairn {
namespace {

// The sheet [px]. Small enough that its letters stay readable when a phone shrinks it.
constexpr double width = 480, height = 230;
constexpr double left = 58, right = 12, top = 44, bottom = 30;
constexpr double zero_band = 14;  // under a logarithmic axis

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
  std::string svg = {};
  Axis x = {}, y = {};
  double unit_scale = 1;  // tick labels are values / unit_scale
  bool has_zero_band = false;
  bool all_zero = false;  // of a logarithmic plot

  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(svg), text, std::forward<Args>(args)...);
  }

  double pixel(double value) const {
    if (!options.logarithmic) return y.at(value);
    if (!(value > 0) || std::log10(value) < y.lo) return height - bottom - zero_band / 2;
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
  s.x = {t.lo, t.hi, left, width - right};
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
  s.y = {y.lo - (s.options.from_zero ? 0 : margin), y.hi + margin, height - bottom, top};
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
  s.y.from = height - bottom - (s.has_zero_band ? zero_band : 0);
  s.y.to = top;
}

void draw_tick(Sheet& s, double at, const std::string& label) {
  s.put("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", left, at, width - right);
  s.put("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick\" text-anchor=\"end\">{}</text>", left - 6,
        at + 4, label);
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
    if (s.has_zero_band) draw_tick(s, height - bottom - zero_band / 2, "0");
  } else {
    const std::vector<double> ticks = round_ticks(s.y.lo / s.unit_scale, s.y.hi / s.unit_scale, 5);
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
    for (const double tick : ticks)
      draw_tick(s, s.y.at(tick * s.unit_scale), tick_label(tick, step));
  }
  std::string unit = s.options.unit;
  if (s.unit_scale != 1) unit = fmt::format("1e{:.0f} {}", std::log10(s.unit_scale), unit);
  s.put("<text x=\"4\" y=\"{:.1f}\" class=\"tick\">{}</text>", top - 10, escape(unit));
}

void draw_x_axis(Sheet& s) {
  s.put("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", left, height - bottom, width - right);
  const std::vector<double> ticks = round_ticks(s.x.lo, s.x.hi, 6);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  for (const double tick : ticks) {
    s.put("<path class=\"axis\" d=\"M{:.1f} {:.1f}v4\"/>", s.x.at(tick), height - bottom);
    s.put("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick\" text-anchor=\"middle\">{}</text>",
          s.x.at(tick), height - bottom + 16, tick_label(tick, step));
  }
  s.put("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick\" text-anchor=\"end\">t [s]</text>",
        width - right, height - 2);
}

// The least and largest value of each column of pixels, joined so that the line does not jump more
// than it must.
void draw_curve(Sheet& s, const Curve& curve, std::size_t number) {
  std::string path;
  double last_y = height;
  const auto& buckets = curve.series->buckets();
  const auto point = [&](double px, double py) {
    fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", path.empty() ? "M" : "L", px, py);
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
  // A single step is a dot: a line of no length with round ends.
  if (path.find('L') == std::string::npos && !path.empty()) path += "h0";
  s.put("<path class=\"curve s{}\" d=\"{}\"/>", number + 1, path);
}

void draw_legend(Sheet& s) {
  double x = left;
  const auto entry = [&](const std::string& style, const std::string& label) {
    s.put("<path class=\"{}\" d=\"M{:.1f} {:.1f}h16\"/>", style, x, top - 14);
    s.put("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"legend\">{}</text>", x + 21, top - 10,
          escape(label));
    x += 36 + 6.6 * static_cast<double>(label.size());
  };
  // One curve needs no legend: the title names it.
  if (s.curves.size() > 1)
    for (std::size_t i = 0; i < s.curves.size(); ++i)
      entry(fmt::format("curve s{}", i + 1), s.curves[i].label);
  if (s.options.line) entry("level", s.options.line_label);
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

std::string plot_svg(const PlotOptions& options, std::span<const Curve> curves) {
  Sheet s{.options = options, .curves = curves};
  find_time_range(s);
  if (options.logarithmic)
    find_log_range(s);
  else
    find_linear_range(s);

  s.put(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {} {}\" "
      "role=\"img\">",
      width, height);
  s.put("<title>{}</title>", escape(options.title));
  s.put("<text x=\"4\" y=\"15\" class=\"title\">{}</text>", escape(options.title));
  if (options.logarithmic && s.all_zero) {
    s.put(
        "<text x=\"{}\" y=\"{}\" class=\"legend\" text-anchor=\"middle\">exactly zero at every "
        "step</text>",
        width / 2, height / 2);
  } else {
    draw_y_axis(s);
    if (options.line)
      s.put("<path class=\"level\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", left, s.pixel(*options.line),
            width - right);
    for (std::size_t i = 0; i < curves.size(); ++i) draw_curve(s, curves[i], i);
    draw_legend(s);
  }
  draw_x_axis(s);
  return s.svg + "</svg>";
}

}  // namespace cairn
