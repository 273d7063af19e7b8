// Which pairs of shapes can have contacts. Reads two geometries, writes nothing.
#pragma once

#include "cairn/shape.hpp"

namespace cairn::model {

enum class PairSupport : std::uint8_t {
  contact,  // there is a contact function
  never,    // two points, or two halfspaces: nothing to compute
  missing,  // a planar shape with a box, hull, ellipsoid or frustum: there is no contact function
};

PairSupport pair_support(const Geometry& a, const Geometry& b);

}  // namespace cairn::model
