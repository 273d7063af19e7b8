// The best separating normal of a polyhedron or polygon A and a round shape B.
//
// With c the centre of B and h the support heights, all in A's frame, the gap is the largest
//   F(n) = n.c - h_A(n) - h_B(n)
// over unit normals n from A to B. Apart, the best normal is that of a face or of the closest
// points of B and an edge; where B's axis pierces A, that of a face or one across an edge and the
// axis. Every F(n) is a lower bound of the gap, so the largest of the list is right without asking
// in which region of A the closest point lies, and a poor direction (closest points that coincide)
// does no harm.
#pragma once

#include "cairn/polyhedron.hpp"
#include "collide/pairs/round.hpp"

namespace cairn::collide {

struct BestNormal {
  Vec3 n = Vec3::UnitZ();  // from A to B [-]
  double gap = 0;          // [m]
  double t = 0;            // where on B's axis the contact is, -1 to 1 [-]
  int face = -1;           // whose normal n is; -1: none
};

// B along A's axes about c; of planar shapes everything lies at z = 0.
BestNormal best_normal(const Polyhedron& a, const Round<3>& b, const Vec3& c);

// Point of B that is deepest along -n, from its centre; of a capsule that at t.
Vec3 lowest_point(const Round<3>& b, const BestNormal& best);

}  // namespace cairn::collide
