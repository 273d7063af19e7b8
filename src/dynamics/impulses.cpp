#include "dynamics/impulses.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::dynamics {
namespace {

constexpr double stiff_damper = 16;  // h delta / m from which a damper acts at once (E179) [-]

// An anchor: position, velocity, and how both change as the bodies move on with v.
struct MovingAnchor {
  Vec3 p = Vec3::Zero(), velocity = Vec3::Zero(), acceleration = Vec3::Zero();
  Vec3 arm = Vec3::Zero(), omega = Vec3::Zero();
};

struct Moment {
  const Model& model;
  std::span<const Pose> poses;
  const VecX& v;
  double t, h;
  bool late;  // prescribed bodies at t + h
};

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
  a.acceleration = a.omega.cross(a.omega.cross(a.arm));
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

double inverse_mass(const Moment& m, const SpringRow& s) {
  CAIRN_DCHECK(base::is_direction(s.direction));
  double sum = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    if (s.bodies[side] == BodyId::world) continue;
    const Body& body = m.model.body(s.bodies[side]);
    if (body.velocities == 0) continue;
    const Pose& X_WC = m.poses[index(s.bodies[side])];
    double row[6];
    point_row(body, X_WC, s.points[side] - X_WC.p, s.direction, row);
    int k = 0;
    for (const bool free : body.translations)
      if (free) sum += row[k] * row[k] / body.mass, ++k;
    double A[6][6];
    mass_matrix(body, A);
    if (body.rotation == RotationKind::one) sum += row[k] * row[k] / A[k][k];
    // The diagonal is enough to tell stiff from soft.
    if (body.rotation == RotationKind::three)
      for (int i = k; i < k + 3; ++i) sum += row[i] * row[i] / A[i][i];
  }
  return sum;
}

// (E163), or (E178) where the row is too stiff for the step; the latter's share of the right-hand
// side goes into `out`.
void add_row(const Moment& m, SpringRow row, double stiffness, double damping, bool damp_stiff,
             ForceImpulses& out) {
  CAIRN_DCHECK(stiffness >= 0, stiffness);
  CAIRN_DCHECK(damping >= 0, damping);
  CAIRN_DCHECK(m.h > 0, m.h);
  const double h = m.h;
  row.damping = damping;
  row.elastic = h * h / 4 * stiffness;
  row.viscous = h / 2 * damping;
  const double inverse = inverse_mass(m, row);
  if (damp_stiff) {
    const double z = h * damping * inverse, omega2 = h * h * stiffness * inverse;
    const double s = omega2 * omega2 / (16 + omega2 * omega2);
    row.viscous = h * damping * (1 + z) / (2 + z);
    row.elastic = h * h * stiffness * (0.25 + 0.75 * s);
    row.stiff = z > stiff_damper;
    add_spring_impulse(m.model, m.poses, row, -s * h * h * stiffness * row.rate, out.potential);
  }
  out.stiffest = std::max(out.stiffest, (row.elastic + row.viscous) * inverse);
  if (row.elastic > 0 || row.viscous > 0) out.rows.push_back(row);
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
  const double damping = spring.damping, stiffness = spring.stiffness;
  const Vec3 elastic = stiffness * stretch * u, viscous = damping * opening * u;
  // At rest length zero the force is -stiffness d, whose derivative needs no direction.
  const Vec3 d_elastic = spring.rest_length == 0 ? Vec3(stiffness * rate)
                                                 : Vec3(stiffness * (opening * u + stretch * du));
  const Vec3 d_viscous =
      damping * ((du.dot(rate) + u.dot(b.acceleration - a.acceleration)) * u + opening * du);

  const double weight = m.h / 2, rate_weight = m.late ? m.h * m.h / 2 : 0;
  add_at(m, spring.bodies[0], a, elastic, d_elastic, weight, rate_weight, out.potential);
  add_at(m, spring.bodies[1], b, -elastic, -d_elastic, weight, rate_weight, out.potential);
  add_at(m, spring.bodies[0], a, viscous, d_viscous, weight, rate_weight, out.applied);
  add_at(m, spring.bodies[1], b, -viscous, -d_viscous, weight, rate_weight, out.applied);
  const Vec3 impulse = weight * (elastic + viscous) + rate_weight * (d_elastic + d_viscous);
  if (is_prescribed(m.model, spring.bodies[0])) out.work_motion -= impulse.dot(a.velocity);
  if (is_prescribed(m.model, spring.bodies[1])) out.work_motion += impulse.dot(b.velocity);
  if (!m.late) return;

  SpringRow row{spring.bodies, {a.p, b.p}, u, opening, 0, false, 0, 0};
  add_row(m, row, stiffness, damping, damp_stiff, out);
  const double tension = distance > 0 ? stiffness * stretch / distance : stiffness;
  if (!(tension > 0)) return;  // a compressed spring would make the left-hand side smaller
  const Tangents t = tangents(u);
  for (const Vec3& across : {t.t1, t.t2}) {
    row.direction = across;
    row.rate = across.dot(rate);
    add_row(m, row, tension, 0, damp_stiff, out);
  }
}

