// The circles at the ends of a frustum, and the points on them that stand for a flat end in contact
// (E903).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "cairn/math.hpp"
#include "cairn/shape.hpp"

namespace cairn::collide {

struct Rim {
  int end = 0;        // 0: at the lower end of the axis, 1: at the upper one
  double radius = 0;  // 0: a point [m]
  Vec3 center, u;     // from the origin of S; outward normal of the end, in the world
  Vec3 x, y;          // material axes of S across the axis, in the world [-]

  Rim(const Frustum& s, int which, const Mat3& R_WS)
      : end(which),
        radius(which == 0 ? s.radius : s.top_radius),
        center((which == 0 ? -0.5 : 0.5) * s.length * R_WS.col(2)),
        u((which == 0 ? -1 : 1) * R_WS.col(2)),
        x(R_WS.col(0)),
        y(R_WS.col(1)) {}
};

// Numbers of points on rims: of the lower rim from 0x100 on, of the upper one from 0x200 on. The
// farthest point is 0; those 90, 180 and 270 degrees from it are 1 to 3; fixed ones, every 45
// degrees from x of S on, are 8 to 15.
constexpr std::uint32_t rim_number(int end, int point) {
  return (static_cast<std::uint32_t>(end + 1) << 8) | static_cast<std::uint32_t>(point);
}
constexpr int fixed_points = 8;
constexpr int first_fixed = 8;

constexpr double end_facing = 0.25;        // sine up to which an end faces a direction [-]
constexpr double end_level = 0x1p-20;      // sine up to which fixed points stand for the end [-]
constexpr double end_no_lowest = 0x1p-36;  // sine up to which all points are as far [-]

// Point `k` of those every 45 degrees, from the centre.
inline Vec3 fixed_offset(const Rim& rim, int k) {
  constexpr double diagonal = 0.70710678118654752440;
  constexpr std::array<double, 10> cosine = {1,         diagonal, 0,        -diagonal, -1,
                                             -diagonal, 0,        diagonal, 1,         diagonal};
  const auto i = static_cast<std::size_t>(k);
  return rim.radius * (cosine[i] * rim.x + cosine[(i + 6) % 8] * rim.y);
}

// Calls visit(point, number) for the points of the rim that count in a contact whose normal leads
// out of the frustum along the unit vector n; points are from the origin of S.
template <class Visit>
void each_rim_point(const Rim& rim, const Vec3& n, const Visit& visit) {
  Vec3 w = n - rim.u.dot(n) * rim.u;
  w -= rim.u.dot(w) * rim.u;  // of the rounding of the difference
  const double sine = w.norm();
  const bool faces = sine <= end_facing && rim.u.dot(n) > 0 && rim.radius > 0;
  if (!(rim.radius > 0)) return visit(rim.center, rim_number(rim.end, 0));
  if (faces && sine <= end_level)
    for (int k = 0; k < fixed_points; ++k)
      visit(Vec3(rim.center + fixed_offset(rim, k)), rim_number(rim.end, first_fixed + k));
  if (faces && sine <= end_no_lowest) return;
  const Vec3 q = sine > 0 ? Vec3(w / sine) : rim.x;
  visit(Vec3(rim.center + rim.radius * q), rim_number(rim.end, 0));
  if (!faces || sine <= end_level) return;
  const Vec3 across = rim.u.cross(q);
  visit(Vec3(rim.center + rim.radius * across), rim_number(rim.end, 1));
  visit(Vec3(rim.center - rim.radius * q), rim_number(rim.end, 2));
  visit(Vec3(rim.center - rim.radius * across), rim_number(rim.end, 3));
}

}  // namespace cairn::collide
