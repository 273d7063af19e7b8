// A shape as its support function sees it: a core with a ball swept over it. Reads a model.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cairn/model.hpp"

namespace cairn::collide {

struct Solid {
  enum class Kind : std::uint8_t { ball, rod, box, ellipsoid, frustum, corners, wall };
  Kind kind = Kind::ball;
  bool planar = false;           // only directions in the plane across z of S count
  Vec3 size = Vec3::Zero();      // rod: half of it along z; box: half edges; ellipsoid: semi-axes
                                 // (ellipse: the third is zero); frustum: radii at its lower and
                                 // upper end, half length; wall: its normal, all in S
  double radius = 0;             // of the ball that is swept over the core [m]
  double round = 0;              // radius of a ball that rolls inside the whole: it turns with no
                                 // effect [m]
  double outer = 0;              // largest distance from the middle of the shape [m]
  Vec3 middle_S = Vec3::Zero();  // [m]
  double inner = 0;              // half of the least thickness (E301) [m]
  const Polyhedron* polyhedron = nullptr;
  const Geometry* geometry = nullptr;
};

// Points into the model.
Solid solid_of(const Model& model, const Shape& shape);

// Largest n.x over the points x of the solid, from the origin of S; n in S, unit length. Of a
// planar one that of its section with the part of n in its plane; of a wall, which has no other,
// that of its own normal [m].
inline double support(const Solid& s, const Vec3& n) {
  switch (s.kind) {
    case Solid::Kind::ball:
      return s.planar ? s.radius * std::sqrt(n.x() * n.x() + n.y() * n.y()) : s.radius;
    case Solid::Kind::rod:
      return s.radius + s.size.z() * std::abs(n.z());
    case Solid::Kind::box:
      return s.size.dot(n.cwiseAbs());
    case Solid::Kind::ellipsoid:
      return s.size.cwiseProduct(n).norm();
    case Solid::Kind::frustum: {
      const double across = std::sqrt(n.x() * n.x() + n.y() * n.y());
      return std::max(s.size.x() * across - s.size.z() * n.z(),
                      s.size.y() * across + s.size.z() * n.z());
    }
    case Solid::Kind::wall:
      return 0;
    case Solid::Kind::corners:
      break;
  }
  double most = n.dot(s.polyhedron->vertices[0]);
  for (const Vec3& v : s.polyhedron->vertices) most = std::max(most, n.dot(v));
  return most;
}

// Largest distance of a point of the core, at p + R x, from the axis through the origin along the
// unit vector u; the ball `round` is no part of the core. Not of walls [m].
double axis_distance(const Solid& s, const Vec3& p, const Mat3& R, const Vec3& u);

}  // namespace cairn::collide
