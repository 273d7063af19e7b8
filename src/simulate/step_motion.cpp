#include "simulate/step_motion.hpp"

namespace cairn::simulate {

BodyMotion step_motion(const Model& model, const State& state, BodyId id, const Pose& before,
                       double h) {
  BodyMotion m = body_motion(model, state, id);
  const Body& body = model.body(id);
  if (body.kind != BodyKind::prescribed || !(h > 0)) return m;
  const Pose& X_WC = state.poses[index(id)];
  const Eigen::AngleAxisd turn(X_WC.R * before.R.conjugate());
  m.angular_velocity = turn.axis() * (turn.angle() / h);
  m.velocity = (m.position - (before.p - before.R * body.p_Bcm)) / h;
  return m;
}

}  // namespace cairn::simulate
