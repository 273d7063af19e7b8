#include <cmath>
#include <fmt/format.h>

#include "record/check/rebuild/contact_geometry.hpp"
#include "record/check/rebuild/rows.hpp"

namespace cairn::record {
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

Drive drive_of(const Segment& s, const Place& place, const Joint& joint, Role role) {
  const bool turns = std::holds_alternative<RevoluteJoint>(joint.type);
  const double h = place.length;
  const auto pose = [&](BodyId id) {
    return id == BodyId::world ? Pose{} : place.start[index(id)];
  };
  const Vec3 axis = pose(joint.bodies[0]).R * joint.axes[0];
  const Vec3 point = pose(joint.bodies[1]) * joint.anchors[1];
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
  if (role == Role::drive && joint.motor->velocity) {
    out.hi = joint.motor->max_effort;
    out.lo = -out.hi;
    out.target = out.lever * (*joint.motor->velocity)(place.t + h);
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
