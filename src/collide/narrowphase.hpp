// Contacts between two shapes: one function per pair of types, one table. Reads geometry and poses,
// appends contacts.
#pragma once

#include <vector>

#include "cairn/contact.hpp"
#include "cairn/math.hpp"
#include "cairn/polyhedron.hpp"
#include "cairn/shape.hpp"

namespace cairn::collide {

// Witness points, unit normal from A to B, signed distance: the largest n.(c_B - c_A) - h_A(n) -
// h_B(n) over unit n. Apart it is the distance, overlapping -gap is the shortest translation that
// parts the pair; in both cases p_WB - p_WA = gap n_W, but for the extra features of a pair: there
// the gap is that of the feature.
struct ShapeContact {
  Vec3 p_WA, p_WB;   // deepest or closest points on the surfaces of A and B [m]
  Vec3 n_W;          // unit normal from A to B [-]
  double gap;        // > 0 apart, < 0 overlapping [m]
  Features feature;  // the same in every step for what touches
};

// Appends all features of the pair however far apart they are:
//   box, halfspace       eight corners; bit i of the feature is set on the upper side of axis i
//   capsule, halfspace   two caps; feature 0 at the lower end of the axis, 1 at the upper one
//   capsule, capsule     axes that overlap and are parallel to 1e-7 rad: both ends of the overlap,
//   features 1 and 2 in the
//                        direction of A's axis; otherwise one contact, feature 0
//   hull, polygon with a halfspace   every vertex; the feature is its number
//   box, hull, polygon with a capsule that lies along a face (within 14 degrees): both ends of the
//                        part over the face, features 1 and 2 in the direction of the capsule's
//                        axis; otherwise one contact, feature 0
//   cylinder, cone with a halfspace   the points of its rims (collide/convex/rim.hpp)
//   cylinder, cone with another bounded shape   the best contact, feature 0, or the contacts of
//                        the patch in which the two lie on each other (docs/geometry.md)
//   all others           one contact, feature 0
// Exchanging A and B exchanges the points and turns the normal, bit for bit; the two contacts of
// capsules are numbered along the axis of the first. Planar shapes are infinite cylinders:
// distances and normals lie in the plane across their axis, and both points get the out-of-plane
// coordinate of the other shape's centre (planar against planar: the mean of both centres; against
// a halfspace: their own). A planar shape and a halfspace whose plane is parallel to the plane of
// motion have no contact. Boxes, hulls and polygons are given with their polyhedra, whose vertices
// are those of the geometry; where one is null and needed it is made for the call, which allocates.
// Requires can_collide(a, b).
void collide_shapes(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                    std::vector<ShapeContact>& out, const Polyhedron* polyhedron_a = nullptr,
                    const Polyhedron* polyhedron_b = nullptr);

// Is there a function for the pair?
bool can_collide(const Geometry& a, const Geometry& b);

// Two points, or two halfspaces: nothing to compute, as opposed to a pair that lacks a function.
bool never_touch(const Geometry& a, const Geometry& b);

}  // namespace cairn::collide
