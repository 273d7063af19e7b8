// Geometry as Round shapes, in space or in a plane.
#pragma once

#include "cairn/shape.hpp"
#include "collide/pairs/round.hpp"

namespace cairn::collide {

using PlaneBasis = Eigen::Matrix<double, 3, 2>;  // orthonormal basis of a plane

// Point, sphere, capsule or ellipsoid, along the axes of the frame that X is given in.
Round<3> spatial_round(const Geometry& geometry, const Pose& X);

// Disc, ellipse, point, sphere or capsule, seen in the plane E.
Round<2> planar_round(const Geometry& geometry, const Pose& X, const PlaneBasis& E);

}  // namespace cairn::collide
