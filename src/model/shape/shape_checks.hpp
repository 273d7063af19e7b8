// Checks of a shape on its body, and how far it reaches.
#pragma once

#include <string>

#include "cairn/model.hpp"
#include "model/checks.hpp"
#include "model/dof.hpp"
#include "model/shape/polyhedron_table.hpp"

namespace cairn::model {

// Records errors and returns false, or normalises the shape's rotation, normal and vertices in
// place and returns true.
bool check_shape(ShapeDescription& shape, const std::string& path, BodyKind kind,
                 const FreeDirections& dof, const Quat& R_WB, PolyhedronTable& polyhedra,
                 Checks& checks);

// Largest distance of a point of a bounded shape from C's origin; of planar shapes in their plane;
// of ellipsoids and ellipses off the origin an upper bound (distance plus largest radius) [m].
double farthest_point(const Geometry& geometry, const Pose& X_CS);

}  // namespace cairn::model
