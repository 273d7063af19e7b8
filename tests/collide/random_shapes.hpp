// Seeded random shapes and poses, and a slow search for the signed distance, for the tests of the
// narrowphase.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "cairn/math.hpp"
#include "cairn/polyhedron.hpp"
#include "cairn/shape.hpp"
#include "collide/narrowphase.hpp"

namespace cairn::testing {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  // Built from the engine's bits alone: the standard distributions differ between libraries.
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * 0x1p-32 * static_cast<double>(engine_());
  }
  double logarithmic(double lo, double hi) { return std::exp(uniform(std::log(lo), std::log(hi))); }
  Vec3 unit() {
    const double u = uniform(-1, 1), phi = uniform(0, 2 * std::numbers::pi);
    const double s = std::sqrt(1 - u * u);
    return {s * std::cos(phi), s * std::sin(phi), u};
  }
  Quat rotation() { return exp_rotation(unit() * uniform(0, std::numbers::pi)).normalized(); }
  Quat turn() { return exp_rotation({0, 0, uniform(-3, 3)}); }

 private:
  std::mt19937 engine_;
};

inline collide::ShapeContact only_contact(const Geometry& a, const Pose& A, const Geometry& b,
                                          const Pose& B) {
  std::vector<collide::ShapeContact> out;
  collide::collide_shapes(a, A, b, B, out);
  return out.at(0);
}

// Support function of the shape about its origin, from its definition.
inline double support_height(const Geometry& g, const Pose& X, const Vec3& n_W) {
  const Vec3 n = X.R.conjugate() * n_W;
  if (const auto* s = std::get_if<Sphere>(&g)) return s->radius;
  if (const auto* s = std::get_if<Capsule>(&g))
    return s->radius + 0.5 * s->length * std::abs(n.z());
  if (const auto* s = std::get_if<Ellipsoid>(&g)) return s->radii.cwiseProduct(n).norm();
  if (const auto* s = std::get_if<Frustum>(&g))
    return std::max(s->radius * n.head<2>().norm() - 0.5 * s->length * n.z(),
                    s->top_radius * n.head<2>().norm() + 0.5 * s->length * n.z());
  if (const auto* s = std::get_if<Disc>(&g)) return s->radius;
  if (const auto* s = std::get_if<Ellipse>(&g)) return s->radii.cwiseProduct(n.head<2>()).norm();
  if (const auto* s = std::get_if<Box>(&g)) return 0.5 * s->size.dot(n.cwiseAbs());
  double most = 0;
  if (const auto* s = std::get_if<Hull>(&g)) {
    most = -1e300;
    for (const Vec3& v : s->vertices) most = std::max(most, n.dot(v));
  }
  if (const auto* s = std::get_if<Polygon>(&g)) {
    most = -1e300;
    for (const auto& v : s->vertices) most = std::max(most, n.head<2>().dot(v));
  }
  return most;
}

// A hull of points in a box, and a convex polygon, with the vertices as a model holds them.
inline Hull random_hull(Random& random, int points, const Vec3& size) {
  std::vector<Vec3> v;
  for (int i = 0; i < points; ++i) v.push_back(size.cwiseProduct(random.unit()));
  return {hull_polyhedron(v)->vertices};
}
inline Polygon random_polygon(Random& random, int corners) {
  std::vector<double> angles;
  while (static_cast<int>(angles.size()) < corners)
    angles.push_back(random.uniform(0, 2 * std::numbers::pi));
  // A triangle around the centre, so that there is an area.
  for (const double a : {0.1, 2.2, 4.3}) angles.push_back(a);
  std::sort(angles.begin(), angles.end());
  const double a = random.uniform(0.3, 1), b = random.uniform(0.3, 1);
  Polygon p;
  for (const double t : angles) p.vertices.emplace_back(a * std::cos(t), b * std::sin(t));
  const Polyhedron q = *polygon_polyhedron(p.vertices);
  p.vertices.clear();
  for (const Vec3& v : q.vertices) p.vertices.emplace_back(v.head<2>());
  return p;
}

// Signed gap between the planes with normal n that support A and B.
inline double separation(const Geometry& a, const Pose& A, const Geometry& b, const Pose& B,
                         const Vec3& n) {
  return n.dot(B.p - A.p) - support_height(a, A, n) - support_height(b, B, -n);
}

// max over n of n.d - h_A - h_B by a sweep of directions and a compass search from the best ones.
class SlowDistance {
 public:
  // In the plane across z if `planar`.
  explicit SlowDistance(bool planar) : planar_(planar) {
    const int turns = planar ? 720 : 96, rings = planar ? 1 : 64;
    for (int i = 0; i < rings; ++i)
      for (int k = 0; k < turns; ++k) {
        const double u = planar ? 0 : (2.0 * i + 1) / rings - 1;
        const double phi = 2 * std::numbers::pi * (k + 0.5 * (i % 2)) / turns,
                     s = std::sqrt(1 - u * u);
        directions_.push_back({s * std::cos(phi), s * std::sin(phi), u});
      }
  }

  double operator()(const Geometry& a, const Pose& A, const Geometry& b, const Pose& B) {
    const auto f = [&](const Vec3& n) { return separation(a, A, b, B, n); };
    ranked_.clear();
    for (const Vec3& n : directions_) ranked_.push_back({f(n), n});
    const std::size_t kept = std::min<std::size_t>(ranked_.size(), 40);
    std::partial_sort(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(kept),
                      ranked_.end(),
                      [](const auto& x, const auto& y) { return x.first > y.first; });
    double best = ranked_[0].first;
    for (std::size_t i = 0; i < kept; i += 3) best = std::max(best, refined(f, ranked_[i]));
    return best;
  }

 private:
  template <class F>
  double refined(const F& f, std::pair<double, Vec3> at) const {
    double step = 0.05;
    for (int round = 0; round < 300 && step > 1e-9; ++round) {
      const Tangents t = tangents(at.second);
      bool moved = false;
      for (const Vec3& d : {t.t1, Vec3(-t.t1), t.t2, Vec3(-t.t2)}) {
        if (planar_ && d.z() != 0) continue;
        const Vec3 n = (at.second + step * d).normalized();
        if (const double value = f(n); value > at.first) at = {value, n}, moved = true;
      }
      if (!moved) step *= 0.5;
    }
    return at.first;
  }

  bool planar_;
  std::vector<Vec3> directions_;
  std::vector<std::pair<double, Vec3>> ranked_;
};

}  // namespace cairn::testing
