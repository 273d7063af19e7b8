#include "dynamics/springs.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::dynamics {
namespace {

// An anchor in the world. Prescribed bodies have the mean velocity of the step, the others none:
// theirs are the unknowns.
struct Anchor {
  Vec3 p = Vec3::Zero(), velocity = Vec3::Zero();
};

Anchor anchor(const Model& model, std::span<const Pose> poses, double t, double h, BodyId id,
              const Vec3& point) {
  CAIRN_DCHECK(base::is_index_or_none(static_cast<int>(id), poses.size()), id);
  if (id == BodyId::world) return {point, Vec3::Zero()};
  const Body& body = model.body(id);
  const Vec3 p = poses[index(id)] * point;
  if (body.kind != BodyKind::prescribed) return {p, Vec3::Zero()};
  return {p, (prescribed_pose(body, t + h) * point - p) / h};
}

// The row along a spring, and two across it where it is stretched: there its force turns with it.
void add_rows(const Model& model, std::span<const Pose> poses, double t, double h,
              const Spring& spring, std::vector<SpringRow>& rows) {
  const Anchor a = anchor(model, poses, t, h, spring.bodies[0], spring.anchors[0]);
  const Anchor b = anchor(model, poses, t, h, spring.bodies[1], spring.anchors[1]);
  const double distance = (b.p - a.p).norm(), stretch = distance - spring.rest_length;
  if (distance == 0 && spring.rest_length > 0) return;  // no direction to pull in
  const Vec3 along = distance > 0 ? Vec3((b.p - a.p) / distance) : Vec3::UnitX();
  const auto add = [&](const Vec3& direction, double stiffness, double damping, double tension) {
    SpringRow& row = rows.emplace_back();
    row.bodies = spring.bodies;
    row.points = {a.p, b.p};
    row.direction = direction;
    row.stiffness = stiffness;
    row.damping = damping;
    row.viscous = h * damping;
    row.tension = tension;
    row.motion = direction.dot(b.velocity - a.velocity);
    row.shift = h * (b.velocity - a.velocity);
  };
  add(along, spring.stiffness, distance > 0 ? spring.damping : 0, spring.stiffness * stretch);
  rows.back().follow.on = distance > 0 && spring.rest_length > 0 && spring.stiffness > 0;
  const double across = distance > 0 ? spring.stiffness * stretch / distance : spring.stiffness;
  if (!(across > 0)) return;  // compressed: an implicit term would be negative
  const Tangents tangent = tangents(along);
  for (const Vec3& direction : {tangent.t1, tangent.t2}) {
    add(direction, across, 0, 0);
    rows.back().across = distance > 0;
  }
}

// Quadratic form of the inverse inertia of a body that turns about all axes.
double inverse_inertia(const Body& body, const double* row) {
  const Mat3& I = body.inertia_B;
  if (I.isDiagonal(0)) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += row[i] * row[i] / I(i, i);
    return sum;
  }
  const Vec3 r(row[0], row[1], row[2]);
  return r.dot(I.inverse() * r);
}

// theta of (E362).
double implicit_share(double stiffness) {
  return stiffness > 1 ? 1 - 1 / stiffness : 0;
}

// (E362): springs that share a body are as stiff as their sum. Rows across have a share of their
// own: a stiff spring under little tension turns as it should without it (E410).
void share_out(const Model& model, double h, SpringRows& out) {
  for (std::vector<double>& sums : out.sums) sums.assign(model.bodies.size(), 0);
  for (const SpringRow& row : out.rows)
    for (const BodyId id : row.bodies)
      if (id != BodyId::world && !row.held)
        out.sums[row.across][index(id)] += h * h * row.stiffness * row.inverse;
  out.stiffest = 0;
  for (SpringRow& row : out.rows) {
    double sum = 0;
    for (const BodyId id : row.bodies)
      if (id != BodyId::world && model.body(id).velocities > 0)
        sum = std::max(sum, out.sums[row.across][index(id)]);
    row.elastic = row.held ? 0 : implicit_share(sum) * h * h * row.stiffness;
    out.stiffest = std::max(out.stiffest, row.weight() * row.inverse);
  }
}

// Which rows are followed: those of stiff springs with a rest length, with their dampers.
void begin_following(double h, SpringRows& out) {
  constexpr double stiffest = 0x1p10;  // weight over mass in A [-]
  out.followed = out.closed = false;
  for (SpringRow& row : out.rows) {
    SpringFollowing& f = row.follow;
    const double stiff = h * (h * row.stiffness + row.damping) * row.inverse;
    f.share = row.stiffness > 0 && row.damping > 0 ? implicit_share(stiff) : 0;
    f.soft = row.weight() * row.inverse > stiffest ? stiffest / (row.weight() * row.inverse) : 1;
    f.on = f.on && !row.held && (row.elastic > 0 || f.share > 0 || f.soft < 1);
    out.followed = out.followed || f.on;
    out.closed = out.closed || (f.on && row.jointed);
  }
}

