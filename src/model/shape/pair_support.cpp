#include "model/shape/pair_support.hpp"

namespace cairn::model {
namespace {

bool meets_no_planar_shape(const Geometry& g) {
  return std::holds_alternative<Box>(g) || std::holds_alternative<Hull>(g) ||
         std::holds_alternative<Ellipsoid>(g) || std::holds_alternative<Frustum>(g);
}

}  // namespace

PairSupport pair_support(const Geometry& a, const Geometry& b) {
  const bool flat = std::holds_alternative<Point>(a) || std::holds_alternative<Halfspace>(a);
  if (flat && a.index() == b.index()) return PairSupport::never;
  if ((is_planar(a) && meets_no_planar_shape(b)) || (is_planar(b) && meets_no_planar_shape(a)))
    return PairSupport::missing;
  return PairSupport::contact;
}

}  // namespace cairn::model
