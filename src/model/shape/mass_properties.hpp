// Mass, centre of mass and inertia of shapes, alone and together. Reads geometry and density,
// writes nothing.
#pragma once

#include <span>

#include "cairn/math.hpp"
#include "cairn/polyhedron.hpp"
#include "cairn/shape.hpp"

namespace cairn::model {

struct MassProperties {
  double mass = 0;              // [kg]
  Vec3 center = Vec3::Zero();   // centre of mass [m]
  Mat3 inertia = Mat3::Zero();  // about `center` [kg m^2]
};

// Of a homogeneous shape in its frame S. `density` is per volume [kg/m^3], of planar shapes per
// area [kg/m^2]: they are flat plates. A point, a halfspace and points without a hull have no mass.
MassProperties mass_properties(const Geometry& geometry, double density);

// The same of a hull or polygon whose polyhedron is known: exact integrals over simplices (E120).
MassProperties mass_properties(const Polyhedron& polyhedron, double density);

// Of all parts together; all parts are given in one frame.
MassProperties combine(std::span<const MassProperties> parts);

// The same matter seen from B: X_BS is the pose in B of the frame that `properties` is given in.
MassProperties transformed(const MassProperties& properties, const Pose& X_BS);

// Largest distance of a point of the shape from S's origin [m]; infinite for a halfspace, in the
// plane for planar shapes.
double bounding_radius(const Geometry& geometry);

}  // namespace cairn::model
