// A picture of strokes and words in pixels, y downwards, and its form as SVG. Other forms read its
// marks with the pens of their styles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cairn::page {

// `style` is a list of classes of the style sheet: "grid", "axis", "level", "curve s1", "dot s1". A
// stroke of one point is a dot.
struct Stroke {
  std::string style;
  std::vector<std::array<double, 2>> points;
};

enum class Anchor { start, middle, end };

// `style`: "title", "legend" or "tick".
struct Words {
  std::string style;
  double x = 0, y = 0;  // of the anchor on the base line
  Anchor anchor = Anchor::start;
  std::string text;
};

struct Picture {
  double width = 0, height = 0;
  std::string title;
  std::vector<std::variant<Stroke, Words>> marks;  // later ones lie above
};

// What a style looks like on white paper.
struct Pen {
  std::uint32_t colour = 0;  // 0xRRGGBB
  double width = 0;          // of lines [px]
  double dash = 0;           // length of dashes and of the gaps between them [px]; 0: none
  double size = 0;           // of letters [px]
  bool bold = false;
};

inline constexpr std::size_t curve_colours = 8;  // "s1" to "s8"

Pen pen_of(std::string_view style);

// One <svg> element whose colours come from the page's style sheet; well-formed XML.
std::string svg_element(const Picture& picture);

// An SVG file that stands alone: the pictures one below the other, on white.
std::string svg_file(std::span<const Picture> pictures);

}  // namespace cairn::page
