#include "dynamics/middle_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/conventions.hpp"
#include "dynamics/flight.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::dynamics {
namespace {

Vec3 anchor_at(const Spring& spring, std::size_t side, std::span<const Pose> poses) {
  const BodyId id = spring.bodies[side];
  return id == BodyId::world ? spring.anchors[side] : poses[index(id)] * spring.anchors[side];
}

Vec3 between(const Spring& spring, std::span<const Pose> poses) {
  return anchor_at(spring, 1, poses) - anchor_at(spring, 0, poses);
}

// The row of a spring or damper along its direction in the middle of the step (E364, E460). False:
// it has none.
bool middle_row(const MiddleMoment& m, const Spring& spring, const ForceImpulses& out,
                SpringRow& row) {
  row.bodies = spring.bodies;
  Vec3 motion[2] = {Vec3::Zero(), Vec3::Zero()};
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyId id = spring.bodies[side];
    row.points[side] = anchor_at(spring, side, out.middle);
    if (is_prescribed(m.model, id))
      motion[side] = (prescribed_pose(m.model.body(id), m.t + m.h) * spring.anchors[side] -
                      m.poses[index(id)] * spring.anchors[side]) /
                     m.h;
  }
  const double distance = (row.points[1] - row.points[0]).norm();
  if (!(distance > 0)) return false;
  row.direction = (row.points[1] - row.points[0]) / distance;
  row.motion = row.direction.dot(motion[1] - motion[0]);
  row.rate = spring_rate(m.model, out.middle, row, out.v_middle) + row.motion;
  return true;
}

// Anchors where the drift leads from the velocities of the beginning.
Vec3 led_between(const MiddleMoment& m, const Spring& spring) {
  Vec3 end[2];
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyId id = spring.bodies[side];
    end[side] = spring.anchors[side];
    if (id == BodyId::world) continue;
    const Body& body = m.model.body(id);
    const Pose& X = m.poses[index(id)];
    if (body.kind == BodyKind::prescribed)
      end[side] = prescribed_pose(body, m.t + m.h) * end[side];
    else if (body.velocities > 0)
      end[side] = drift(body, X, m.v.data() + body.first_velocity, m.h, nullptr) * end[side];
    else
      end[side] = X * end[side];
  }
  return end[1] - end[0];
}

// Mean rate of the length between two places of the ends, without cancellation.
double length_rate(const Vec3& before, const Vec3& after, double h) {
  return (after - before).dot(after + before) / ((before.norm() + after.norm()) * h);
}

// (E460): the mean force of a spring between two places of its ends. (E641): `along`, the mean rate
// along the row, does the work; where bodies turn it is not quite that of the length. `linked`:
// joints may hold the length, both rates are rounding then (E745).
double mean_tension(const Spring& spring, const Vec3& before, const Vec3& after, double along,
                    bool linked, double h) {
  constexpr double bound = 64;
  const double a = before.norm(), b = after.norm(), quotient = (before + after).norm() / (a + b),
               stretch = 0.5 * (a + b) - spring.rest_length;
  const double work = quotient * along, missing = length_rate(before, after, h) - work;
  double size = work * work + bound * missing * missing;
  if (linked) size += stretch / h * (stretch / h);
  return spring.stiffness * stretch * quotient * (size > 0 ? 1 + missing * work / size : 1);
}

// A spring with a rest length that turns by less than 60 degrees in half the step has its
// difference quotient; the others are linear in the ends (E163).
bool has_quotient(const Spring& spring, const Vec3& d, const SpringRow& row) {
  const Vec3 half = row.points[1] - row.points[0];
  return spring.rest_length > 0 && spring.stiffness > 0 && 2 * half.norm() >= d.norm() &&
         2 * row.direction.dot(d) >= d.norm();
}

// Whether joints connect the two ends (E745), of out.links.
bool linked(const Model& model, const Spring& spring, ForceImpulses& out) {
  if (model.joints.empty()) return false;
  int root[2];
  for (std::size_t side = 0; side < 2; ++side)
    root[side] = out.links.root(link_of(model, spring.bodies[side]));
  return root[0] == root[1];
}

// Impulse of a row whose ends are `after` apart at the end of the step, and open there with `rate`.
// A damper takes its mean rate, which is that at the beginning plus half of the change.
void find_law(const MiddleMoment& m, const SpringRow& row, const Vec3& after, double rate,
              FollowedRow& f) {
  const Spring& spring = m.model.springs[f.spring];
  f.mean = 0.5 * (f.start + rate);
  f.law = 0;
  if (f.elastic) {
    const Vec3 before = between(spring, m.poses);
    f.law = m.h * mean_tension(spring, before, after, f.mean, f.linked, m.h) +
            f.damped * m.h * m.h * spring.stiffness * (0.75 * rate + 0.25 * f.start);
    f.mean = length_rate(before, after, m.h);
  }
  f.law += m.h * row.damping * f.start + 2 * f.viscous * (f.mean - f.start);
}

// Impulse of the linearisation at a rate.
double linear_impulse(const FollowedRow& f, double rate) {
  return f.base + f.soft * (rate - f.at);
}

// The row goes into A with at most the weight that keeps rounding from the directions across
// (E464); the first linearisation is that of so soft an element.
double add_followed(const MiddleMoment& m, const SpringRow& row, double inverse, FollowedRow f,
                    VecX& sum, ForceImpulses& out) {
  constexpr double stiffest = 0x1p10;  // weight over mass in A [-]
  f.row = out.middle_rows.size();
  f.start = f.at = row.rate;
  f.soft = std::min(f.weight, inverse > 0 ? stiffest / inverse : 0);
  find_law(m, row, led_between(m, m.model.springs[f.spring]), f.start, f);
  f.base = f.weight > 0 ? f.soft / f.weight * f.law : 0;
  f.response.begin(f.weight, inverse);
  add_spring_impulse(m.model, out.middle, row, -f.base, sum);
  out.followed.push_back(f);
  out.middle_rows.push_back(row);
  out.middle_rows.back().elastic = f.soft;
  return f.weight * inverse;
}

