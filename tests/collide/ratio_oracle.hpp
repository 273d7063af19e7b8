// Random pairs of polyhedra and slow, independent answers about them: every event of every pair of
// features is looked at.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "collide/random_shapes.hpp"
#include "model/shape/sample_polyhedra.hpp"

namespace cairn::testing {

struct PolyhedronPair {
  Polyhedron a, b;
  Pose A, B;
};

// A linear map with singular values from 1/stretch to 1 between random rotations; in the plane
// about z for planar bodies.
inline Mat3 random_map(Random& random, double stretch, bool planar) {
  const auto turn = [&] { return planar ? random.turn() : random.rotation(); };
  Vec3 s(random.logarithmic(1 / stretch, 1), random.logarithmic(1 / stretch, 1),
         random.logarithmic(1 / stretch, 1));
  if (planar) s.z() = 1;
  return turn().toRotationMatrix() * s.asDiagonal() * turn().toRotationMatrix();
}

inline Polyhedron random_polyhedron(Random& random, double stretch, bool planar) {
  const int kind = static_cast<int>(random.uniform(0, 4)),
            sides = 3 + static_cast<int>(random.uniform(0, 4));
  const Polyhedron base = planar      ? model::polygon(sides)
                          : kind == 0 ? box_polyhedron(Vec3(2, 2, 2))
                          : kind == 1 ? model::tetrahedron()
                          : kind == 2 ? model::prism(sides)
                                      : model::bipyramid(sides);
  const Vec3 t = random.uniform(0, 1) * random.unit();
  return model::image(base, random_map(random, stretch, planar),
                      planar ? Vec3(t.x(), t.y(), 0) : t);
}

// Distances from deep overlap to well apart.
inline PolyhedronPair random_pair(Random& random, double stretch, bool planar) {
  PolyhedronPair p{random_polyhedron(random, stretch, planar),
                   random_polyhedron(random, stretch, planar),
                   {},
                   {}};
  const auto pose = [&](double reach) {
    Vec3 at = reach * random.unit();
    if (planar) at.z() = 0;
    return Pose{at, planar ? random.turn() : random.rotation()};
  };
  p.A = pose(3);
  p.B = pose(1);
  Vec3 direction = random.unit();
  if (planar) direction = Vec3(direction.x(), direction.y(), 0).normalized();
  const double size = std::max(p.a.outer_radius, p.b.outer_radius);
  p.B.p = p.A * p.a.center - p.B.R * p.b.center + size * random.logarithmic(1e-4, 4) * direction;
  return p;
}

// Normals of all events: faces of both bodies and, in space, pairs of edges; in W, from A to B.
class SlowRatio {
 public:
  explicit SlowRatio(const PolyhedronPair& pair) : pair_(pair) {
    corners(pair.a, pair.A, a_);
    corners(pair.b, pair.B, b_);
    d_ = pair.B * pair.b.center - pair.A * pair.a.center;
    for (const auto& f : pair.a.faces) look(pair.A.R * f.normal, 1);
    for (const auto& f : pair.b.faces) look(-(pair.B.R * f.normal), 1);
    if (pair.a.planar) return;
    for (const auto& e : pair.a.edges)
      for (const auto& g : pair.b.edges) {
        const Vec3 n = (at(a_, e.head) - at(a_, e.tail)).cross(at(b_, g.head) - at(b_, g.tail));
        // Parallel edges have no common normal, only rounding errors of one.
        if (n.norm() > 1e-9 * (at(a_, e.head) - at(a_, e.tail)).norm() *
                           (at(b_, g.head) - at(b_, g.tail)).norm())
          look(n.normalized(), 2);
      }
  }

  double r() const { return r_; }               // max of a.d / (h1 + h2)
  double second() const { return second_; }     // the largest value clearly below, for kinks
  double signed_depth() const { return gap_; }  // max of a.d - (h1 + h2): minus Minkowski's depth
  double least_support() const { return least_; }  // min of h1 + h2
  const Vec3& axis() const { return axis_; }

