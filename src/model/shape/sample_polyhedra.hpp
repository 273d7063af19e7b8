// Polyhedra of known shape about the origin, for tests and measurements.
#pragma once

#include "cairn/polyhedron.hpp"

namespace cairn::model {

Polyhedron tetrahedron();         // regular, corners at distance sqrt(3)
Polyhedron prism(int sides);      // regular, radius 1, z from -1 to 1
Polyhedron bipyramid(int sides);  // regular, radius 1, tips at z = -1 and 1
// An icosahedron whose faces are divided into n^2 triangles, all corners on the unit sphere: 20 n^2
// faces.
Polyhedron geodesic(int n);
Polyhedron polygon(int sides);  // planar, regular, radius 1

// The image under x -> M x + t, det M > 0; of a polygon M must keep z.
Polyhedron image(const Polyhedron& p, const Mat3& M, const Vec3& t);

}  // namespace cairn::model
