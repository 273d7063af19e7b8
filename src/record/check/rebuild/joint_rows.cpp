#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/joint/joint_kind.hpp"
#include "record/check/coordinates/drive_rows.hpp"
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

double angle_between(const Vec3& a, const Vec3& b) {
  return 2 * std::atan2((a - b).norm(), (a + b).norm());
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

void add_held_points(const Joint& joint, const Placed& at, std::vector<JointRow>& out) {
  const Vec3 axis = at.A.R * joint.axes[0];
  const Tangents t = tangents(axis);
  switch (model::kind_of(joint.type).points) {
    case model::HeldPoints::none:
      return;
    case model::HeldPoints::all:
      return add_point_rows(at, {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()}, false, out);
    case model::HeldPoints::line:
      return add_point_rows(at, {t.t1, t.t2}, true, out);
    case model::HeldPoints::plane:
      return add_point_rows(at, {axis}, true, out);
    case model::HeldPoints::distance: {
      const Vec3 d = at.b - at.a;
      const double distance = d.norm();
      add_point_rows(at, {distance > 0 ? Vec3(d / distance) : Vec3::UnitX()}, false, out);
      out.back().error = distance - std::get<DistanceJoint>(joint.type).length;
    }
  }
}

void add_held_turns(const Model& model, const Joint& joint, const Placed& at,
                    std::vector<JointRow>& out) {
  const double unit = model.length_unit;
  const Vec3 za = at.A.R * joint.axes[0], zb = at.B.R * joint.axes[1];
  const Tangents t = tangents(za);
  switch (model::kind_of(joint.type).turns) {
    case model::HeldTurns::none:
      return;
    case model::HeldTurns::all:
      return add_turn_rows({Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()}, turn_error(joint, at),
                           unit, out);
    case model::HeldTurns::parallel:
      return add_turn_rows({t.t1, t.t2}, za.cross(zb), unit, out);
    case model::HeldTurns::perpendicular: {  // (E880)
      const Vec3 across = zb.cross(za).normalized();
      return add_turn_rows({across}, across * (0.5 * std::numbers::pi - angle_between(za, zb)),
                           unit, out);
    }
  }
}

std::vector<JointRow> rows_of_joint(const Model& model, const Joint& joint, const Placed& at) {
  std::vector<JointRow> out;
  add_held_points(joint, at, out);
  add_held_turns(model, joint, at, out);
  return out;
}

// Two free bodies push each other at one point (E424); a rod along the line through its ends.
void share_point(const Model& model, const Joint& joint, JointRow& row) {
  for (const BodyId id : joint.bodies)
    if (id == BodyId::world || model.body(id).velocities == 0) return;
  if (row.turn || model::kind_of(joint.type).points == model::HeldPoints::distance) return;
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

// The Newton step of (E38) at `poses`: M d = J^T mu, J d = -errors.
VecX closing_step(const Segment& s, const std::vector<Pose>& poses, const Place& place,
                  const std::vector<JointRow>& rows) {
  constexpr double redundant = 1e-10;  // carries joints that say the same thing twice [-]
  const std::vector<GearRow> gears = gear_rows_at(s, place, poses);
  const auto joints = static_cast<Eigen::Index>(rows.size());
  const Eigen::Index n = joints + static_cast<Eigen::Index>(gears.size());
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, s.model.velocities), response = J.transpose();
  VecX errors(n);
  for (Eigen::Index r = joints; r < n; ++r) {
    const GearRow& row = gears[static_cast<std::size_t>(r - joints)];
    errors[r] = row.error;
    J.row(r) = row.j.transpose();
  }
  for (Eigen::Index r = 0; r < joints; ++r) {
    const JointRow& row = rows[static_cast<std::size_t>(r)];
    errors[r] = row.error;
    const Joint& joint = s.model.joints[index(row.joint)];
    for (std::size_t side = 0; side < 2; ++side) {
      const BodyId id = joint.bodies[side];
      if (id == BodyId::world || place.layout[index(id)] < 0) continue;
      const Body& body = s.model.body(id);
      J.row(r).segment(body.first_velocity, body.velocities) +=
          row_of_side(s.model, row, joint, poses, side).head(body.velocities).transpose();
    }
  }
  for (const Body& body : s.model.bodies)
    if (const int at = body.first_velocity, k = body.velocities; k > 0)
      response.middleRows(at, k) =
          mass_of(body).topLeftCorner(k, k).ldlt().solve(J.middleCols(at, k).transpose());
  Eigen::MatrixXd S = J * response;
  S.diagonal() *= 1 + redundant;
  return -response * S.ldlt().solve(errors);
}

// x + d, R exp(d).
std::vector<Pose> shifted(const Model& model, std::vector<Pose> poses, const VecX& d) {
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.kind != BodyKind::dynamic) continue;
    const Pose from = poses[i];
    poses[i] = moved_by(body, from, velocities_of_body(body, d), 1);
    if (body.rotation == RotationKind::three)
      poses[i].R = from.R * exp_rotation(d.segment<3>(body.first_velocity + translations_of(body)));
  }
  return poses;
}

double largest_error(const std::vector<JointRow>& rows) {
  double most = 0;
  for (const JointRow& row : rows) most = std::max(most, std::abs(row.error));
  return most;
}

}  // namespace

// `shared`: two free bodies push each other at one point.
static std::vector<JointRow> all_rows(const Segment& s, const Place& place,
                                      const std::vector<Pose>& poses, bool shared) {
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
      if (shared) share_point(s.model, joint, row);
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

std::vector<JointRow> joint_rows_at(const Segment& s, const Place& place,
                                    const std::vector<Pose>& poses) {
  return all_rows(s, place, poses, true);
}

std::vector<Pose> closed_poses(const Segment& s, const Place& place, std::vector<Pose> poses) {
  constexpr int most = 40;
  double size = s.model.length_unit;
  for (const Pose& X : poses) size = std::max(size, X.p.cwiseAbs().maxCoeff());
  const auto error_of = [&](const std::vector<JointRow>& rows, const std::vector<Pose>& at) {
    double error = largest_error(rows);
    for (const GearRow& gear : gear_rows_at(s, place, at))
      error = std::max(error, std::abs(gear.error));
    return error;
  };
  std::vector<JointRow> rows = all_rows(s, place, poses, false);
  for (int i = 0; i < most && error_of(rows, poses) > 4e-16 * size; ++i) {
    const VecX d = closing_step(s, poses, place, rows);
    bool closer = false;
    for (double t = 1; t > 0.01 && !closer; t *= 0.5) {
      std::vector<Pose> next = shifted(s.model, poses, t * d);
      std::vector<JointRow> there = all_rows(s, place, next, false);
      closer = error_of(there, next) < error_of(rows, poses);
      if (!closer) continue;
      poses = std::move(next);
      rows = std::move(there);
    }
    if (!closer) break;
  }
  return poses;
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