  // Distance of the bodies, 0 if they overlap: between corners and faces and between edges.
  double distance() const {
    if (gap_ <= 0) return 0;
    double least = std::numeric_limits<double>::infinity();
    for (const bool swap : {false, true}) {
      const Polyhedron& p = swap ? pair_.b : pair_.a;
      const auto &faces = swap ? b_ : a_, &points = swap ? a_ : b_;
      for (std::size_t f = 0; f < p.faces.size(); ++f) {
        const auto loop = p.loop(static_cast<int>(f));
        const Vec3 n = (swap ? pair_.B : pair_.A).R * p.faces[f].normal;
        for (const Vec3& x : points) {
          bool inside = true;
          const std::size_t ends = p.planar ? 1 : loop.size();
          for (std::size_t i = 0; i < ends; ++i) {
            const Vec3 &v = at(faces, loop[i]), &w = at(faces, loop[(i + 1) % loop.size()]);
            least = std::min(least, point_to_segment(x, v, w));
            if (!p.planar) inside = inside && n.cross(w - v).dot(x - v) >= 0;
          }
          if (!p.planar && inside) least = std::min(least, std::abs(n.dot(x - at(faces, loop[0]))));
        }
      }
    }
    for (const auto& e : pair_.a.edges)
      for (const auto& g : pair_.b.edges)
        least = std::min(least, segment_to_segment(at(a_, e.tail), at(a_, e.head), at(b_, g.tail),
                                                   at(b_, g.head)));
    return least;
  }

 private:
  static const Vec3& at(const std::vector<Vec3>& list, int i) {
    return list[static_cast<std::size_t>(i)];
  }
  static void corners(const Polyhedron& p, const Pose& X, std::vector<Vec3>& out) {
    for (const Vec3& v : p.vertices) out.push_back(X * v);
  }
  static double point_to_segment(const Vec3& x, const Vec3& v, const Vec3& w) {
    const double t = std::clamp((x - v).dot(w - v) / (w - v).squaredNorm(), 0.0, 1.0);
    return (x - v - t * (w - v)).norm();
  }
  // The inner solution of two lines, if it lies on both; ends are met by the corners.
  static double segment_to_segment(const Vec3& p, const Vec3& q, const Vec3& v, const Vec3& w) {
    const Vec3 e = q - p, g = w - v, n = e.cross(g);
    const double area = n.squaredNorm();
    if (area == 0) return std::numeric_limits<double>::infinity();
    const double s = (v - p).cross(g).dot(n) / area, t = (v - p).cross(e).dot(n) / area;
    if (s < 0 || s > 1 || t < 0 || t > 1) return std::numeric_limits<double>::infinity();
    return std::abs(n.dot(v - p)) / std::sqrt(area);
  }
  void look(const Vec3& normal, int sides) {
    for (int side = 0; side < sides; ++side) {
      const Vec3 n = side == 0 ? normal : Vec3(-normal);
      double top = -std::numeric_limits<double>::infinity(), low = -top;
      const Vec3 x1 = pair_.A * pair_.a.center, x2 = pair_.B * pair_.b.center;
      for (const Vec3& v : a_) top = std::max(top, n.dot(v - x1));
      for (const Vec3& v : b_) low = std::min(low, n.dot(v - x2));
      const double value = n.dot(d_) / (top - low);
      least_ = std::min(least_, top - low);
      gap_ = std::max(gap_, n.dot(d_) - (top - low));
      if (value > r_ * (1 + 1e-9)) second_ = r_;
      if (value < r_ * (1 - 1e-9)) second_ = std::max(second_, value);
      if (value > r_) r_ = value, axis_ = n;
    }
  }

  const PolyhedronPair& pair_;
  std::vector<Vec3> a_, b_;
  Vec3 d_, axis_ = Vec3::UnitX();
  double r_ = -std::numeric_limits<double>::infinity(), second_ = r_, gap_ = r_, least_ = -r_;
};

}  // namespace cairn::testing
