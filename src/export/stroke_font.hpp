// Letters as strokes, for plots as pixels: printable ASCII, anything else is a box.
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace cairn {

using Polyline = std::vector<std::array<double, 2>>;

struct WrittenText {
  std::vector<Polyline> strokes;  // y upwards from the base line
  double width = 0;
};

// Text (UTF-8) whose capital letters are `height` high; begins at the origin.
WrittenText write_text(std::string_view text, double height);

}  // namespace cairn
