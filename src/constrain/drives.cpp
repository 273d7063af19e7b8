#include "constrain/drives.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "base/infinity.hpp"
#include "dynamics/kinematics.hpp"
#include "model/joint/joint_coordinate.hpp"

namespace cairn::constrain {
namespace {

// A row along a coordinate: impulse between h lo and h hi, rate target, slope of the effort.
struct Effort {
  double lo = -base::infinity, hi = base::infinity;  // [N m], [N]
  double target = 0;                                 // [rad/s], [m/s]
  double impulse_per_rate = 0;                       // compliance is 1 over it; 0: rigid
  double drag = 0;                                   // of a damper, part of it
};

const MotorTarget* target_of(std::span<const MotorTarget> targets, JointId joint) {
  for (const MotorTarget& target : targets)
    if (target.joint == joint) return &target;
  return nullptr;
}

// (E872): impulse -h (k (q + h q' - rest) + c (q' - rate)) as a compliant row.
Effort spring_effort(double k, double c, double stretch, double rate, double h) {
  Effort out;
  out.drag = h * c;
  out.impulse_per_rate = h * h * k + h * c;
  out.target = (h * c * rate - h * k * stretch) / out.impulse_per_rate;
  return out;
}

Effort motor_effort(const Joint& joint, double coordinate, const DriveInputs& in,
                    const MotorTarget* target) {
  const JointMotor& motor = *joint.motor;
  const double end = in.t + in.h;
  Effort out;
  if (!motor.keeps()) {
    out.lo = out.hi = target ? target->value : motor.what()(in.t);
    return out;
  }
  const double what =
      target ? target->value : (motor.position ? *motor.position : motor.what())(end);
  const double behind =
      motor.position ? model::coordinate_difference(joint, what, coordinate) : 0.0;
  if (motor.has_gains()) {  // (E873)
    const double rate = !motor.velocity ? 0 : motor.position ? (*motor.velocity)(end) : what;
    out = spring_effort(motor.stiffness, motor.damping, -behind, rate, in.h);
  } else {
    out.target =
        motor.velocity ? what : std::clamp(behind / in.h, -motor.max_velocity, motor.max_velocity);
  }
  out.lo = -motor.max_effort;
  out.hi = motor.max_effort;
  return out;
}

bool has_role(const Joint& joint, Role role) {
  switch (role) {
    case Role::drive:
      return joint.motor.has_value();
    case Role::friction:
      return joint.friction > 0;
    case Role::spring:
      return joint.spring.any();
    default:
      return joint.armature > 0;
  }
}

}  // namespace

bool coordinate_row(const Model& model, std::span<const Pose> poses, const ProblemLayout& layout,
                    JointId id, Constraint& row) {
  const Joint& joint = model.joints[index(id)];
  const model::JointCoordinate q = model::joint_coordinate(poses, joint);
  bool moves = false;
  row.rows = 1;
  for (std::size_t side = 0; side < 2; ++side) {
    const double sign = side == 0 ? -1 : 1;
    const BodyId body_id = joint.bodies[side];
    row.body[side] = body_id == BodyId::world ? -1 : layout.body[index(body_id)];
    double* J = row.J[side][0];
    std::fill(J, J + max_velocities, 0.0);
    if (row.body[side] < 0) continue;
    const Body& body = model.body(body_id);
    if (model::is_angle(joint))
      spin_row(model, body, poses[index(body_id)], q.axis_W, sign, J);
    else
      unit_row(model, body, poses[index(body_id)], q.point_W, q.axis_W, sign, J);
    moves =
        moves || std::any_of(J, J + body.velocities, [](double x) { return std::abs(x) > still; });
  }
  return moves;
}

double prescribed_coordinate_rate(const Model& model, std::span<const Pose> poses,
                                  std::span<const Pose> poses_end, const Joint& joint, double h,
                                  PrescribedMotion motion) {
  const model::JointCoordinate q = model::joint_coordinate(poses, joint);
  const bool turns = model::is_angle(joint);
  double rate = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyId id = joint.bodies[side];
    if (id == BodyId::world || model.body(id).kind != BodyKind::prescribed) continue;
    rate += (side == 0 ? -1 : 1) *
            prescribed_rate(poses, poses_end, id, q.point_W, q.axis_W, turns, h, motion);
  }
  return (turns ? model.length_unit : 1) * rate;
}

