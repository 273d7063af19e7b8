#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "cairn/contact.hpp"

namespace cairn {
namespace {

constexpr double flat = 1e-9;     // turn at a corner that is none [rad]
constexpr double nearest = 1e-4;  // of the largest radius: an edge so near takes no friction [-]

std::string corner_text(const Corner& c) {
  return fmt::format("[{}, {}]", c[0], c[1]);
}

}  // namespace

double largest(const FrictionPolygon& polygon) {
  double size = 0;
  for (const Corner& c : polygon) size = std::max(size, std::hypot(c[0], c[1]));
  return size;
}

std::string make_convex(FrictionPolygon& polygon) {
  const std::size_t n = polygon.size();
  if (n < 3 || n > max_corners) return fmt::format("it has {} corners", n);
  for (const Corner& c : polygon)
    if (!std::isfinite(c[0]) || !std::isfinite(c[1])) return "a corner is not finite";
  std::sort(polygon.begin(), polygon.end(), [](const Corner& a, const Corner& b) {
    return std::atan2(a[1], a[0]) < std::atan2(b[1], b[0]);
  });
  const double size = largest(polygon);
  for (std::size_t i = 0; i < n; ++i) {
    const Corner &a = polygon[i], &b = polygon[(i + 1) % n], &c = polygon[(i + 2) % n];
    const double x = b[0] - a[0], y = b[1] - a[1], length = std::hypot(x, y);
    const double next_x = c[0] - b[0], next_y = c[1] - b[1];
    const std::string edge = corner_text(a) + " to " + corner_text(b);
    if (!(a[0] * b[1] - a[1] * b[0] > nearest * size * length))
      return "the edge from " + edge + " leaves too little friction across it, or none";
    if (!(x * next_y - y * next_x > flat * length * std::hypot(next_x, next_y)))
      return "at " + corner_text(b) + " it is not convex";
  }
  return {};
}

}  // namespace cairn
