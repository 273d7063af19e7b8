#include "dynamics/impulses.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "dynamics/flight.hpp"
#include "dynamics/kinematics.hpp"
#include "dynamics/middle_rows.hpp"

namespace cairn::dynamics {
namespace {

// An anchor: position, velocity, and how both change as the bodies move on with v.
struct MovingAnchor {
  Vec3 p = Vec3::Zero(), velocity = Vec3::Zero(), arm = Vec3::Zero(), omega = Vec3::Zero();
};

struct Moment {
  const Model& model;
  std::span<const Pose> poses;
  const VecX& v;
  double t, h;
  bool late;  // prescribed bodies at t + h
};

MiddleMoment at_middle(const Moment& m) {
  return {m.model, m.poses, m.v, m.t, m.h};
}

MovingAnchor moving_anchor(const Moment& m, BodyId id, const Vec3& point) {
  MovingAnchor a;
  if (id == BodyId::world) {
    a.p = point;
    return a;
  }
  const Body& body = m.model.body(id);
  const Pose& X_WC = m.poses[index(id)];
  a.arm = X_WC.R * point;
  a.p = X_WC.p + a.arm;
  if (body.kind == BodyKind::prescribed) {
    // The mean velocity of the step stands for those at its ends: the difference is of third order
    // in the impulse.
    const Vec3 end = prescribed_pose(body, m.t + m.h) * point;
    a.velocity = (end - a.p) / m.h;
    if (m.late) a.p = end;
    return a;
  }
  const double* v = m.v.data() + body.first_velocity;
  a.omega = angular_velocity(body, X_WC, v);
  a.velocity = linear_velocity(body, v) + a.omega.cross(a.arm);
  return a;
}

void add_force_and_torque(const Moment& m, BodyId id, const Vec3& force, const Vec3& torque,
                          VecX& f) {
  if (id == BodyId::world) return;
  const Body& body = m.model.body(id);
  add_generalised_force(body, m.poses[index(id)], force, torque, f.data() + body.first_velocity);
}

// Force F at an anchor, and its change dF along the motion: the torque turns with the body (E162).
void add_at(const Moment& m, BodyId id, const MovingAnchor& a, const Vec3& F, const Vec3& dF,
            double weight, double rate_weight, VecX& f) {
  const Vec3 torque = a.arm.cross(F);
  const Vec3 change = a.omega.cross(a.arm).cross(F) + a.arm.cross(dF) - a.omega.cross(torque);
  add_force_and_torque(m, id, weight * F + rate_weight * dF, weight * torque + rate_weight * change,
                       f);
}

// (E163), or (E178) where the row is too stiff for the step; the latter's share of the right-hand
// side goes into `out`. Returns the implicit term over the mass it acts on [-].
double add_row(const Moment& m, SpringRow row, double stiffness, bool damp_stiff,
               ForceImpulses& out) {
  CAIRN_DCHECK(stiffness >= 0, stiffness);
  CAIRN_DCHECK(m.h > 0, m.h);
  const double h = m.h;
  row.elastic = h * h / 4 * stiffness;
  const double inverse = inverse_mass(m.model, m.poses, row);
  if (damp_stiff) {
    const double omega2 = h * h * stiffness * inverse;
    const double s = omega2 * omega2 / (16 + omega2 * omega2);
    row.elastic = h * h * stiffness * (0.25 + 0.75 * s);
    add_spring_impulse(m.model, m.poses, row, -s * h * h * stiffness * row.rate, out.potential);
  }
  if (row.elastic > 0) out.rows.push_back(row);
  return row.elastic * inverse;
}

// Half of the impulse of a spring: at t, or at t + h with the derivative along the motion.
void add_half_spring(const Moment& m, const Spring& spring, bool damp_stiff, ForceImpulses& out) {
  const MovingAnchor a = moving_anchor(m, spring.bodies[0], spring.anchors[0]);
  const MovingAnchor b = moving_anchor(m, spring.bodies[1], spring.anchors[1]);
  const Vec3 d = b.p - a.p, rate = b.velocity - a.velocity;
  const double distance = d.norm();
  if (distance == 0 && spring.rest_length > 0) return;  // no direction to pull in
  const Vec3 u = distance > 0 ? Vec3(d / distance) : Vec3::UnitX();
  const double opening = u.dot(rate), stretch = distance - spring.rest_length;
  const Vec3 du = distance > 0 ? Vec3((rate - opening * u) / distance) : Vec3::Zero();
  const double stiffness = spring.stiffness;
  const Vec3 force = stiffness * stretch * u;
  // At rest length zero the force is -stiffness d, whose derivative needs no direction.
  const Vec3 change = spring.rest_length == 0 ? Vec3(stiffness * rate)
                                              : Vec3(stiffness * (opening * u + stretch * du));
  const double weight = m.h / 2, rate_weight = m.late ? m.h * m.h / 2 : 0;
  add_at(m, spring.bodies[0], a, force, change, weight, rate_weight, out.potential);
  add_at(m, spring.bodies[1], b, -force, -change, weight, rate_weight, out.potential);
  const Vec3 impulse = weight * force + rate_weight * change;
  if (is_prescribed(m.model, spring.bodies[0])) out.work_motion -= impulse.dot(a.velocity);
  if (is_prescribed(m.model, spring.bodies[1])) out.work_motion += impulse.dot(b.velocity);
  if (!m.late) return;

  SpringRow row;
  row.bodies = spring.bodies;
  row.points = {a.p, b.p};
  row.direction = u;
  row.rate = opening;
  out.stiffest =
      std::max(out.stiffest, add_row(m, row, stiffness, damp_stiff, out) +
                                 add_middle_damper(at_middle(m), spring, damp_stiff, out));
  const double tension = distance > 0 ? stiffness * stretch / distance : stiffness;
  if (!(tension > 0)) return;  // a compressed spring would make the left-hand side smaller
  const Tangents t = tangents(u);
  for (const Vec3& across : {t.t1, t.t2}) {
    row.direction = across;
    row.rate = across.dot(rate);
    out.stiffest = std::max(out.stiffest, add_row(m, row, tension, damp_stiff, out));
  }
}

// Poses and velocities after half of the drift (E420), poses with half of what gravity adds to the
// velocities, so that a spring's direction there is that of the mean of its ends (E460).
void find_middle(const Model& model, std::span<const Pose> poses, const VecX& v, double t, double h,
                 std::vector<Pose>& middle, VecX& v_middle) {
  v_middle = v;
  middle.assign(poses.begin(), poses.end());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.kind == BodyKind::prescribed) {
      middle[i] = prescribed_pose(body, t + h / 2);
    } else if (body.velocities > 0) {
      middle[i] = drift(body, poses[i], v.data() + body.first_velocity, h / 2,
                        v_middle.data() + body.first_velocity);
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (const auto k = static_cast<Eigen::Index>(axis); body.translations[axis])
          middle[i].p[k] += h * h / 4 * model.gravity[k];
    }
  }
}

