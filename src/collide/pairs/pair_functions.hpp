// The functions behind the table of narrowphase.cpp. Each appends the contacts of A and B, which
// must be of the named types.
#pragma once

#include <vector>

#include "collide/narrowphase.hpp"

namespace cairn::collide {

// One side of a pair.
struct PlacedShape {
  const Geometry& geometry;
  const Pose& X_W;
  const Polyhedron* polyhedron;  // of boxes, hulls and polygons; null: not at hand
};

using PairFunction = void (*)(const PlacedShape& a, const PlacedShape& b,
                              std::vector<ShapeContact>& out);

// Point, sphere, capsule, ellipsoid among each other, at most one of them a capsule.
void collide_round(const PlacedShape& a, const PlacedShape& b, std::vector<ShapeContact>& out);

// Disc or ellipse with each other or with point, sphere, capsule.
void collide_planar(const PlacedShape& a, const PlacedShape& b, std::vector<ShapeContact>& out);

void collide_capsules(const PlacedShape& a, const PlacedShape& b, std::vector<ShapeContact>& out);

// Box A with a point or sphere B.
void collide_box_ball(const PlacedShape& a, const PlacedShape& b, std::vector<ShapeContact>& out);

// Box or hull A with point, sphere, capsule or ellipsoid B; polygon A with point, sphere, capsule,
// disc or ellipse B.
void collide_polyhedron_round(const PlacedShape& a, const PlacedShape& b,
                              std::vector<ShapeContact>& out);

// Frustum A with any bounded spatial shape B, by support functions (E902 to E906).
void collide_convex(const PlacedShape& a, const PlacedShape& b, std::vector<ShapeContact>& out);

// Halfspace A with any bounded or planar shape B.
void collide_halfspace(const PlacedShape& a, const PlacedShape& b, std::vector<ShapeContact>& out);

// An order of equal types that does not depend on which one is called A; scaling lengths keeps it.
bool precedes(const PlacedShape& a, const PlacedShape& b);

// The contact as seen with A and B exchanged.
ShapeContact exchanged(const ShapeContact& contact);

}  // namespace cairn::collide
