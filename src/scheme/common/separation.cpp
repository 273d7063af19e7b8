// Bodies that start inside each other would otherwise part with overlap / h, which grows without
// bound as h shrinks: an explosion. The overlaps that a step itself leaves behind come from
// rotation, are of second order in h, and open far more slowly than the limit.
#include "scheme/common/separation.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"

namespace cairn::scheme {
namespace {

constexpr double share_per_step = 1.0 / 128;  // of the radius, where nothing falls [-]

}  // namespace

double separation_speed(const Model& model, const Contact& c, double given, double h) {
  CAIRN_DCHECK(h > 0, h);
  if (given >= 0) return given;
  const double radius = model.smaller_radius(c.key.body_a, c.key.body_b),
               gravity = model.gravity.norm();
  return gravity > 0 ? std::sqrt(2 * gravity * radius) : share_per_step * radius / h;
}

}  // namespace cairn::scheme