void add_applied(const Moment& m, const AppliedForce& applied, ForceImpulses& out) {
  const double t = m.late ? m.t + m.h : m.t;
  const MovingAnchor a = moving_anchor(m, applied.body, applied.point);
  const Vec3 force = evaluate(applied.force, t), torque = evaluate(applied.torque, t);
  const double weight = m.h / 2, rate_weight = m.late ? m.h * m.h / 2 : 0;
  add_at(m, applied.body, a, force, Vec3::Zero(), weight, rate_weight, out.applied);
  add_force_and_torque(m, applied.body, Vec3::Zero(),
                       weight * torque - rate_weight * a.omega.cross(torque), out.applied);
}

}  // namespace

void add_spring_impulse(const Model& model, std::span<const Pose> poses, const SpringRow& row,
                        double push, VecX& f) {
  CAIRN_DCHECK(base::is_direction(row.direction));
  CAIRN_DCHECK(f.size() == model.velocities, f.size());
  for (std::size_t side = 0; side < 2; ++side) {
    if (row.bodies[side] == BodyId::world) continue;
    const Vec3 impulse = (side == 0 ? -push : push) * row.direction;
    const Body& body = model.body(row.bodies[side]);
    const Pose& X_WC = poses[index(row.bodies[side])];
    add_generalised_force(body, X_WC, impulse, (row.points[side] - X_WC.p).cross(impulse),
                          f.data() + body.first_velocity);
  }
}

Mat3 gyroscopic_derivative(const Mat3& inertia, const Vec3& w) {
  return cross(inertia * w) - cross(w) * inertia;
}

double spring_rate(const Model& model, std::span<const Pose> poses, const SpringRow& s,
                   const VecX& v) {
  CAIRN_DCHECK(v.size() == model.velocities, v.size());
  double sum = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    if (s.bodies[side] == BodyId::world) continue;
    const Body& body = model.body(s.bodies[side]);
    const Pose& X_WC = poses[index(s.bodies[side])];
    const double* v_body = v.data() + body.first_velocity;
    const Vec3 velocity = linear_velocity(body, v_body) +
                          angular_velocity(body, X_WC, v_body).cross(s.points[side] - X_WC.p);
    sum += (side == 0 ? -1 : 1) * s.direction.dot(velocity);
  }
  return sum;
}

void evaluate_impulses(const Model& model, std::span<const Pose> poses, const VecX& v, double t,
                       double h, bool damp_stiff, ForceImpulses& out) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(poses.size() == model.bodies.size(), poses.size());
  CAIRN_DCHECK(v.size() == model.velocities, v.size());
  out.work_motion = out.stiffest = 0;
  out.rows.clear();
  out.potential.setZero(model.velocities);
  out.applied.setZero(model.velocities);
  out.gyroscopic.setZero(model.velocities);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0) continue;
    add_generalised_force(body, poses[i], h * body.mass * model.gravity, Vec3::Zero(),
                          out.potential.data() + body.first_velocity);
    if (body.rotation != RotationKind::three) continue;
    const int first = body.first_velocity + body.velocities - 3;
    const Vec3 w = v.segment<3>(first);
    out.gyroscopic.segment<3>(first) = -h * w.cross(body.inertia_B * w);
  }
  for (const bool late : {false, true}) {
    const Moment m{model, poses, v, t, h, late};
    for (const Spring& spring : model.springs) add_half_spring(m, spring, damp_stiff, out);
    for (const AppliedForce& applied : model.applied_forces) add_applied(m, applied, out);
  }
}

}  // namespace cairn::dynamics
