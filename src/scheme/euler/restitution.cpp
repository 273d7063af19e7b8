// Restitution within the step (E33): what collides, and how fast it is to leave.
#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "dynamics/kinematics.hpp"
#include "scheme/euler/step.hpp"

namespace cairn::scheme {

double relative_velocity(const Model& model, std::span<const Pose> poses, const Contact& c,
                         const Vec3& direction, const VecX& v) {
  CAIRN_DCHECK(v.size() == model.velocities, v.size());
  CAIRN_DCHECK(poses.size() == model.bodies.size(), poses.size());
  double sum = 0;
  for (const auto& [id, sign] : {std::pair{c.key.body_a, -1.0}, std::pair{c.key.body_b, 1.0}}) {
    const Body& body = model.body(id);
    const Pose& X_WC = poses[index(id)];
    const double* v_body = v.data() + body.first_velocity;
    const Vec3 spin = dynamics::angular_velocity(body, X_WC, v_body);
    const Vec3 velocity =
        c.lever > 0 ? Vec3(c.lever * spin)
                    : Vec3(dynamics::linear_velocity(body, v_body) + spin.cross(c.p_WC - X_WC.p));
    sum += sign * direction.dot(velocity);
  }
  return sum;
}

double velocity_gain(const Model& model, const Contact& c, const VecX& from, const VecX& to) {
  double gain = 0;
  for (const BodyId id : {c.key.body_a, c.key.body_b}) {
    const Body& body = model.body(id);
    const int first = body.first_velocity;
    gain = std::max(gain, (dynamics::linear_velocity(body, to.data() + first) -
                           dynamics::linear_velocity(body, from.data() + first))
                              .norm());
  }
  return gain;
}

// TOL of (4.10): given, or, h the whole step, 2 h times the free acceleration along the normal;
// across the forces, where that vanishes, a thousandth of their speed gain, so that neighbours at
// rest do not bounce on rounding.
double Step::threshold(const Contact& c) const {
  if (options.restitution_threshold >= 0) return options.restitution_threshold;
  const double gain = velocity_gain(model, c, state.v, data.v.free);
  const double along = relative_velocity(model, state.poses, c, c.n_W, data.v.free) -
                       relative_velocity(model, state.poses, c, c.n_W, state.v);
  // What approaches by rounding does not bounce either.
  double speed = 0;
  for (const BodyId id : {c.key.body_a, c.key.body_b})
    speed +=
        dynamics::linear_velocity(model.body(id), state.v.data() + model.body(id).first_velocity)
            .norm();
  return std::max(
      {2 * std::abs(along) / data.share(h), 1e-3 * gain / data.share(h), 0x1p-46 * speed});
}

// Impacts: contacts that carry an impulse and approached faster than the threshold. True if one of
// them bounces.
bool Step::mark_impacts() {
  CAIRN_DCHECK(data.rows.terms.size() == data.contacts.size(), data.rows.terms.size(),
               data.contacts.size());
  const SolveRecord& plastic = last();
  bool bounces = false;
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const double normal = plastic.solution.lambda[data.rows.posed.first_row_of(plastic.problem, i)];
    ContactTerms& terms = data.rows.terms[i];
    terms.impact = normal > 0 && terms.approach < -terms.threshold;
    terms.rebound = terms.impact ? -data.contacts[i].restitution * terms.approach : 0;
    bounces = bounces || (terms.impact && data.contacts[i].restitution > 0);
  }
  return bounces;
}

}  // namespace cairn::scheme
