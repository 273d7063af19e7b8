// Draws strokes by their distance from each pixel, and pictures in the colours of the light page.
#include "export/raster.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "cairn/error.hpp"
#include "export/stroke_font.hpp"
#include "play/text_form.hpp"
#include "record/crc32.hpp"
#include "record/html.hpp"

namespace cairn {
namespace {

struct Style {
  std::string_view name;
  Colour colour;
  double width;     // of lines, or height of capital letters
  double dash = 0;  // length of dashes and of the gaps between them; 0: none
  double line = 0;  // width of the lines of letters
};

constexpr Style styles[] = {
    {"grid", {0xEC, 0xEC, 0xEA}, 1},
    {"axis", {0x5D, 0x61, 0x67}, 1},
    {"level", {0xB3, 0x26, 0x1E}, 1.4, 5},
    {"title", {0x1C, 0x1D, 0x1F}, 9.8, 0, 1.7},
    {"legend", {0x5D, 0x61, 0x67}, 8.6, 0, 1.1},
    {"tick", {0x5D, 0x61, 0x67}, 8.2, 0, 1.1},
    {"curve s1", {0x24, 0x68, 0xB8}, 1.8},
    {"curve s2", {0xC2, 0x57, 0x0C}, 1.8},
    {"curve s3", {0x1D, 0x7F, 0x64}, 1.8},
    {"curve s4", {0x8A, 0x3E, 0xA8}, 1.8},
    {"curve s5", {0x9A, 0x7B, 0x00}, 1.8},
    {"curve s6", {0xC8, 0x1E, 0x5B}, 1.8},
    {"curve s7", {0x3B, 0x8E, 0xA5}, 1.8},
    {"curve s8", {0x55, 0x55, 0x55}, 1.8},
};

const Style& style_of(std::string_view name) {
  const auto* found = std::find_if(std::begin(styles), std::end(styles),
                                   [&](const Style& s) { return s.name == name; });
  CAIRN_CHECK(found != std::end(styles));
  return *found;
}

double distance(double x, double y, const std::array<double, 2>& a,
                const std::array<double, 2>& b) {
  const double dx = b[0] - a[0], dy = b[1] - a[1], size = dx * dx + dy * dy;
  const double share =
      size > 0 ? std::clamp(((x - a[0]) * dx + (y - a[1]) * dy) / size, 0.0, 1.0) : 0;
  return std::hypot(x - a[0] - share * dx, y - a[1] - share * dy);
}

// The dashes of a straight line.
std::vector<Polyline> dashes(const Polyline& line, double length) {
  std::vector<Polyline> parts;
  const auto &a = line.front(), &b = line.back();
  const double whole = std::hypot(b[0] - a[0], b[1] - a[1]);
  const auto at = [&](double s) -> std::array<double, 2> {
    return {a[0] + (b[0] - a[0]) * s / whole, a[1] + (b[1] - a[1]) * s / whole};
  };
  for (double s = 0; s < whole; s += 2 * length)
    parts.push_back({at(s), at(std::min(s + length, whole))});
  return parts;
}

void draw(Pixels& pixels, const Stroke& stroke, double scale, double y0) {
  const Style& style = style_of(stroke.style);
  Polyline line;
  for (const auto& [x, y] : stroke.points) line.push_back({x * scale, (y + y0) * scale});
  if (line.empty()) return;
  if (style.dash > 0) {
    for (const Polyline& part : dashes(line, style.dash * scale))
      pixels.stroke(part, style.width * scale, style.colour);
    return;
  }
  pixels.stroke(line, style.width * scale, style.colour);
}

void draw(Pixels& pixels, const Words& words, double scale, double y0) {
  const Style& style = style_of(words.style);
  const WrittenText text = write_text(words.text, style.width * scale);
  const double x = words.x * scale - text.width * static_cast<double>(words.anchor) / 2;
  for (Polyline stroke : text.strokes) {
    for (auto& p : stroke) p = {x + p[0], (words.y + y0) * scale - p[1]};
    pixels.stroke(stroke, style.line * scale, style.colour);
  }
}

void put_big_endian(std::string& out, std::uint32_t x) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(x >> shift & 0xFF));
}

void put_chunk(std::string& out, const char* type, const std::string& data) {
  put_big_endian(out, static_cast<std::uint32_t>(data.size()));
  const std::string body = type + data;
  out += body;
  put_big_endian(out, crc32({reinterpret_cast<const std::uint8_t*>(body.data()), body.size()}));
}

std::string hex(Colour c) {
  return fmt::format("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]);
}

}  // namespace

Pixels::Pixels(int width, int height)
    : width_(width),
      height_(height),
      rgb_(static_cast<std::size_t>(3 * width) * static_cast<std::size_t>(height), 0xFF),
      cover_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0) {}

