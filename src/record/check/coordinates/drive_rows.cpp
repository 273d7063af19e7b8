#include "record/check/coordinates/drive_rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

#include "model/joint/joint_kind.hpp"
#include "record/check/rebuild/contact_geometry.hpp"

namespace cairn::record {
namespace {

constexpr double whole_turn = 2 * std::numbers::pi;
constexpr double still_row = 1e-12;  // a row below this moves no body [-]
constexpr double no_limit = std::numeric_limits<double>::infinity();

Pose placed(const std::vector<Pose>& poses, BodyId id) {
  return id == BodyId::world ? Pose{} : poses[index(id)];
}

// The direction and the point of a coordinate in the world.
struct Along {
  Vec3 axis, point;
  bool turns = false;
};
Along along_of(const Joint& joint, const std::vector<Pose>& poses) {
  const auto kind = model::kind_of(joint.type).coordinate;
  const Pose A = placed(poses, joint.bodies[0]);
  const Vec3 point = placed(poses, joint.bodies[1]) * joint.anchors[1];
  const Vec3 axis = kind == CoordinateKind::distance
                        ? Vec3((point - A * joint.anchors[0]).normalized())
                        : Vec3(A.R * joint.axes[0]);
  return {axis, point, kind == CoordinateKind::angle};
}

// The coordinate of a joint (E760), also where the joint is not closed: an angle is the twist of
// the relative rotation R about the axis z, tan(q/2) = z . vee(R - R^T) / (1 + tr R).
double value_of(const Joint& joint, const std::vector<Pose>& poses) {
  const Pose A = placed(poses, joint.bodies[0]), B = placed(poses, joint.bodies[1]);
  if (model::kind_of(joint.type).coordinate != CoordinateKind::angle)
    return coordinate_of(joint, A, B);
  const Mat3 R = (A.R.conjugate() * B.R * joint.R_AB.conjugate()).toRotationMatrix();
  const Vec3 skew(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
  const double middle = joint.limits.any() ? 0.5 * (joint.limits.lower + joint.limits.upper) : 0;
  const double q = 2 * std::atan2(joint.axes[0].dot(skew), 1 + R.trace());
  return middle + std::remainder(q - middle, whole_turn);
}

// Rate of a coordinate as rows of its two bodies, SI; angles at the length unit.
struct CoordinateRate {
  std::array<Row6, 2> j = {Row6::Zero(), Row6::Zero()};
  double lever = 1, size = 0;  // [m]
  bool moves = false;
};
CoordinateRate rate_of(const Segment& s, const Place& place, const Joint& joint,
                       const std::vector<Pose>& poses) {
  const Along q = along_of(joint, poses);
  CoordinateRate out;
  out.lever = q.turns ? s.model.length_unit : 1;
  out.size = q.point.norm() + s.model.length_unit;
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyId id = joint.bodies[side];
    if (id == BodyId::world) continue;
    const Body& body = s.model.body(id);
    const Pose& X = poses[index(id)];
    out.size += X.p.norm();
    if (place.layout[index(id)] < 0) continue;
    out.j[side] = (side == 0 ? -1 : 1) * (q.turns ? Row6(out.lever * turn_row_of(body, X, q.axis))
                                                  : point_row_of(body, X, q.point, q.axis));
    const UnitFactors f = unit_factors(body, {1, s.model.length_unit, 1});
    for (int k = 0; k < body.velocities; ++k)
      out.moves =
          out.moves || std::abs(out.j[side][k]) * f.velocity[k] / s.model.length_unit > still_row;
  }
  return out;
}

// The same by the motion of prescribed bodies [m/s].
double motion_of(const Model& model, const Joint& joint, const std::vector<Pose>& poses,
                 const std::vector<Pose>& other, double h, bool screw) {
  const Along q = along_of(joint, poses);
  double sum = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyId id = joint.bodies[side];
    if (id == BodyId::world || model.body(id).kind != BodyKind::prescribed) continue;
    const Pose &X = poses[index(id)], &Y = other[index(id)];
    const double rate = q.turns ? model.length_unit * q.axis.dot(mean_spin(X, Y, h))
                        : screw ? q.axis.dot(screw_velocity_of(X, Y, q.point, h))
                                : q.axis.dot(mean_velocity(X, Y, q.point, h));
    sum += (side == 0 ? -1 : 1) * rate;
  }
  return sum;
}

// What a row along a coordinate asks for, SI; angles at the length unit.
struct Asked {
  double lo = -no_limit, hi = no_limit;  // impulse [N s]
  double target = 0, compliance = 0;     // [m/s], [1/kg]
  double drag = 0;                       // impulse per rate [kg]
  double rounding = 0;                   // of b [m/s]
};

// A spring and damper of the gains k and c whose length is `stretch` beyond its own, and that asks
// for the rate `rate`: impulse h k (stretch + h q') + h c (q' - rate), turned round.
Asked spring_of(double k, double c, double stretch, double rate, double h, double lever) {
  Asked out;
  const double slope = h * (h * k + c);
  out.compliance = lever * lever / slope;
  out.target = lever * h * (c * rate - k * stretch) / slope;
  out.drag = h * c / (lever * lever);
  return out;
}

double difference(double a, double b, bool turns) {
  return turns ? std::remainder(a - b, whole_turn) : a - b;
}

Asked motor_asks(const Joint& joint, double q, bool turns, double t, double h, double lever) {
  const JointMotor& motor = *joint.motor;
  Asked out;
  if (!motor.keeps()) {
    out.lo = out.hi = h * motor.effort(t) / lever;
    return out;
  }
  const double rate = motor.velocity ? (*motor.velocity)(t + h) : 0;
  const double way = motor.position ? difference((*motor.position)(t + h), q, turns) : 0;
  if (motor.stiffness > 0 || motor.damping > 0)
    out = spring_of(motor.stiffness, motor.damping, -way, rate, h, lever);
  else
    out.target =
        lever *
        (motor.position ? std::clamp(way / h, -motor.max_velocity, motor.max_velocity) : rate);
  out.hi = h * motor.max_effort / lever;
  out.lo = -out.hi;
  out.rounding = 0x1p-44 * lever * (1 + std::abs(q) + std::abs(way)) / h;
  return out;
}

Asked asked_of(const Segment& s, const Place& place, const Joint& joint, Role role,
               const CoordinateRate& rate) {
  const double h = place.length;
  const bool turns = model::kind_of(joint.type).coordinate == CoordinateKind::angle;
  const double q = value_of(joint, place.start);
  Asked out;
  switch (role) {
    case Role::drive:
      out = motor_asks(joint, q, turns, place.t, h, rate.lever);
      break;
    case Role::friction:
      out.hi = h * joint.friction / rate.lever;
      out.lo = -out.hi;
      break;
    case Role::spring:
      out = spring_of(joint.spring.stiffness, joint.spring.damping,
                      difference(q, joint.spring.rest, turns), 0, h, rate.lever);
      out.rounding = 0x1p-44 * rate.lever * (1 + std::abs(q)) / h;
      break;
    default: {
      out.compliance = rate.lever * rate.lever / joint.armature;
      for (std::size_t side = 0; side < 2; ++side) {
        const BodyId id = joint.bodies[side];
        if (id == BodyId::world || place.layout[index(id)] < 0) continue;
        const Row6 v = velocities_of_body(s.model.body(id), place.v);
        out.target += rate.j[side].dot(v);
        out.rounding += 0x1p-44 * rate.j[side].cwiseAbs().dot(v.cwiseAbs());
      }
    }
  }
  out.rounding += 0x1p-44 * rate.size / h;
  return out;
}

bool nearly(double a, double b) {
  return a == b || std::abs(a - b) <= row_relative * (std::abs(a) + std::abs(b));
}

const char* fault_of(const Segment& s, const Problem& problem, const Place& place,
                     const Constraint& c, const Joint& joint, const CoordinateRate& rate,
                     const Asked& asked, double motion) {
  const bool bounded = std::isfinite(asked.hi);
  if (c.law != (bounded ? Law::box : Law::equality) || c.rows != 1 || c.sides != 2)
    return "has another law than its joint";
  if (!same_bodies(place, c, joint.bodies)) return "acts on other bodies than its joint";
  if (!same_row(s, problem, c, 0, rate.j, rate.size)) return "does not follow from its joint";
  const double unit = problem.units.impulse(), speed = problem.units.speed();
  if (bounded && (!nearly(c.lo * unit, asked.lo) || !nearly(c.hi * unit, asked.hi)))
    return "has other bounds than its joint";
  if (!nearly(c.compliance[0] / problem.units.mass, asked.compliance))
    return "has another compliance than its joint";
  if (!(std::abs(c.b[0] * speed - (motion - asked.target)) <=
        row_relative * (std::abs(motion) + std::abs(asked.target)) + asked.rounding))
    return "asks for another velocity than its joint";
  return nullptr;
}

bool has(const Joint& joint, Role role) {
  return role == Role::drive      ? joint.motor.has_value()
         : role == Role::friction ? joint.friction > 0
         : role == Role::spring   ? joint.spring.stiffness > 0 || joint.spring.damping > 0
                                  : joint.armature > 0;
}

}  // namespace

