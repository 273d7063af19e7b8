#include <cmath>

#include "record/check/rebuild/rows.hpp"

namespace cairn::record {
namespace {

constexpr double still = 1e-12;  // a row below this moves no body [-]

struct Placed {
  Pose A, B;
  Vec3 a, b;
};

Pose pose_or_world(const std::vector<Pose>& poses, BodyId id) {
  return id == BodyId::world ? Pose{} : poses[index(id)];
}

// Rotation vector from the rotation that B should have to the one it has.
Vec3 turn_error(const Joint& joint, const Placed& at) {
  Quat q = at.B.R * (at.A.R * joint.R_AB).conjugate();
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const double sine = q.vec().norm();
  return (sine > 0 ? 2 * std::atan2(sine, q.w()) / sine : 2) * q.vec();
}

void add_point_rows(const Placed& at, const std::vector<Vec3>& along, bool at_b,
                    std::vector<JointRow>& out) {
  for (const Vec3& e : along) {
    JointRow row;
    row.along = e;
    row.points = {at_b ? at.b : at.a, at.b};
    row.error = e.dot(at.b - at.a);
    out.push_back(row);
  }
}

void add_turn_rows(const std::vector<Vec3>& along, const Vec3& error, double unit,
                   std::vector<JointRow>& out) {
  for (const Vec3& e : along) {
    JointRow row;
    row.turn = true;
    row.along = e;
    row.error = e.dot(error) * unit;
    out.push_back(row);
  }
}

std::vector<JointRow> rows_of_joint(const Model& model, const Joint& joint, const Placed& at) {
  const std::vector<Vec3> axes = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  std::vector<JointRow> out;
  if (const auto* rod = std::get_if<DistanceJoint>(&joint.type)) {
    const Vec3 d = at.b - at.a;
    const double distance = d.norm();
    add_point_rows(at, {distance > 0 ? Vec3(d / distance) : Vec3::UnitX()}, false, out);
    out[0].error = distance - rod->length;
  } else if (std::holds_alternative<PrismaticJoint>(joint.type)) {
    const Tangents t = tangents(at.A.R * joint.axes[0]);
    add_point_rows(at, {t.t1, t.t2}, true, out);
    add_turn_rows(axes, turn_error(joint, at), model.length_unit, out);
  } else {
    add_point_rows(at, axes, false, out);
    if (std::holds_alternative<FixedJoint>(joint.type))
      add_turn_rows(axes, turn_error(joint, at), model.length_unit, out);
    if (std::holds_alternative<RevoluteJoint>(joint.type)) {
      const Vec3 za = at.A.R * joint.axes[0], zb = at.B.R * joint.axes[1];
      const Tangents t = tangents(za);
      add_turn_rows({t.t1, t.t2}, za.cross(zb), model.length_unit, out);
    }
  }
  return out;
}

// Two free bodies push each other at one point (E424); a rod along the line through its ends.
void share_point(const Model& model, const Joint& joint, JointRow& row) {
  for (const BodyId id : joint.bodies)
    if (id == BodyId::world || model.body(id).velocities == 0) return;
  if (row.turn || std::holds_alternative<DistanceJoint>(joint.type)) return;
  const Vec3 middle = 0.5 * (row.points[0] + row.points[1]);
  row.points = {middle, middle};
}

Row6 row_of_side(const Model& model, const JointRow& row, const Joint& joint,
                 const std::vector<Pose>& poses, std::size_t side) {
  const BodyId id = joint.bodies[side];
  if (id == BodyId::world) return Row6::Zero();
  const Pose& X = poses[index(id)];
  const Row6 j = row.turn ? Row6(model.length_unit * turn_row_of(model.body(id), X, row.along))
                          : point_row_of(model.body(id), X, row.points[side], row.along);
  return (side == 0 ? -1 : 1) * j;
}

}  // namespace

std::vector<JointRow> joint_rows_at(const Segment& s, const Place& place,
                                    const std::vector<Pose>& poses) {
  std::vector<JointRow> out;
  std::size_t constraint = 0;
  for (std::size_t i = 0; i < s.model.joints.size(); ++i) {
    const Joint& joint = s.model.joints[i];
    bool part_of = false;
    for (const BodyId id : joint.bodies)
      part_of = part_of || (id != BodyId::world && place.layout[index(id)] >= 0);
    if (!part_of) continue;
    Placed at{pose_or_world(poses, joint.bodies[0]), pose_or_world(poses, joint.bodies[1]), {}, {}};
    at.a = at.A * joint.anchors[0];
    at.b = at.B * joint.anchors[1];
    int rows = 0;
    bool turning = false;
    for (JointRow& row : rows_of_joint(s.model, joint, at)) {
      share_point(s.model, joint, row);
      double most = 0;
      for (std::size_t side = 0; side < 2; ++side) {
        if (joint.bodies[side] == BodyId::world) continue;
        const Body& body = s.model.body(joint.bodies[side]);
        const UnitFactors f = unit_factors(body, {1, s.model.length_unit, 1});
        const Row6 j = row_of_side(s.model, row, joint, poses, side);
        for (int k = 0; k < body.velocities; ++k)
          most = std::max(most, std::abs(j[k]) * f.velocity[k] / s.model.length_unit);
      }
      if (!(most > still)) continue;
      if (row.turn && !turning && rows > 0) ++constraint, rows = 0;
      turning = row.turn;
      row.joint = static_cast<JointId>(i);
      row.constraint = constraint;
      row.row = rows++;
      row.size = at.A.p.norm() + at.B.p.norm() + joint.anchors[0].norm() + joint.anchors[1].norm() +
                 (row.turn ? s.model.length_unit : 0);
      out.push_back(row);
    }
    if (rows > 0) ++constraint;
  }
  return out;
}

double joint_motion(const Model& model, const JointRow& row, const std::vector<Pose>& poses,
                    const std::vector<Pose>& other, double h, bool screw) {
  const Joint& joint = model.joints[index(row.joint)];
  double sum = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyId id = joint.bodies[side];
    if (id == BodyId::world || model.body(id).kind != BodyKind::prescribed) continue;
    const Pose &X = poses[index(id)], &Y = other[index(id)];
    const Vec3& point = row.points[side];
    const double rate = row.turn ? model.length_unit * row.along.dot(mean_spin(X, Y, h))
                        : screw  ? row.along.dot(screw_velocity_of(X, Y, point, h))
                                 : row.along.dot(mean_velocity(X, Y, point, h));
    sum += (side == 0 ? -1 : 1) * rate;
  }
  return sum;
}

double joint_rate(const Segment& s, const JointRow& row, const std::vector<Pose>& poses,
                  const Place& place, const VecX& v) {
  const Joint& joint = s.model.joints[index(row.joint)];
  double sum = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyId id = joint.bodies[side];
    if (id == BodyId::world || place.layout[index(id)] < 0) continue;
    sum +=
        row_of_side(s.model, row, joint, poses, side).dot(velocities_of_body(s.model.body(id), v));
  }
  return sum;
}

}  // namespace cairn::record
