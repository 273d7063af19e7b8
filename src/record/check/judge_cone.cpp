// The second judge's own projection onto friction cones: round ones, and those over polygons side
// by side.
#include <algorithm>
#include <cmath>

#include "record/check/judge.hpp"

namespace cairn::record {
namespace {

// Projection of z onto the plane of two generators, if it is a non-negative combination of them.
// Along the first and across it, which stays accurate where the two are nearly parallel.
bool project_onto_side(const Vec3& z, const Vec3& a, const Vec3& b, Vec3& p) {
  const Vec3 first = a.normalized(), e = b - a;
  const Vec3 across = e - e.dot(first) * first;
  const double x = first.dot(z), y = across.dot(z) / across.squaredNorm();
  const double share_a = (x - y * e.dot(first)) / a.norm() - y;  // z = share_a a + y b + rest
  p = x * first + y * across;
  return share_a >= 0 && y >= 0;
}

// The nearest point p has z - p in the polar cone: of all projections onto sides, edges and the
// apex the one that violates this least. (The least distance does not tell them apart: to distances
// points that differ by 1e-8 are equal.)
Vec3 nearest_in_pyramid(const Vec3& z, double mu, const FrictionPolygon& corners) {
  const auto ray = [&](std::size_t i) {
    const Corner& c = corners[i % corners.size()];
    return Vec3(1, mu * c[0], mu * c[1]);
  };
  bool inside = z[0] >= 0;
  for (std::size_t i = 0; i < corners.size() && inside; ++i)
    inside = ray(i).cross(ray(i + 1)).dot(z) >= 0;  // inner normal of a side
  if (inside) return z;
  const auto violation = [&](const Vec3& p) {
    double most = 0;
    for (std::size_t i = 0; i < corners.size(); ++i)
      most = std::max(most, ray(i).dot(z - p) / ray(i).norm());
    return most;
  };
  Vec3 best = Vec3::Zero();
  double least = violation(best);
  const auto consider = [&](const Vec3& p) {
    if (const double v = violation(p); v < least) best = p, least = v;
  };
  for (std::size_t i = 0; i < corners.size(); ++i) {
    consider(std::max(0.0, ray(i).dot(z) / ray(i).squaredNorm()) * ray(i));
    if (Vec3 p; project_onto_side(z, ray(i), ray(i + 1), p)) consider(p);
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