// (E163), (E178).
double viscous_weight(double h, const SpringRow& row, double inverse, bool damp_stiff) {
  const double z = h * row.damping * inverse;
  return h * row.damping * (damp_stiff ? (1 + z) / (2 + z) : 0.5);
}

}  // namespace

int link_of(const Model& model, BodyId id) {
  const bool free = id != BodyId::world && model.body(id).velocities > 0;
  return free ? static_cast<int>(id) : static_cast<int>(model.bodies.size());
}

double add_middle_damper(const MiddleMoment& m, const Spring& spring, bool damp_stiff,
                         ForceImpulses& out) {
  SpringRow row;
  if (!(spring.damping > 0) || !middle_row(m, spring, out, row)) return 0;
  row.damping = spring.damping;
  const double inverse = inverse_mass(m.model, out.middle, row);
  FollowedRow f;
  f.spring = static_cast<std::size_t>(&spring - m.model.springs.data());
  f.weight = f.viscous = viscous_weight(m.h, row, inverse, damp_stiff);
  return add_followed(m, row, inverse, f, out.viscous, out);
}

bool add_middle_spring(const MiddleMoment& m, std::size_t number, bool damp_stiff,
                       ForceImpulses& out) {
  const Spring& spring = m.model.springs[number];
  SpringRow row;
  if (!middle_row(m, spring, out, row) || !has_quotient(spring, between(spring, m.poses), row))
    return false;
  const double inverse = inverse_mass(m.model, out.middle, row),
               unit = m.h * m.h * spring.stiffness, x = unit * inverse;
  FollowedRow f;
  row.damping = spring.damping;
  f.viscous = viscous_weight(m.h, row, inverse, damp_stiff);
  f.spring = number;
  f.elastic = true;
  f.linked = linked(m.model, spring, out);
  f.held = f.linked && is_held(m.model, spring);
  f.damped = damp_stiff ? x * x / (16 + x * x) : 0;  // (E178)
  f.weight = unit * (0.25 + 0.75 * f.damped) + f.viscous;
  out.stiffest = std::max(out.stiffest, add_followed(m, row, inverse, f, out.potential, out));
  return true;
}

void leave_out_held(const Model& model, const ForceImpulses& forces, VecX& f) {
  for (const FollowedRow& row : forces.followed)
    if (row.held)
      add_spring_impulse(model, forces.middle, forces.middle_rows[row.row], row.base, f);
}

double find_impulses(const MiddleMoment& m, std::span<const Pose> next, const VecX& v,
                     ForceImpulses& out) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  double largest = 0;
  for (FollowedRow& f : out.followed) {
    const Spring& spring = m.model.springs[f.spring];
    const SpringRow& row = out.middle_rows[f.row];
    const double rate = spring_rate(m.model, out.middle, row, v) + row.motion;
    double rounding = std::abs(f.start) + std::abs(rate);
    find_law(m, row, between(spring, next), rate, f);
    if (f.elastic) {
      rounding += (anchor_at(spring, 0, next).norm() + anchor_at(spring, 1, next).norm() +
                   spring.rest_length) /
                  m.h;
    } else {
      for (const BodyId id : spring.bodies)
        if (id != BodyId::world && m.model.body(id).velocities > 0)
          rounding +=
              linear_velocity(m.model.body(id), v.data() + m.model.body(id).first_velocity).norm();
    }
    if (!(f.weight > 0)) continue;
    const double error = std::abs(f.law - linear_impulse(f, rate)) / (f.weight * eps * rounding);
    if (rounding > 0 && !(error <= largest)) largest = error;
  }
  return largest;
}

void linearise_again(const MiddleMoment& m, const VecX& v, ForceImpulses& out) {
  for (FollowedRow& f : out.followed) {
    if (!(f.weight > 0)) continue;
    const SpringRow& row = out.middle_rows[f.row];
    const double rate = spring_rate(m.model, out.middle, row, v) + row.motion;
    const double before = linear_impulse(f, f.start), impulse = linear_impulse(f, rate);
    f.response.update(impulse, f.law, rate);
    f.base =
        impulse + (f.linked ? f.response.share(f.soft) : f.soft / f.weight) * (f.law - impulse);
    f.at = rate;
    add_spring_impulse(m.model, out.middle, row, before - linear_impulse(f, f.start),
                       f.elastic ? out.potential : out.viscous);
  }
}

double energy_defect(const MiddleMoment& m, std::span<const Pose> next, const VecX& mean,
                     const ForceImpulses& forces, const FollowedRow& f) {
  const Spring& spring = m.model.springs[f.spring];
  const SpringRow& row = forces.middle_rows[f.row];
  const Vec3 start = between(spring, m.poses), end = between(spring, next);
  const double along = spring_rate(m.model, forces.middle, row, mean) + row.motion;
  if (!f.elastic) return 0;
  // The impulse that acted, also where the iteration did not end, without what E178 damps.
  const double rate = 2 * along - f.start, opening = length_rate(start, end, m.h);
  const double impulse = linear_impulse(f, rate) -
                         f.damped * m.h * m.h * spring.stiffness * (0.75 * rate + 0.25 * f.start);
  const double before = start.norm(), after = end.norm();
  return spring.stiffness * (0.5 * (before + after) - spring.rest_length) * (after - before) -
         impulse * along + m.h * row.damping * opening * opening;
}

}  // namespace cairn::dynamics