Colour Pixels::at(int x, int y) const {
  const std::size_t i = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                             static_cast<std::size_t>(x));
  return {rgb_[i], rgb_[i + 1], rgb_[i + 2]};
}

void Pixels::stroke(std::span<const std::array<double, 2>> points, double line_width,
                    Colour colour) {
  const double half = line_width / 2, reach = half + 1;
  int top = height_, bottom = -1;
  // A pixel of several segments is covered as by the nearest one, so that joints do not darken.
  const std::size_t segments = points.size() > 1 ? points.size() - 1 : points.size();
  for (std::size_t i = 0; i < segments; ++i) {
    const auto &a = points[i], &b = points[std::min(i + 1, points.size() - 1)];
    const int x0 = std::max(0, static_cast<int>(std::floor(std::min(a[0], b[0]) - reach)));
    const int x1 = std::min(width_ - 1, static_cast<int>(std::ceil(std::max(a[0], b[0]) + reach)));
    const int y0 = std::max(0, static_cast<int>(std::floor(std::min(a[1], b[1]) - reach)));
    const int y1 = std::min(height_ - 1, static_cast<int>(std::ceil(std::max(a[1], b[1]) + reach)));
    top = std::min(top, y0);
    bottom = std::max(bottom, y1);
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) {
        const double share = std::clamp(half + 0.5 - distance(x + 0.5, y + 0.5, a, b), 0.0, 1.0);
        float& cover = cover_[static_cast<std::size_t>(y * width_ + x)];
        cover = std::max(cover, static_cast<float>(share));
      }
  }
  for (std::size_t i = static_cast<std::size_t>(std::max(0, top) * width_);
       i < static_cast<std::size_t>((bottom + 1) * width_); ++i) {
    if (cover_[i] == 0) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const float now = rgb_[3 * i + k];
      rgb_[3 * i + k] = static_cast<std::uint8_t>(
          std::lround(now + (static_cast<float>(colour[k]) - now) * cover_[i]));
    }
    cover_[i] = 0;
  }
}

std::string Pixels::png() const {
  std::string rows;
  const std::size_t line = 3 * static_cast<std::size_t>(width_);
  for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y) {
    rows.push_back('\2');  // filter "up", differences to the line above: most of them are zero
    for (std::size_t i = y * line; i < (y + 1) * line; ++i)
      rows.push_back(static_cast<char>(rgb_[i] - (y > 0 ? rgb_[i - line] : 0)));
  }
  std::string header;
  put_big_endian(header, static_cast<std::uint32_t>(width_));
  put_big_endian(header, static_cast<std::uint32_t>(height_));
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB
  std::string out = "\x89PNG\r\n\x1a\n";
  put_chunk(out, "IHDR", header);
  put_chunk(out, "IDAT", deflated(rows));
  put_chunk(out, "IEND", "");
  return out;
}

Pixels draw_pixels(std::span<const Picture> pictures, double scale) {
  double width = 0, height = 0;
  for (const Picture& p : pictures) {
    width = std::max(width, p.width);
    height += p.height;
  }
  Pixels pixels(static_cast<int>(std::lround(width * scale)),
                static_cast<int>(std::lround(height * scale)));
  double y0 = 0;
  for (const Picture& p : pictures) {
    for (const auto& mark : p.marks)
      std::visit([&](const auto& m) { draw(pixels, m, scale, y0); }, mark);
    y0 += p.height;
  }
  return pixels;
}

std::string svg_file(std::span<const Picture> pictures) {
  std::string style =
      "svg{background:#fff}text{font-family:system-ui,\"Segoe UI\",sans-serif}"
      ".curve{fill:none;stroke-linejoin:round;stroke-linecap:round}";
  for (const Style& s : styles) {
    std::string name = "." + std::string(s.name);
    std::replace(name.begin(), name.end(), ' ', '.');
    if (s.line > 0)
      style += fmt::format("{}{{font-size:{:.1f}px;fill:{}{}}}", name, s.width / 0.7, hex(s.colour),
                           s.name == "title" ? ";font-weight:600" : "");
    else
      style +=
          fmt::format("{}{{stroke:{};stroke-width:{}{}}}", name, hex(s.colour), s.width,
                      s.dash > 0 ? fmt::format(";stroke-dasharray:{} {}", s.dash, s.dash) : "");
  }
  double width = 0, height = 0;
  std::string body;
  for (const Picture& p : pictures) {
    std::string element = svg_element(p);
    element.insert(4,
                   fmt::format(" y=\"{}\" width=\"{}\" height=\"{}\"", height, p.width, p.height));
    body += element + "\n";
    width = std::max(width, p.width);
    height += p.height;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\">\n<style>{2}</style>\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#fff\"/>\n{3}</svg>\n",
      width, height, escape(style), body);
}

}  // namespace cairn
