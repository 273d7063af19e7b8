#include "constrain/drives.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "model/joint_coordinate.hpp"

namespace cairn::constrain {
namespace {

struct Bounds {
  double lo = 0, hi = 0;  // of the effort [N m], [N]
  double target = 0;      // [rad/s], [m/s]
};

const MotorTarget* target_of(std::span<const MotorTarget> targets, JointId joint) {
  for (const MotorTarget& target : targets)
    if (target.joint == joint) return &target;
  return nullptr;
}

Bounds bounds_of(const Joint& joint, double coordinate, Role role, double t, double h,
                 const MotorTarget* target) {
  if (role == Role::friction) return {-joint.friction, joint.friction, 0};
  const JointMotor& motor = *joint.motor;
  const double what = target ? target->value : motor.what()(motor.keeps() ? t + h : t);
  if (!motor.keeps()) return {what, what, 0};
  if (motor.velocity) return {-motor.max_effort, motor.max_effort, what};
  const double rate = model::coordinate_difference(joint, what, coordinate) / h;
  return {-motor.max_effort, motor.max_effort,
          std::clamp(rate, -motor.max_velocity, motor.max_velocity)};
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

namespace {

// Rate of a coordinate by the motion of prescribed bodies [m/s, angles as lengths].
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

}  // namespace

void add_drives(const Model& model, std::span<const Pose> poses, std::span<const Pose> poses_end,
                const ProblemLayout& layout, double t, double h, PrescribedMotion motion,
                std::span<const MotorTarget> targets, Problem& problem,
                std::vector<DriveRow>& drives) {
  CAIRN_DCHECK(h > 0, h);
  drives.clear();
  for (const Role role : {Role::drive, Role::friction})
    for (std::size_t i = 0; i < model.joints.size(); ++i) {
      const Joint& joint = model.joints[i];
      if (role == Role::drive ? !joint.motor : !(joint.friction > 0)) continue;
      const auto id = static_cast<JointId>(i);
      Constraint c;
      if (!coordinate_row(model, poses, layout, id, c)) continue;
      const double lever = model::is_angle(joint) ? model.length_unit : 1;
      const Bounds bounds = bounds_of(joint, model::joint_coordinate(poses, joint).value, role, t,
                                      h, target_of(targets, id));
      const double unit = h / (lever * problem.units.impulse());
      DriveRow row;
      row.motion = prescribed_coordinate_rate(model, poses, poses_end, joint, h, motion);
      row.target = lever * bounds.target;
      c.law = Law::box;
      c.key = coordinate_key(id, role);
      c.lo = bounds.lo * unit;
      c.hi = bounds.hi * unit;
      c.b[0] = (row.motion - row.target) / problem.units.speed();
      drives.push_back(row);
      problem.first_row.push_back(problem.first_row.back() + 1);
      problem.constraints.push_back(std::move(c));
    }
}

}  // namespace cairn::constrain
