// Pixels: strokes with smooth edges on white, and PNG files.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "record/picture.hpp"

namespace cairn {

using Colour = std::array<std::uint8_t, 3>;

class Pixels {
 public:
  Pixels(int width, int height);

  // A line with round joints and ends; places and width in pixels, y downwards.
  void stroke(std::span<const std::array<double, 2>> points, double line_width, Colour colour);

  int width() const { return width_; }
  int height() const { return height_; }
  Colour at(int x, int y) const;
  std::string png() const;

 private:
  int width_, height_;
  std::vector<std::uint8_t> rgb_;
  std::vector<float> cover_;  // of the stroke being drawn; zero in between
};

// The pictures one below the other, `scale` pixels to a unit.
Pixels draw_pixels(std::span<const Picture> pictures, double scale);

// The same as an SVG file that stands alone, in the same colours.
std::string svg_file(std::span<const Picture> pictures);

}  // namespace cairn
