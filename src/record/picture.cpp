// Writes pictures as SVG.
#include "record/picture.hpp"

#include <fmt/format.h>
#include <iterator>

#include "record/html.hpp"

namespace cairn {
namespace {

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

}  // namespace

std::string svg_element(const Picture& picture) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {} {}\" "
      "role=\"img\"><title>{}</title>",
      picture.width, picture.height, escape(picture.title));
  for (const auto& mark : picture.marks) std::visit([&](const auto& m) { put(svg, m); }, mark);
  return svg + "</svg>";
}

}  // namespace cairn
