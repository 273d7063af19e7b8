// A convex shape as its support function sees it: pieces, each smooth, with a ball swept over them.
//
//   h(n) = max over pieces i of n . p_i(n),  p_i(n) the farthest point of piece i along n
//
// A corner is a piece, and so is each end of a segment, each circle of a frustum, an ellipsoid.
#pragma once

#include "cairn/polyhedron.hpp"
#include "cairn/shape.hpp"

namespace cairn::collide {

struct Convex {
  enum class Kind : std::uint8_t { corners, circles, segment, ellipsoid };
  Kind kind = Kind::segment;
  Vec3 origin = Vec3::Zero();  // of S, from a point that a pair has in common, in the world [m]
  Mat3 R = Mat3::Identity();   // of S in the world
  double radius = 0;           // of the ball [m]
  double outer = 0;            // no point of the whole is farther from the origin of S [m]
  Vec3 half = Vec3::Zero();    // segment: from its middle to its upper end, in the world [m]
  Mat3 L = Mat3::Zero();       // ellipsoid: from the unit ball to it, in the world [m]
  Vec3 u = Vec3::UnitZ();      // circles: axis in the world, towards the upper one [-]
  const Polyhedron* polyhedron = nullptr;
  const Frustum* frustum = nullptr;

  Vec3 corner(int i) const {
    return origin + R * polyhedron->vertices[static_cast<std::size_t>(i)];
  }
};

// Of a bounded spatial shape. `polyhedron` is that of a box or hull.
Convex make_convex(const Geometry& geometry, const Pose& X_WS, const Vec3& common,
                   const Polyhedron* polyhedron);

// Farthest point of a piece along n, which need not have unit length.
Vec3 piece_point(const Convex& s, int piece, const Vec3& n);

// Its derivative by n, the Hessian of n . p(n).
Mat3 piece_curvature(const Convex& s, int piece, const Vec3& n);

struct Support {
  double height = 0;  // without the ball [m]
  int piece = 0;
  Vec3 point = Vec3::Zero();
};
Support support(const Convex& s, const Vec3& n);

// Farther pieces than `piece` by more than `slack` along n: the farthest; -1: there is none.
int farther_piece(const Convex& s, int piece, const Vec3& n, double slack);

}  // namespace cairn::collide
