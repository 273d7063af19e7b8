// Half of the least thickness of a shape, the length that overlaps are measured by (E301). Reads
// geometry, writes nothing.
#pragma once

#include "cairn/model.hpp"

namespace cairn::model {

// Zero for a point, infinite for a halfspace, in the plane for planar shapes [m]. `polyhedron`: of
// a hull or polygon; other shapes need none.
double inner_radius(const Geometry& geometry, const Polyhedron* polyhedron);

// The smaller one of two shapes of the model [m]. A point has none, so the other one counts;
// between a point and a halfspace the length unit stands in.
double pair_inner_radius(const Model& model, const Shape& a, const Shape& b);

// The same of the shapes of a contact. Limits of joints have none: the smaller body counts.
double contact_inner_radius(const Model& model, const ContactKey& key);

}  // namespace cairn::model
