#include "model/joint/joint_coordinate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/conventions.hpp"

namespace cairn::model {

static constexpr double full = 2 * std::numbers::pi;

JointCoordinate joint_coordinate(std::span<const Pose> poses, const Joint& joint) {
  CAIRN_DCHECK(has_coordinate(joint), joint.name);
  const auto pose_of = [&](BodyId id) { return id == BodyId::world ? Pose{} : poses[index(id)]; };
  const Pose A = pose_of(joint.bodies[0]), B = pose_of(joint.bodies[1]);
  JointCoordinate q;
  q.axis_W = A.R * joint.axes[0];
  q.point_W = B * joint.anchors[1];
  const Vec3 between = q.point_W - A * joint.anchors[0];
  const CoordinateKind kind = *kind_of(joint.type).coordinate;
  if (kind == CoordinateKind::distance) {
    q.value = between.norm();
    if (q.value > 0) q.axis_W = between / q.value;
    return q;
  }
  if (kind == CoordinateKind::displacement) {
    q.value = q.axis_W.dot(between);
    return q;
  }
  const Quat turn = A.R.conjugate() * B.R * joint.R_AB.conjugate();
  q.value = 2 * std::atan2(turn.vec().dot(joint.axes[0]), turn.w());
  const double middle =
      joint.limits.any() ? 0.5 * joint.limits.lower + 0.5 * joint.limits.upper : 0;
  q.value -= full * std::round((q.value - middle) / full);
  return q;
}

double coordinate_difference(const Joint& joint, double a, double b) {
  const double d = a - b;
  return is_angle(joint) ? d - full * std::round(d / full) : d;
}

double gear_sum(const Model& model, std::span<const Pose> poses, const Gear& gear) {
  double sum = 0;
  for (const GearTerm& term : gear.terms)
    sum += term.ratio * joint_coordinate(poses, model.joints[index(term.joint)]).value;
  return sum;
}

double gear_error(const Model& model, std::span<const Pose> poses, const Gear& gear) {
  const double error = gear_sum(model, poses, gear) - gear.sum;
  return gear.period > 0 ? error - gear.period * std::round(error / gear.period) : error;
}

double joint_spring_energy(const Model& model, std::span<const Pose> poses) {
  double sum = 0;
  for (const Joint& joint : model.joints) {
    if (!(joint.spring.stiffness > 0)) continue;
    const double stretch =
        coordinate_difference(joint, joint_coordinate(poses, joint).value, joint.spring.rest);
    sum += 0.5 * joint.spring.stiffness * stretch * stretch;
  }
  return sum;
}

double limit_excess(std::span<const Pose> poses, const Joint& joint) {
  if (!joint.limits.any()) return 0;
  const double value = joint_coordinate(poses, joint).value;
  return std::max({0.0, joint.limits.lower - value, value - joint.limits.upper});
}

}  // namespace cairn::model
