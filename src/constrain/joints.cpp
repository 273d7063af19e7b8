#include "constrain/joints.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "constrain/carried.hpp"
#include "dynamics/kinematics.hpp"
#include "model/joint/joint_kind.hpp"

namespace cairn::constrain {
namespace {

Pose pose_of(std::span<const Pose> poses, BodyId id) {
  CAIRN_DCHECK(base::is_index_or_none(static_cast<int>(id), poses.size()), id);
  return id == BodyId::world ? Pose{} : poses[index(id)];
}

const std::array<Vec3, 3>& world_axes() {
  static const std::array<Vec3, 3> axes = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  return axes;
}

void hold_points(JointRows& rows) {
  rows.directions = 3;
  rows.direction = world_axes();
  for (int i = 0; i < 3; ++i) rows.gap[static_cast<std::size_t>(i)] = (rows.b - rows.a)[i];
}

// Rotation vector from the rotation that the second body should have to the one it has.
void hold_rotation(const Joint& joint, const Pose& A, const Pose& B, JointRows& rows) {
  CAIRN_DCHECK(base::is_rotation(A.R));
  CAIRN_DCHECK(base::is_rotation(B.R));
  CAIRN_DCHECK(base::is_rotation(joint.R_AB), joint.name);
  Quat error = B.R * (A.R * joint.R_AB).conjugate();
  if (error.w() < 0) error.coeffs() = -error.coeffs();
  const double sine = error.vec().norm();
  const double factor = sine > 0 ? 2 * std::atan2(sine, error.w()) / sine : 2;
  rows.axes = 3;
  rows.axis = world_axes();
  for (int i = 0; i < 3; ++i) rows.angle[static_cast<std::size_t>(i)] = factor * error.vec()[i];
}

void hold_distance(double length, JointRows& rows) {
  const double distance = (rows.b - rows.a).norm();
  // Anchors on top of each other have no direction; any fixed one lets the rod push them apart.
  rows.directions = 1;
  rows.direction[0] = distance > 0 ? Vec3((rows.b - rows.a) / distance) : Vec3::UnitX();
  rows.gap[0] = distance - length;
}

// The second anchor stays on a line or a plane of the first body; the first body's point under it
// is the one that counts.
void hold_across(const Vec3& axis, JointRows& rows) {
  const Tangents t = tangents(axis);
  rows.directions = 2;
  rows.direction[0] = t.t1;
  rows.direction[1] = t.t2;
  for (std::size_t i = 0; i < 2; ++i) rows.gap[i] = rows.direction[i].dot(rows.b - rows.a);
  rows.a = rows.b;
}
void hold_on_plane(const Vec3& normal, JointRows& rows) {
  rows.directions = 1;
  rows.direction[0] = normal;
  rows.gap[0] = normal.dot(rows.b - rows.a);
  rows.a = rows.b;
}

// The axes of both bodies stay parallel: z_a x z_b, across the axis.
void hold_parallel(const Vec3& z_a, const Vec3& z_b, JointRows& rows) {
  const Tangents t = tangents(z_a);
  rows.axes = 2;
  rows.axis[0] = t.t1;
  rows.axis[1] = t.t2;
  for (std::size_t i = 0; i < 2; ++i) rows.angle[i] = rows.axis[i].dot(z_a.cross(z_b));
}

// They stay perpendicular (E880).
void hold_perpendicular(const Vec3& z_a, const Vec3& z_b, JointRows& rows) {
  const Vec3 across = z_b.cross(z_a);
  const double sine = across.norm();
  rows.axes = 1;
  rows.axis[0] = sine > 0 ? Vec3(across / sine) : tangents(z_a).t1;
  rows.angle[0] = std::atan2(z_a.dot(z_b), sine);
}

void hold_points(const Joint& joint, const Vec3& axis, JointRows& rows) {
  switch (model::kind_of(joint.type).points) {
    case model::HeldPoints::none:
      return;
    case model::HeldPoints::all:
      return hold_points(rows);
    case model::HeldPoints::line:
      return hold_across(axis, rows);
    case model::HeldPoints::plane:
      return hold_on_plane(axis, rows);
    case model::HeldPoints::distance:
      return hold_distance(std::get<DistanceJoint>(joint.type).length, rows);
  }
}

void hold_turns(const Joint& joint, const Pose& A, const Pose& B, JointRows& rows) {
  switch (model::kind_of(joint.type).turns) {
    case model::HeldTurns::none:
      return;
    case model::HeldTurns::all:
      return hold_rotation(joint, A, B, rows);
    case model::HeldTurns::parallel:
      return hold_parallel(A.R * joint.axes[0], B.R * joint.axes[1], rows);
    case model::HeldTurns::perpendicular:
      return hold_perpendicular(A.R * joint.axes[0], B.R * joint.axes[1], rows);
  }
}

}  // namespace

double prescribed_rate(std::span<const Pose> poses, std::span<const Pose> poses_end, BodyId id,
                       const Vec3& point, const Vec3& along, bool rotation, double h,
                       PrescribedMotion motion) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(poses.size() == poses_end.size(), poses.size(), poses_end.size());
  const Pose &start = poses[index(id)], &end = poses_end[index(id)];
  if (!rotation && motion == PrescribedMotion::screw)
    return along.dot(screw_velocity(start, end, point, h));
  if (!rotation) return along.dot(end * (start.inverse() * point) - point) / h;
  Quat turn = end.R * start.R.conjugate();
  if (turn.w() < 0) turn.coeffs() = -turn.coeffs();
  const double sine = turn.vec().norm();
  return sine > 0 ? along.dot(turn.vec()) * 2 * std::atan2(sine, turn.w()) / sine / h : 0;
}

