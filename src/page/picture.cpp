// Writes pictures as SVG.
#include "page/picture.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>

#include "cairn/error.hpp"
#include "page/html.hpp"

namespace cairn::page {
namespace {

// What one class says of a pen. The colours are those of the light page (report_style.hpp).
struct Style {
  std::string_view name;
  std::optional<std::uint32_t> colour = {};
  double width = 0, dash = 0, size = 0;
  bool bold = false;
};

constexpr Style styles[] = {
    {.name = "grid", .colour = 0xececea, .width = 1},
    {.name = "axis", .colour = 0x5d6167, .width = 1},
    {.name = "level", .colour = 0xb3261e, .width = 1.4, .dash = 5},
    {.name = "title", .colour = 0x1c1d1f, .size = 14, .bold = true},
    {.name = "legend", .colour = 0x5d6167, .size = 12.5},
    {.name = "tick", .colour = 0x5d6167, .size = 12},
    {.name = "curve", .width = 1.8},
    {.name = "dot", .width = 7},
    {.name = "s1", .colour = 0x2468b8},
    {.name = "s2", .colour = 0xc2570c},
    {.name = "s3", .colour = 0x1d7f64},
    {.name = "s4", .colour = 0x8a3ea8},
    {.name = "s5", .colour = 0x9a7b00},
    {.name = "s6", .colour = 0xc81e5b},
    {.name = "s7", .colour = 0x3b8ea5},
    {.name = "s8", .colour = 0x555555},
};

std::string rule(const Style& s) {
  std::string css = fmt::format(".{}{{", s.name);
  const auto put = [&](const char* key, const std::string& value) {
    css += fmt::format("{}:{};", key, value);
  };
  if (s.colour) put(s.size > 0 ? "fill" : "stroke", fmt::format("#{:06x}", *s.colour));
  if (s.width > 0) put("stroke-width", fmt::format("{}", s.width));
  if (s.dash > 0) put("stroke-dasharray", fmt::format("{}", s.dash));
  if (s.size > 0) put("font-size", fmt::format("{}px", s.size));
  if (s.bold) put("font-weight", "600");
  return css + "}";
}

void put(std::string& svg, const Stroke& stroke) {
  if (stroke.points.empty()) return;
  fmt::format_to(std::back_inserter(svg), "<path class=\"{}\" d=\"", stroke.style);
  const char* move = "M";
  for (const auto& [x, y] : stroke.points) {
    fmt::format_to(std::back_inserter(svg), "{}{:.1f} {:.1f}", move, x, y);
    move = "L";
  }
  // A single point is a dot: a line of no length with round ends.
  svg += stroke.points.size() == 1 ? "h0\"/>" : "\"/>";
}

void put(std::string& svg, const Words& words) {
  static constexpr const char* anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  fmt::format_to(std::back_inserter(svg),
                 "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}>{}</text>", words.x, words.y,
                 words.style, anchors[static_cast<std::size_t>(words.anchor)], escape(words.text));
}

// `place` holds further attributes.
std::string element(const Picture& picture, const std::string& place) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\"{} viewBox=\"0 0 {} {}\" "
      "role=\"img\"><title>{}</title>",
      place, picture.width, picture.height, escape(picture.title));
  for (const auto& mark : picture.marks) std::visit([&](const auto& m) { put(svg, m); }, mark);
  return svg + "</svg>";
}

}  // namespace

Pen pen_of(std::string_view style) {
  Pen pen;
  while (!style.empty()) {
    const std::string_view word = style.substr(0, style.find(' '));
    style.remove_prefix(std::min(word.size() + 1, style.size()));
    const auto* s = std::find_if(std::begin(styles), std::end(styles),
                                 [&](const Style& each) { return each.name == word; });
    CAIRN_CHECK(s != std::end(styles));
    pen.colour = s->colour.value_or(pen.colour);
    pen.width += s->width;
    pen.dash += s->dash;
    pen.size += s->size;
    pen.bold = pen.bold || s->bold;
  }
  return pen;
}

std::string svg_element(const Picture& picture) {
  return element(picture, "");
}

std::string svg_file(std::span<const Picture> pictures) {
  std::string style =
      "text{font-family:system-ui,\"Segoe UI\",sans-serif}"
      "path{fill:none;stroke-linejoin:round}.curve,.dot{stroke-linecap:round}";
  for (const Style& s : styles) style += rule(s);
  double width = 0, height = 0;
  std::string body;
  for (const Picture& p : pictures) {
    body +=
        element(p, fmt::format(" y=\"{}\" width=\"{}\" height=\"{}\"", height, p.width, p.height)) +
        "\n";
    width = std::max(width, p.width);
    height += p.height;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\">\n<style>{2}</style>\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#fff\"/>\n{3}</svg>\n",
      width, height, escape(style), body);
}

}  // namespace cairn::page
