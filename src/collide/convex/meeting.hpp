// The best separating normal of two convex shapes, by support functions (E902): a search that finds
// it anywhere on the sphere (Gilbert, Johnson and Keerthi 1988 apart, van den Bergen 2001
// overlapping), then Newton's method on the features that meet, to rounding.
//
//   g(n) = n . d - h_A(n) - h_B(-n), largest over unit vectors n: the signed distance
#pragma once

#include <array>

#include "collide/convex/convex.hpp"

namespace cairn::collide {

struct Meeting {
  Vec3 n = Vec3::UnitZ();  // from A to B [-]
  double gap = 0;          // [m]
  Vec3 a = Vec3::Zero();   // witness points on the surfaces, b - a = gap n [m]
  Vec3 b = Vec3::Zero();
  std::array<int, 2> pieces_a = {-1, -1};  // that meet; -1: fewer, or a flat face
  std::array<int, 2> pieces_b = {-1, -1};
  bool flat = false;  // n is the normal of a face or end of one of them
};

Meeting meet(const Convex& a, const Convex& b);

}  // namespace cairn::collide