// (E741).
bool holds(const Joint& joint, const Spring& spring) {
  constexpr double same = 0x1p-40;  // places, of the length of the rod [-]
  for (std::size_t first : {0u, 1u}) {
    const std::size_t second = 1 - first;
    if (joint.bodies[0] != spring.bodies[first] || joint.bodies[1] != spring.bodies[second])
      continue;
    if (std::holds_alternative<FixedJoint>(joint.type)) return true;
    const auto* rod = std::get_if<DistanceJoint>(&joint.type);
    if (rod && (joint.anchors[0] - spring.anchors[first]).norm() <= same * rod->length &&
        (joint.anchors[1] - spring.anchors[second]).norm() <= same * rod->length)
      return true;
  }
  return false;
}

// Which rows have a body that a joint holds.
void mark_jointed(const Model& model, SpringRows& out) {
  if (model.joints.empty()) return;
  out.jointed.assign(model.bodies.size(), 0);
  for (const Joint& joint : model.joints)
    for (const BodyId id : joint.bodies)
      if (id != BodyId::world && model.body(id).velocities > 0) out.jointed[index(id)] = 1;
  for (SpringRow& row : out.rows)
    for (const BodyId id : row.bodies)
      row.jointed = row.jointed || (id != BodyId::world && out.jointed[index(id)]);
}

}  // namespace

bool is_held(const Model& model, const Spring& spring) {
  return std::any_of(model.joints.begin(), model.joints.end(),
                     [&](const Joint& joint) { return holds(joint, spring); });
}

double inverse_mass(const Model& model, std::span<const Pose> poses, const SpringRow& s) {
  CAIRN_DCHECK(base::is_direction(s.direction));
  double sum = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    if (s.bodies[side] == BodyId::world) continue;
    const Body& body = model.body(s.bodies[side]);
    if (body.velocities == 0) continue;
    const Pose& X_WC = poses[index(s.bodies[side])];
    double row[6];
    point_row(body, X_WC, s.points[side] - X_WC.p, s.direction, row);
    int k = 0;
    for (const bool free : body.translations)
      if (free) sum += row[k] * row[k] / body.mass, ++k;
    if (body.rotation == RotationKind::one) {
      double A[6][6];
      mass_matrix(body, A);
      sum += row[k] * row[k] / A[k][k];
    } else if (body.rotation == RotationKind::three) {
      sum += inverse_inertia(body, row + k);
    }
  }
  return sum;
}

void find_spring_rows(const Model& model, std::span<const Pose> poses, double t, double h,
                      SpringRows& out) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(poses.size() == model.bodies.size(), poses.size());
  out.rows.clear();
  out.stiffest = 0;
  for (const Spring& spring : model.springs) {
    const std::size_t first = out.rows.size();
    add_rows(model, poses, t, h, spring, out.rows);
    const bool held = is_held(model, spring);
    for (std::size_t i = first; i < out.rows.size(); ++i) out.rows[i].held = held;
  }
  for (SpringRow& row : out.rows) row.inverse = inverse_mass(model, poses, row);
  mark_jointed(model, out);
  share_out(model, h, out);
  begin_following(h, out);
}

bool clear_rows_across(SpringRows& out) {
  bool any = false;
  out.stiffest = 0;
  for (SpringRow& row : out.rows) {
    any = any || (row.across && row.elastic > 0);
    if (row.across) row.elastic = 0;
    out.stiffest = std::max(out.stiffest, row.weight() * row.inverse);
  }
  return any;
}

void set_tensions(const Model& model, std::span<const Pose> poses, double h, const VecX& v,
                  SpringRows& out) {
  double tension = 0;  // of the spring whose rows across come next
  for (SpringRow& row : out.rows) {
    if (row.across) {
      row.stiffness = std::max(0.0, tension) / (row.points[1] - row.points[0]).norm();
      continue;
    }
    tension = row.tension + row.weight() * (spring_rate(model, poses, row, v) + row.motion) / h;
  }
  share_out(model, h, out);
}

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

SpringWork spring_work(const Model& model, std::span<const Pose> poses,
                       std::span<const SpringRow> rows, double h, const VecX& v) {
  SpringWork work;
  for (const SpringRow& row : rows) {
    const double free = spring_rate(model, poses, row, v), rate = free + row.motion;
    if (const SpringFollowing& f = row.follow; f.on) {
      const double taken = f.drag * f.drag_rate;
      work.passive -= taken;
      work.implicit += (h * row.tension - f.impulse) * free - f.drag * row.motion + taken;
      work.stored += (f.impulse - f.drag) * row.motion;
      work.motion += f.impulse * row.motion;
      continue;
    }
    const double pull = h * row.tension + row.elastic * rate, drag = row.viscous * rate;
    work.passive -= drag * rate;
    work.implicit -= row.elastic * rate * free;
    work.stored += pull * row.motion;
    work.motion += (pull + drag) * row.motion;
  }
  return work;
}

double spring_energy(const Spring& spring, const std::vector<Pose>& poses) {
  auto point = [&](std::size_t side) {
    const BodyId id = spring.bodies[side];
    return id == BodyId::world ? spring.anchors[side] : poses[index(id)] * spring.anchors[side];
  };
  const double stretch = (point(1) - point(0)).norm() - spring.rest_length;
  return 0.5 * spring.stiffness * stretch * stretch;
}

double spring_energy(const Model& model, const std::vector<Pose>& poses) {
  double sum = 0;
  for (const Spring& spring : model.springs) sum += spring_energy(spring, poses);
  return sum;
}

}  // namespace cairn::dynamics