JointRows joint_rows(std::span<const Pose> poses, const Joint& joint) {
  const Pose A = pose_of(poses, joint.bodies[0]), B = pose_of(poses, joint.bodies[1]);
  JointRows rows;
  rows.a = A * joint.anchors[0];
  rows.b = B * joint.anchors[1];
  hold_points(joint, A.R * joint.axes[0], rows);
  hold_turns(joint, A, B, rows);
  CAIRN_DCHECK(rows.directions >= 0 && rows.directions <= 3, joint.name, rows.directions);
  CAIRN_DCHECK(rows.axes >= 0 && rows.axes <= 3, joint.name, rows.axes);
  for (int i = 0; i < rows.directions; ++i)
    CAIRN_DCHECK(base::is_direction(rows.direction[static_cast<std::size_t>(i)]), joint.name, i);
  for (int i = 0; i < rows.axes; ++i)
    CAIRN_DCHECK(base::is_direction(rows.axis[static_cast<std::size_t>(i)]), joint.name, i);
  return rows;
}

JointError joint_error(std::span<const Pose> poses, const Joint& joint) {
  const JointRows rows = joint_rows(poses, joint);
  JointError error;
  for (int i = 0; i < rows.directions; ++i)
    error.distance = std::hypot(error.distance, rows.gap[static_cast<std::size_t>(i)]);
  for (int i = 0; i < rows.axes; ++i)
    error.angle = std::hypot(error.angle, rows.angle[static_cast<std::size_t>(i)]);
  return error;
}

