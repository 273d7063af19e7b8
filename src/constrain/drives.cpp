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

Bounds bounds_of(const Joint& joint, Role role, double t, double h) {
  if (role == Role::friction) return {-joint.friction, joint.friction, 0};
  const JointMotor& motor = *joint.motor;
  if (motor.velocity) return {-motor.max_effort, motor.max_effort, (*motor.velocity)(t + h)};
  const double effort = motor.effort(t);
  return {effort, effort, 0};
}

}  // namespace

void add_drives(const Model& model, std::span<const Pose> poses, std::span<const Pose> poses_end,
                const ProblemLayout& layout, double t, double h, PrescribedMotion motion,
                Problem& problem, std::vector<DriveRow>& drives) {
  CAIRN_DCHECK(h > 0, h);
  drives.clear();
  for (const Role role : {Role::drive, Role::friction})
    for (std::size_t i = 0; i < model.joints.size(); ++i) {
      const Joint& joint = model.joints[i];
      if (role == Role::drive ? !joint.motor : !(joint.friction > 0)) continue;
      const model::JointCoordinate q = model::joint_coordinate(poses, joint);
      const bool turns = model::is_angle(joint);
      const double lever = turns ? model.length_unit : 1;
      Constraint c;
      c.law = Law::box;
      c.rows = 1;
      c.key = coordinate_key(static_cast<JointId>(i), role);
      DriveRow row;
      bool moves = false;
      for (std::size_t side = 0; side < 2; ++side) {
        const double sign = side == 0 ? -1 : 1;
        const BodyId id = joint.bodies[side];
        c.body[side] = id == BodyId::world ? -1 : layout.body[index(id)];
        std::fill(c.J[side][0], c.J[side][0] + max_velocities, 0.0);
        if (id == BodyId::world) continue;
        const Body& body = model.body(id);
        if (body.kind == BodyKind::prescribed)
          row.motion +=
              sign * lever *
              prescribed_rate(poses, poses_end, id, q.point_W, q.axis_W, turns, h, motion);
        if (c.body[side] < 0) continue;
        if (turns)
          spin_row(model, body, poses[index(id)], q.axis_W, sign, c.J[side][0]);
        else
          unit_row(model, body, poses[index(id)], q.point_W, q.axis_W, sign, c.J[side][0]);
        moves = moves || std::any_of(c.J[side][0], c.J[side][0] + body.velocities,
                                     [](double x) { return std::abs(x) > still; });
      }
      if (!moves) continue;
      const Bounds bounds = bounds_of(joint, role, t, h);
      const double unit = h / (lever * problem.units.impulse());
      row.target = lever * bounds.target;
      c.lo = bounds.lo * unit;
      c.hi = bounds.hi * unit;
      c.b[0] = (row.motion - row.target) / problem.units.speed();
      drives.push_back(row);
      problem.first_row.push_back(problem.first_row.back() + 1);
      problem.constraints.push_back(std::move(c));
    }
}

}  // namespace cairn::constrain
