// Angular velocity of a body in its own frame. Reads its free velocities.
#pragma once

#include "cairn/model.hpp"
#include "model/dof.hpp"

namespace cairn::accept {

// Bodies that turn about all axes have it in their frame already.
inline Vec3 angular_velocity_B(const Body& body, const Pose& X_WC, const double* v) {
  if (body.velocities == 0 || body.rotation == RotationKind::none) return Vec3::Zero();
  const double* w = v + model::translation_count(body);
  if (body.rotation == RotationKind::one) return X_WC.R.conjugate() * (w[0] * body.axis_W);
  return {w[0], w[1], w[2]};
}

}  // namespace cairn::accept