GearError gear_error_of(const Model& model, const std::vector<Pose>& poses, const Gear& gear) {
  GearError out;
  out.error = -gear.sum;
  out.rounding = std::abs(gear.sum);
  for (const GearTerm& term : gear.terms) {
    const Joint& joint = model.joints[index(term.joint)];
    const Pose A = placed(poses, joint.bodies[0]), B = placed(poses, joint.bodies[1]);
    out.error += term.ratio * value_of(joint, poses);
    out.rounding += std::abs(term.ratio) * (1 + (gear.angle ? 0 : A.p.norm() + B.p.norm()));
  }
  out.rounding *= 0x1p-46;
  if (gear.period > 0) out.error = std::remainder(out.error, gear.period);
  return out;
}

std::vector<GearRow> gear_rows_at(const Segment& s, const Place& place,
                                  const std::vector<Pose>& poses) {
  std::vector<GearRow> out;
  for (std::size_t i = 0; i < s.model.gears.size(); ++i) {
    const Gear& gear = s.model.gears[i];
    GearRow row;
    row.gear = i;
    row.j = VecX::Zero(s.model.velocities);
    const double unit = gear.angle ? s.model.length_unit : 1;
    bool moves = false;
    for (const GearTerm& term : gear.terms) {
      const Joint& joint = s.model.joints[index(term.joint)];
      const CoordinateRate rate = rate_of(s, place, joint, poses);
      const double factor = term.ratio * unit / rate.lever;
      moves = moves || rate.moves;
      row.size += std::abs(factor) * rate.size;
      for (std::size_t side = 0; side < 2; ++side) {
        const BodyId id = joint.bodies[side];
        if (id == BodyId::world || place.layout[index(id)] < 0) continue;
        const Body& body = s.model.body(id);
        row.j.segment(body.first_velocity, body.velocities) +=
            factor * rate.j[side].head(body.velocities);
      }
    }
    if (!moves) continue;
    row.error = unit * gear_error_of(s.model, poses, gear).error;
    out.push_back(std::move(row));
  }
  return out;
}

