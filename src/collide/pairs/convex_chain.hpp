// Convex hull of points in a plane.
#pragma once

#include <vector>

namespace cairn::collide {

// Twice the area of the triangle a, b, p, > 0 if it turns left. The points have x and y.
template <class Point>
double turn(const Point& a, const Point& b, const Point& p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

// Andrew's chain over points sorted by x, then y, counterclockwise from the first; what lies on a
// side is no corner.
template <class Point>
void convex_chain(const std::vector<Point>& sorted, std::vector<Point>& corners) {
  corners.clear();
  std::size_t start = 0;
  auto chain = [&](const Point& p) {
    while (corners.size() >= start + 2 && turn(corners[corners.size() - 2], corners.back(), p) <= 0)
      corners.pop_back();
    corners.push_back(p);
  };
  for (const Point& p : sorted) chain(p);
  start = corners.size() - 1;
  for (std::size_t i = sorted.size() - 1; i-- > 0;) chain(sorted[i]);
  corners.pop_back();  // the first one again
}

}  // namespace cairn::collide