// Half of the impulse of a force at a point of a body, and of a torque.
void add_half_load(const Moment& m, const ExternalForce& load, ForceImpulses& out) {
  const MovingAnchor a = moving_anchor(m, load.body, load.point);
  const double weight = m.h / 2, rate_weight = m.late ? m.h * m.h / 2 : 0;
  add_at(m, load.body, a, load.force, Vec3::Zero(), weight, rate_weight, out.applied);
  add_force_and_torque(m, load.body, Vec3::Zero(),
                       weight * load.torque - rate_weight * a.omega.cross(load.torque),
                       out.applied);
}

// (E660): the force just after the beginning of the part, or just before its end.
ExternalForce at_end(const Moment& m, const AppliedForce& applied) {
  const double t = m.late ? m.t + m.h : m.t;
  const auto side = m.late ? TimeFunction::Side::left : TimeFunction::Side::right;
  return {.body = applied.body,
          .force = evaluate(applied.force, t, side, m.h),
          .torque = evaluate(applied.torque, t, side, m.h),
          .point = applied.point};
}

}  // namespace

void evaluate_impulses(const Model& model, std::span<const Pose> poses, const VecX& v, double t,
                       double h, std::span<const ExternalForce> external, bool damp_stiff,
                       ForceImpulses& out) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(poses.size() == model.bodies.size(), poses.size());
  CAIRN_DCHECK(v.size() == model.velocities, v.size());
  out.work_motion = out.stiffest = 0;
  out.rows.clear();
  out.middle_rows.clear();
  out.followed.clear();
  out.potential.setZero(model.velocities);
  out.applied.setZero(model.velocities);
  out.viscous.setZero(model.velocities);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0) continue;
    add_generalised_force(body, poses[i], h * body.mass * model.gravity, Vec3::Zero(),
                          out.potential.data() + body.first_velocity);
  }
  if (!model.springs.empty()) find_middle(model, poses, v, t, h, out.middle, out.v_middle);
  if (!model.springs.empty() && !model.joints.empty()) {
    out.links.reset(model.bodies.size() + 1);
    for (const Joint& joint : model.joints)
      out.links.join(link_of(model, joint.bodies[0]), link_of(model, joint.bodies[1]));
  }
  for (const bool late : {false, true}) {
    const Moment m{model, poses, v, t, h, late};
    // Springs with a difference quotient are done with in the first round, as a whole.
    if (!late) out.whole.assign(model.springs.size(), 0);
    for (std::size_t i = 0; i < model.springs.size(); ++i) {
      if (!late && add_middle_spring(at_middle(m), i, damp_stiff, out)) out.whole[i] = 1;
      if (!out.whole[i]) add_half_spring(m, model.springs[i], damp_stiff, out);
    }
    for (const AppliedForce& applied : model.applied_forces)
      add_half_load(m, at_end(m, applied), out);
    for (const ExternalForce& load : external) add_half_load(m, load, out);
  }
}

}  // namespace cairn::dynamics
