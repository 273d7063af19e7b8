// Masses and moments of inertia of what files describe.
#pragma once

#include "cairn/scene.hpp"
#include "imports/messages.hpp"
#include "imports/robot.hpp"

namespace cairn::imports {

// As seen from the frame A, where X_AB is the pose of the frame that it is given in.
Inertial moved(const Inertial& inertial, const Pose& X_AB);

Inertial sum(const Inertial& a, const Inertial& b);

// Of a solid of density 1, in the frame of its body. A mesh counts as the solid that its triangles
// enclose, or as the hull of its points where it has none. Half-spaces have none.
Inertial unit_density(const ImportedShape& shape);

// Applies bounds and balance of the options; an error with the remedy where no body can have this
// inertia. `path` and `place` name the body.
bool make_possible(Inertial& inertial, const ImportOptions& options, const Place& place,
                   const std::string& path, bool xml_bounds, Messages& messages);

}  // namespace cairn::imports