namespace {

// Rate of a coordinate by the velocities of free bodies [rad/s], [m/s].
double free_rate(const Model& model, std::span<const Pose> poses, const Joint& joint,
                 const VecX& v) {
  const model::JointCoordinate q = model::joint_coordinate(poses, joint);
  double rate = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyId id = joint.bodies[side];
    if (id == BodyId::world || model.body(id).velocities == 0) continue;
    const Body& body = model.body(id);
    const Pose& X = poses[index(id)];
    const double* own = v.data() + body.first_velocity;
    const Vec3 spin = dynamics::angular_velocity(body, X, own);
    const Vec3 of_body =
        model::is_angle(joint)
            ? spin
            : Vec3(dynamics::linear_velocity(body, own) + spin.cross(q.point_W - X.p));
    rate += (side == 0 ? -1 : 1) * q.axis_W.dot(of_body);
  }
  return rate;
}

Effort effort_of(const Model& model, std::span<const Pose> poses, JointId id, Role role,
                 const DriveInputs& in) {
  const Joint& joint = model.joints[index(id)];
  const double q = model::joint_coordinate(poses, joint).value;
  if (role == Role::drive) return motor_effort(joint, q, in, target_of(in.targets, id));
  if (role == Role::spring)
    return spring_effort(joint.spring.stiffness, joint.spring.damping,
                         model::coordinate_difference(joint, q, joint.spring.rest), 0, in.h);
  Effort out;
  if (role == Role::friction) {
    out.lo = -joint.friction;
    out.hi = joint.friction;
    return out;
  }
  out.impulse_per_rate = joint.armature;  // (E874)
  out.target = free_rate(model, poses, joint, *in.v);
  return out;
}

}  // namespace

void add_drives(const Model& model, std::span<const Pose> poses, std::span<const Pose> poses_end,
                const ProblemLayout& layout, const DriveInputs& in, Problem& problem,
                std::vector<DriveRow>& drives) {
  CAIRN_DCHECK(in.h > 0, in.h);
  drives.clear();
  for (const Role role : {Role::drive, Role::friction, Role::spring, Role::rotor})
    for (std::size_t i = 0; i < model.joints.size(); ++i) {
      const Joint& joint = model.joints[i];
      if (!has_role(joint, role)) continue;
      const auto id = static_cast<JointId>(i);
      Constraint c;
      if (!coordinate_row(model, poses, layout, id, c)) continue;
      const double lever = model::is_angle(joint) ? model.length_unit : 1;
      const Effort effort = effort_of(model, poses, id, role, in);
      const double unit = in.h / (lever * problem.units.impulse());
      DriveRow row;
      row.motion = prescribed_coordinate_rate(model, poses, poses_end, joint, in.h, in.motion);
      row.target = lever * effort.target;
      row.drag = effort.drag / (lever * lever);
      const bool bounded = std::isfinite(effort.hi);
      c.law = bounded ? Law::box : Law::equality;
      c.key = coordinate_key(id, role);
      if (bounded) {
        c.lo = effort.lo * unit;
        c.hi = effort.hi * unit;
      }
      if (effort.impulse_per_rate > 0)
        c.compliance[0] = lever * lever / effort.impulse_per_rate * problem.units.mass;
      c.b[0] = (row.motion - row.target) / problem.units.speed();
      drives.push_back(row);
      problem.first_row.push_back(problem.first_row.back() + 1);
      problem.constraints.push_back(std::move(c));
    }
}

double rotor_energy(const Model& model, std::span<const Pose> poses, const VecX& v) {
  double sum = 0;
  for (const Joint& joint : model.joints) {
    if (!(joint.armature > 0)) continue;
    const double rate = free_rate(model, poses, joint, v);
    sum += 0.5 * joint.armature * rate * rate;
  }
  return sum;
}

}  // namespace cairn::constrain
