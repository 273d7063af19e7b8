// The contacts that span the patch where two convex shapes lie on each other (E904 to E906), one of
// which is a frustum. Reads the best separating normal, appends contacts.
#pragma once

#include <vector>

#include "collide/convex/meeting.hpp"
#include "collide/narrowphase.hpp"

namespace cairn::collide {

// Points are from what both shapes have in common, at `common` in the world.
void append_manifold(const Convex& a, const Convex& b, const Meeting& best, const Vec3& common,
                     std::vector<ShapeContact>& out);

}  // namespace cairn::collide
