#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "model/joint_kind.hpp"
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
  const auto n = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, s.model.velocities), response = J.transpose();
  VecX errors(n);
  for (Eigen::Index r = 0; r < n; ++r) {
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
  std::vector<JointRow> rows = all_rows(s, place, poses, false);
  for (int i = 0; i < most && largest_error(rows) > 4e-16 * size; ++i) {
    const VecX d = closing_step(s, poses, place, rows);
    bool closer = false;
    for (double t = 1; t > 0.01 && !closer; t *= 0.5) {
      std::vector<Pose> next = shifted(s.model, poses, t * d);
      std::vector<JointRow> there = all_rows(s, place, next, false);
      closer = largest_error(there) < largest_error(rows);
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

namespace {

// A motor or the friction of a joint at the beginning of a part of a step, SI.
struct Drive {
  std::array<Row6, 2> j = {Row6::Zero(), Row6::Zero()};
  double lever = 1;               // angles are lengths at it [m]
  double motion = 0, target = 0;  // [m/s]
  double lo = 0, hi = 0;          // impulse [N s]
  double size = 0, rounding = 0;  // of the row [m], of the motion [m/s]
  bool moves = false;
};

// The angle by which B has turned about the axis, or its way along it: of a direction across it.
double coordinate_of(const Joint& joint, const Pose& A, const Pose& B, const Vec3& axis) {
  const Vec3 between = B * joint.anchors[1] - A * joint.anchors[0];
  const auto kind = model::kind_of(joint.type).coordinate;
  if (kind == CoordinateKind::displacement) return axis.dot(between);
  if (kind == CoordinateKind::distance) return between.norm();
  const Vec3 across = tangents(joint.axes[0]).t1;
  const Vec3 now = A.R.conjugate() * (B.R * (joint.R_AB.conjugate() * across));
  return std::atan2(joint.axes[0].dot(across.cross(now)), across.dot(now));
}

Drive drive_of(const Segment& s, const Place& place, const Joint& joint, Role role) {
  const auto kind = model::kind_of(joint.type).coordinate;
  const bool turns = kind == CoordinateKind::angle;
  const double h = place.length;
  const auto pose = [&](BodyId id) {
    return id == BodyId::world ? Pose{} : place.start[index(id)];
  };
  const Vec3 point = pose(joint.bodies[1]) * joint.anchors[1];
  const Vec3 axis = kind == CoordinateKind::distance
                        ? Vec3((point - pose(joint.bodies[0]) * joint.anchors[0]).normalized())
                        : Vec3(pose(joint.bodies[0]).R * joint.axes[0]);
  Drive out;
  out.lever = turns ? s.model.length_unit : 1;
  out.size = point.norm() + s.model.length_unit;
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyId id = joint.bodies[side];
    if (id == BodyId::world) continue;
    const Body& body = s.model.body(id);
    const Pose& X = place.start[index(id)];
    const double sign = side == 0 ? -1 : 1;
    out.size += X.p.norm();
    if (body.kind == BodyKind::prescribed) {
      const Pose end = prescribed_at(body, place.t + h);
      const double rate = turns         ? axis.dot(mean_spin(X, end, h))
                          : projects(s) ? axis.dot(screw_velocity_of(X, end, point, h))
                                        : axis.dot(mean_velocity(X, end, point, h));
      out.motion += sign * out.lever * rate;
      out.rounding += 0x1p-48 * (X.p.norm() + point.norm() + out.lever) / h;
    }
    if (place.layout[index(id)] < 0) continue;
    out.j[side] = sign * (turns ? Row6(out.lever * turn_row_of(body, X, axis))
                                : point_row_of(body, X, point, axis));
    const UnitFactors f = unit_factors(body, {1, s.model.length_unit, 1});
    for (int k = 0; k < body.velocities; ++k)
      out.moves =
          out.moves || std::abs(out.j[side][k]) * f.velocity[k] / s.model.length_unit > 1e-12;
  }
  out.hi = joint.friction;
  out.lo = -joint.friction;
  if (role == Role::drive && joint.motor->keeps()) {
    const JointMotor& motor = *joint.motor;
    out.hi = motor.max_effort;
    out.lo = -out.hi;
    double rate = motor.what()(place.t + h);
    if (motor.position) {
      const double q = coordinate_of(joint, pose(joint.bodies[0]), pose(joint.bodies[1]), axis);
      double way = rate - q;
      if (turns) way = std::remainder(way, 2 * std::numbers::pi);
      out.rounding += 0x1p-44 * (out.lever * (1 + std::abs(rate)) + out.size) / h;
      rate = std::clamp(way / h, -motor.max_velocity, motor.max_velocity);
    }
    out.target = out.lever * rate;
  } else if (role == Role::drive) {
    out.lo = out.hi = joint.motor->effort(place.t);
  }
  out.lo *= h / out.lever;
  out.hi *= h / out.lever;
  return out;
}

bool near(double a, double b) {
  return std::abs(a - b) <= row_relative * (std::abs(a) + std::abs(b));
}

const char* fault_of(const Segment& s, const Problem& problem, const Place& place,
                     const Constraint& c, const Joint& joint, const Drive& drive) {
  if (c.law != Law::box || c.rows != 1) return "is no bounded row";
  if (!same_bodies(place, c, joint.bodies)) return "acts on other bodies than its joint";
  if (!same_row(s, problem, c, 0, drive.j, drive.size)) return "does not follow from its joint";
  const double unit = problem.units.impulse(), speed = problem.units.speed();
  if (!near(c.lo * unit, drive.lo) || !near(c.hi * unit, drive.hi))
    return "has other bounds than its joint";
  if (!(std::abs(c.b[0] * speed - (drive.motion - drive.target)) <=
        row_relative * (std::abs(drive.motion) + std::abs(drive.target)) + drive.rounding))
    return "asks for another velocity than its joint";
  return nullptr;
}

}  // namespace

void match_drives(const Segment& s, std::size_t solve, const Problem& problem, const Place& place,
                  MatchedRows& out) {
  std::size_t i = 0;
  const auto complain = [&](const std::string& what) {
    s.say(solve, FindingCode::row, what);
    out.good = false;
  };
  while (i < problem.constraints.size() && problem.constraints[i].key.role == Role::joint) ++i;
  for (const Role role : {Role::drive, Role::friction})
    for (std::size_t k = 0; k < s.model.joints.size(); ++k) {
      const Joint& joint = s.model.joints[k];
      if (role == Role::drive ? !joint.motor : !(joint.friction > 0)) continue;
      const Drive drive = drive_of(s, place, joint, role);
      if (!drive.moves) continue;
      const std::string name = fmt::format("the {} of joint {} ",
                                           role == Role::drive ? "motor" : "friction", joint.name);
      if (i == problem.constraints.size() ||
          problem.constraints[i].key != coordinate_key(static_cast<JointId>(k), role))
        return complain(name + "has no row");
      if (const char* fault = fault_of(s, problem, place, problem.constraints[i], joint, drive))
        complain(name + fault);
      out.drives.push_back({i++, drive.motion, drive.target});
    }
  if (i < problem.constraints.size() && acts_on_coordinate(problem.constraints[i].key.role))
    complain("a row of a motor or of friction belongs to no joint");
}

}  // namespace cairn::record