static void append(const Model& model, std::span<const Pose> poses, std::span<const Pose> poses_end,
                   const ProblemLayout& layout, JointId id, const JointRows& rows, double gamma,
                   double h, PrescribedMotion motion, Problem& problem,
                   std::vector<JointRowTerms>& terms) {
  CAIRN_DCHECK(base::is_index(static_cast<int>(id), model.joints.size()), id);
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(gamma >= 0, gamma);
  CAIRN_DCHECK(poses.size() == model.bodies.size(), poses.size());
  CAIRN_DCHECK(layout.body.size() == model.bodies.size(), layout.body.size());
  CAIRN_DCHECK(!problem.first_row.empty());
  CAIRN_DCHECK(problem.first_row.size() == problem.constraints.size() + 1,
               problem.first_row.size());
  const Joint& joint = model.joints[index(id)];
  for (const bool rotation : {false, true}) {
    Constraint c;
    c.law = Law::equality;
    c.rows = 0;
    c.key = joint_key(id, rotation ? 1 : 0);
    for (std::size_t side = 0; side < 2; ++side)
      c.body[side] =
          joint.bodies[side] == BodyId::world ? -1 : layout.body[index(joint.bodies[side])];
    const int count = rotation ? rows.axes : rows.directions;
    for (int i = 0; i < count; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      const Vec3& along = rotation ? rows.axis[k] : rows.direction[k];
      JointRowTerms term;
      term.error = rotation ? rows.angle[k] * model.length_unit : rows.gap[k];
      bool moves = false;
      for (std::size_t side = 0; side < 2; ++side) {
        const double sign = side == 0 ? -1 : 1;
        const BodyId body_id = joint.bodies[side];
        const Vec3& point = side == 0 ? rows.a : rows.b;
        double* row = c.J[side][c.rows];
        std::fill(row, row + max_velocities, 0.0);
        if (body_id == BodyId::world) continue;
        const Body& body = model.body(body_id);
        if (body.kind == BodyKind::prescribed)
          term.motion +=
              sign * (rotation ? model.length_unit : 1) *
              prescribed_rate(poses, poses_end, body_id, point, along, rotation, h, motion);
        if (c.body[side] < 0) continue;
        const Pose& X_WC = poses[index(body_id)];
        if (rotation)
          spin_row(model, body, X_WC, along, sign, row);
        else
          unit_row(model, body, X_WC, point, along, sign, row);
        moves = moves || std::any_of(row, row + body.velocities,
                                     [](double x) { return std::abs(x) > still; });
      }
      if (!moves) continue;
      term.rate = gamma * term.error / h;
      c.b[c.rows++] = (term.rate + term.motion) / problem.units.speed();
      terms.push_back(term);
    }
    if (c.rows == 0) continue;
    problem.constraints.push_back(c);
    CAIRN_DCHECK(c.rows <= max_rows, c.rows);
    CAIRN_DCHECK(c.body[0] >= 0 || c.body[1] >= 0, joint.name);
    problem.first_row.push_back(problem.first_row.back() + c.rows);
  }
}

// Impulses at two points that are apart would turn a pair of bodies that nothing holds. The rod of
// a distance joint pushes along the line through both.
static void share_point(const Model& model, const Joint& joint, JointRows& rows) {
  for (const BodyId id : joint.bodies)
    if (id == BodyId::world || model.body(id).velocities == 0) return;
  if (model::kind_of(joint.type).points != model::HeldPoints::distance)
    rows.a = rows.b = 0.5 * (rows.a + rows.b);
}

void add_joint(const Model& model, std::span<const Pose> poses, std::span<const Pose> poses_end,
               const ProblemLayout& layout, JointId id, double gamma, double h, Problem& problem,
               std::vector<JointRowTerms>& terms, JointPoints points, PrescribedMotion motion) {
  CAIRN_DCHECK(base::is_index(static_cast<int>(id), model.joints.size()), id);
  JointRows rows = joint_rows(poses, model.joints[index(id)]);
  if (points == JointPoints::common) share_point(model, model.joints[index(id)], rows);
  append(model, poses, poses_end, layout, id, rows, gamma, h, motion, problem, terms);
}

void add_joint_ahead(const Model& model, std::span<const Pose> poses,
                     std::span<const Pose> poses_now, const ProblemLayout& layout, JointId id,
                     double h, Problem& problem, std::vector<JointRowTerms>& terms) {
  const Joint& joint = model.joints[index(id)];
  const Pose A = pose_of(poses_now, joint.bodies[0]), B = pose_of(poses_now, joint.bodies[1]);
  const Quat turn = A.R * pose_of(poses, joint.bodies[0]).R.conjugate();
  JointRows rows = joint_rows(poses, joint);
  const JointRows now = joint_rows(poses_now, joint);
  rows.gap = now.gap;
  rows.angle = now.angle;
  const model::JointKind kind = model::kind_of(joint.type);
  if (kind.points == model::HeldPoints::line)
    for (std::size_t i = 0; i < 2; ++i)
      rows.gap[i] = (turn * rows.direction[i]).dot(B * joint.anchors[1] - A * joint.anchors[0]);
  if (kind.turns == model::HeldTurns::parallel)
    for (std::size_t i = 0; i < 2; ++i)
      rows.angle[i] = (turn * rows.axis[i]).dot((A.R * joint.axes[0]).cross(B.R * joint.axes[1]));
  share_point(model, joint, rows);
  append(model, poses, poses, layout, id, rows, 1, h, PrescribedMotion::chord, problem, terms);
}

}  // namespace cairn::constrain
