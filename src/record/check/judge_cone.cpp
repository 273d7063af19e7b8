// The second judge's own projection onto friction cones: round ones, and those over polygons side
// by side.
#include <algorithm>
#include <cmath>

#include "record/check/judge.hpp"

namespace cairn::record {
namespace {

// Nearest point among the non-negative combinations of two generators. Along the first and across
// it, which stays accurate where the two are nearly parallel.
Vec3 nearest_in_side(const Vec3& z, const Vec3& a, const Vec3& b) {
  const Vec3 first = a.normalized(), e = b - a;
  const Vec3 across = e - e.dot(first) * first;
  const double x = first.dot(z), y = across.dot(z) / across.squaredNorm();
  const double share_a = (x - y * e.dot(first)) / a.norm() - y;  // z = share_a a + y b + rest
  if (share_a >= 0 && y >= 0) return x * first + y * across;
  const Vec3 on_a = std::max(0.0, a.dot(z) / a.squaredNorm()) * a;
  const Vec3 on_b = std::max(0.0, b.dot(z) / b.squaredNorm()) * b;
  return (z - on_a).squaredNorm() <= (z - on_b).squaredNorm() ? on_a : on_b;
}

Vec3 nearest_in_pyramid(const Vec3& z, double mu, const FrictionPolygon& corners) {
  const auto ray = [&](std::size_t i) {
    const Corner& c = corners[i % corners.size()];
    return Vec3(1, mu * c[0], mu * c[1]);
  };
  bool inside = z[0] >= 0;
  for (std::size_t i = 0; i < corners.size() && inside; ++i)
    inside = ray(i).cross(ray(i + 1)).dot(z) >= 0;  // inner normal of a side
  if (inside) return z;
  Vec3 best = Vec3::Zero();
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3 p = nearest_in_side(z, ray(i), ray(i + 1));
    if ((z - p).squaredNorm() < (z - best).squaredNorm()) best = p;
  }
  return best;
}

}  // namespace

Vec3 nearest_in_cone(const Vec3& z, int rows, double mu, const FrictionPolygon& corners) {
  if (rows == 1) return {std::max(0.0, z[0]), 0, 0};
  if (rows == 3 && mu > 0 && !corners.empty()) return nearest_in_pyramid(z, mu, corners);
  const double t = std::hypot(z[1], z[2]);
  if (mu * t <= -z[0])
    return Vec3::Zero();  // first: with mu = 0 and t = 0 the next line would keep z[0] < 0
  if (t <= mu * z[0]) return z;
  const double p = (z[0] + mu * t) / (1 + mu * mu);
  return {p, mu * p * z[1] / t, mu * p * z[2] / t};
}

}  // namespace cairn::record
