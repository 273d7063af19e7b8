// Mass, centre of mass and inertia of a body, from what its description gives.
#pragma once

#include <string>

#include "cairn/model.hpp"
#include "model/checks.hpp"
#include "model/shape/mass_properties.hpp"
#include "model/shape/polyhedron_table.hpp"

namespace cairn::model {

// Of a dynamic body with valid shapes; `center` and `inertia` are in the body frame, about the
// centre of mass.
MassProperties body_mass(const BodyDescription& body, RotationKind rotation,
                         const std::string& path, PolyhedronTable& polyhedra, Checks& checks);

}  // namespace cairn::model