double gear_motion(const Model& model, const Gear& gear, const std::vector<Pose>& poses,
                   const std::vector<Pose>& other, double h, bool screw) {
  double sum = 0;
  for (const GearTerm& term : gear.terms) {
    const Joint& joint = model.joints[index(term.joint)];
    const bool turns = model::kind_of(joint.type).coordinate == CoordinateKind::angle;
    sum += term.ratio * (gear.angle || !turns ? 1 : 1 / model.length_unit) *
           motion_of(model, joint, poses, other, h, screw);
  }
  return sum;
}

CoordinateEnergies coordinate_energies(const Model& model, const State& state) {
  CoordinateEnergies out;
  for (const Joint& joint : model.joints) {
    const bool turns = model::kind_of(joint.type).coordinate == CoordinateKind::angle;
    if (joint.spring.stiffness > 0) {
      const double q = value_of(joint, state.poses);
      const double stretch = difference(q, joint.spring.rest, turns);
      out.stored += 0.5 * joint.spring.stiffness * stretch * stretch;
    }
    if (!(joint.armature > 0)) continue;
    const Along q = along_of(joint, state.poses);
    double rate = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      const BodyId id = joint.bodies[side];
      if (id == BodyId::world || model.body(id).velocities == 0) continue;
      const Body& body = model.body(id);
      const Pose& X = state.poses[index(id)];
      const Row6 j =
          q.turns ? turn_row_of(body, X, q.axis) : point_row_of(body, X, q.point, q.axis);
      rate += (side == 0 ? -1 : 1) * j.dot(velocities_of_body(body, state.v));
    }
    out.turning += 0.5 * joint.armature * rate * rate;
  }
  return out;
}

