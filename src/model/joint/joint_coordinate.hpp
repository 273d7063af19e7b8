// The coordinate of a joint (E760, E881): how far the second body has turned about the axis, or
// moved along it, since the start; of a rope the distance of the anchors.
#pragma once

#include <span>

#include "model/joint/joint_kind.hpp"

namespace cairn::model {

struct JointCoordinate {
  double value = 0;  // [rad], [m]
  Vec3 axis_W = Vec3::UnitZ();
  Vec3 point_W = Vec3::Zero();  // where the second body is held: rates are those of its points here
};

inline bool has_coordinate(const Joint& joint) {
  return kind_of(joint.type).coordinate.has_value();
}
inline bool is_driven(const Joint& joint) {
  return joint.motor.has_value() || joint.friction > 0 || joint.spring.any() || joint.armature > 0;
}
inline bool is_angle(const Joint& joint) {
  return kind_of(joint.type).coordinate == CoordinateKind::angle;
}

// Of a joint that has one. Angles are those within half a turn of the middle of the joint's range,
// or of the start.
JointCoordinate joint_coordinate(std::span<const Pose> poses, const Joint& joint);

// a - b of two values of the coordinate; angles within half a turn.
double coordinate_difference(const Joint& joint, double a, double b);

// The sum of ratio times coordinate over the terms of a gear (E871), and how far it is from that of
// the start, whole turns of free angles apart [rad] or [m].
double gear_sum(const Model& model, std::span<const Pose> poses, const Gear& gear);
double gear_error(const Model& model, std::span<const Pose> poses, const Gear& gear);

// Energy of the springs along the coordinates of joints (E872) [J].
double joint_spring_energy(const Model& model, std::span<const Pose> poses);

// How far the coordinate is beyond its range, >= 0 [rad], [m].
double limit_excess(std::span<const Pose> poses, const Joint& joint);

}  // namespace cairn::model
