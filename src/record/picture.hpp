// A picture of strokes and words in pixels, y downwards, before it becomes SVG or PNG.
#pragma once

#include <array>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace cairn {

// `style` is a class of the style sheet: "grid", "axis", "curve s1", "level".
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

// One <svg> element whose colours come from the page's style sheet; well-formed XML.
std::string svg_element(const Picture& picture);

}  // namespace cairn
