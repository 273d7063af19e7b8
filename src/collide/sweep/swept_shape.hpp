// A shape on the path of its body, and the bounds of E302 and E303 for one of a pair. Reads paths,
// writes placements and swept boxes.
#pragma once

#include "collide/broadphase.hpp"
#include "collide/sweep/body_path.hpp"
#include "collide/sweep/solid.hpp"

namespace cairn::collide {

// Where a shape is at one moment.
struct Placement {
  Pose X_WS;
  Mat3 R_WS = Mat3::Identity();  // that of the pose
  Vec3 x_W = Vec3::Zero();       // centre of mass of the body [m]
};

struct SweptShape {
  Solid solid;
  Placement start, end;
  Vec3 shift_W = Vec3::Zero();  // of the centre of mass over the whole path [m]
  Vec3 axis_W = Vec3::UnitZ();  // of the rotation, fixed in the world and in the body [-]
  double angle = 0;             // over the whole path [rad]
  // Of the core (Solid::round), from the axis through the centre of mass:
  double arm = 0;                     // largest distance from it [m]
  double axial_lo = 0, axial_hi = 0;  // extent along it, of shapes that go round [m]
  double reach = 0;  // largest distance from the centre of mass; of a wall that of its plane [m]
  double far = 0;    // size of the coordinates on the path, which round with it [m]
  double bend = 0;   // with the sway, of a wall without it [m]
  double sway = 0;   // of a wall; else zero [rad]
};

// A path that is not finite has an infinite bend.
void follow(const Solid& solid, const Pose& X_CS, const BodyPath& path, SweptShape& out);

Placement place(const SweptShape& shape, double tau);

// Contains the shape on its whole path.
Aabb swept_box(const SweptShape& shape);

// Heights n.(x - centre of mass) of the shape: no more than the chord between `from` and `to`, the
// support at the two moments, plus `above`.
struct Heights {
  double from = 0, to = 0, above = 0;  // [m]
};
// `length`: share of the path between the moments, the first of which is p, the second q. Not of
// walls that turn.
Heights heights(const SweptShape& shape, const Vec3& n, const Placement& p, const Placement& q,
                double length);

// It turns so far over this share of the path that the solid of revolution may be the better bound.
bool goes_round(const SweptShape& shape, double length);

// `above` of a shape that does not.
double height_above_chord(const SweptShape& shape, const Vec3& n, double length);

// n.(x - centre of mass) of the farthest point along n [m].
inline double height(const Solid& solid, const Placement& p, const Vec3& n) {
  return n.dot(p.X_WS.p - p.x_W) + support(solid, p.R_WS.transpose() * n);
}

// How fast such a height can rise, per unit of tau [m].
inline double turning_speed(const SweptShape& shape, const Vec3& n) {
  return shape.angle == 0 ? 0 : shape.angle * shape.arm * n.cross(shape.axis_W).norm();
}

}  // namespace cairn::collide
