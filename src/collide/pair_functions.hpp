// The functions behind the table of narrowphase.cpp. Each appends the contacts of A and B, which
// must be of the named types.
#pragma once

#include <vector>

#include "collide/narrowphase.hpp"

namespace cairn {

using PairFunction = void (*)(const Geometry& a, const Pose& X_WA, const Geometry& b,
                              const Pose& X_WB, std::vector<ShapeContact>& out);

// Point, sphere, capsule, ellipsoid among each other, at most one of them a capsule.
void collide_round(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                   std::vector<ShapeContact>& out);

// Disc or ellipse with each other or with point, sphere, capsule.
void collide_planar(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                    std::vector<ShapeContact>& out);

void collide_capsules(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                      std::vector<ShapeContact>& out);

// Box A with a point or sphere B.
void collide_box_ball(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                      std::vector<ShapeContact>& out);

// Halfspace A with any bounded or planar shape B.
void collide_halfspace(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                       std::vector<ShapeContact>& out);

// An order of equal types that does not depend on which one is called A; scaling lengths keeps it.
bool precedes(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB);

// The contact as seen with A and B exchanged.
ShapeContact exchanged(const ShapeContact& contact);

}  // namespace cairn