void match_gears(const Segment& s, std::size_t solve, const Problem& problem, const Place& place,
                 MatchedRows& out) {
  out.gears = gear_rows_at(s, place, place.joints ? *place.joints : place.rows);
  const std::vector<GearRow> columns = gear_rows_at(s, place, place.columns);
  std::size_t i = 0;
  while (i < problem.constraints.size() && problem.constraints[i].key.role == Role::joint) ++i;
  const auto complain = [&](const std::string& what) {
    s.say(solve, FindingCode::row, what);
    out.good = false;
  };
  for (std::size_t k = 0; k < out.gears.size(); ++k, ++i) {
    GearRow& row = out.gears[k];
    const Gear& gear = s.model.gears[row.gear];
    if (i == problem.constraints.size() || problem.constraints[i].key != gear_key(row.gear))
      return complain(fmt::format("gear {} has no row", gear.name));
    row.constraint = i;
    const Constraint& c = problem.constraints[i];
    bool same = c.law == Law::equality && c.rows == 1 && !c.compliant();
    VecX recorded = VecX::Zero(s.model.velocities);
    for (std::size_t side = 0; side < static_cast<std::size_t>(c.sides); ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& b = problem.bodies[static_cast<std::size_t>(c.body[side])];
      const Body& body = s.model.bodies[static_cast<std::size_t>(b.model_body)];
      const UnitFactors f = unit_factors(body, problem.units);
      for (int n = 0; n < b.size; ++n)
        recorded[body.first_velocity + n] = c.J[side][0][n] * problem.units.speed() / f.velocity[n];
    }
    const VecX& j = k < columns.size() && columns[k].gear == row.gear ? columns[k].j : row.j;
    same = same && (recorded - j).lpNorm<Eigen::Infinity>() <= row_relative * (1 + row.size);
    if (!same) complain(fmt::format("the row of gear {} differs from the scene's", gear.name));
  }
  if (i < problem.constraints.size() && problem.constraints[i].key.role == Role::gear)
    complain("a row of a gear belongs to none of the scene");
}

void match_drives(const Segment& s, std::size_t solve, const Problem& problem, const Place& place,
                  MatchedRows& out) {
  std::size_t i = 0;
  const auto complain = [&](const std::string& what) {
    s.say(solve, FindingCode::row, what);
    out.good = false;
  };
  const auto holds = [](Role role) { return role == Role::joint || role == Role::gear; };
  while (i < problem.constraints.size() && holds(problem.constraints[i].key.role)) ++i;
  std::vector<Pose> end = place.start;
  for (std::size_t k = 0; k < end.size(); ++k)
    if (s.model.bodies[k].kind == BodyKind::prescribed)
      end[k] = prescribed_at(s.model.bodies[k], place.t + place.length);
  for (const Role role : {Role::drive, Role::friction, Role::spring, Role::rotor})
    for (std::size_t k = 0; k < s.model.joints.size(); ++k) {
      const Joint& joint = s.model.joints[k];
      if (!has(joint, role)) continue;
      const CoordinateRate rate = rate_of(s, place, joint, place.start);
      if (!rate.moves) continue;
      const std::string name = fmt::format(
          "the {} of joint {} ", role == Role::drive ? "motor" : cairn::name(role), joint.name);
      if (i == problem.constraints.size() ||
          problem.constraints[i].key != coordinate_key(static_cast<JointId>(k), role))
        return complain(name + "has no row");
      Asked asked = asked_of(s, place, joint, role, rate);
      const double motion = motion_of(s.model, joint, place.start, end, place.length, projects(s));
      for (const BodyId id : joint.bodies)
        if (id != BodyId::world && s.model.body(id).kind == BodyKind::prescribed)
          asked.rounding += 0x1p-48 * (rate.size + rate.lever) / place.length;
      if (const char* fault =
              fault_of(s, problem, place, problem.constraints[i], joint, rate, asked, motion))
        complain(name + fault);
      out.drives.push_back({i++, motion, asked.target, asked.drag});
    }
  if (i < problem.constraints.size() && acts_on_coordinate(problem.constraints[i].key.role))
    complain("a row along a coordinate belongs to no joint");
}

}  // namespace cairn::record
