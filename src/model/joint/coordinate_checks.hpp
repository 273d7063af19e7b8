// Checks of what acts along the coordinate of a joint: limits, dry friction, motor, spring,
// rotor.
#pragma once

#include <string>

#include "model/checks.hpp"
#include "model/joint/joint_kind.hpp"

namespace cairn::model {

// What a joint or one of its coordinates carries.
struct Carried {
  const JointLimits& limits;
  double friction = 0;  // [N m], [N]
  const std::optional<JointMotor>& motor;
  const JointSpring& spring;
  double armature = 0;  // [kg m^2], [kg]

  bool any() const {
    return limits.any() || friction != 0 || motor || spring.any() || armature != 0;
  }
};
inline Carried carried(const JointDescription& d) {
  return {d.limits, d.friction, d.motor, d.spring, d.armature};
}
inline Carried carried(const CoordinateDescription& d) {
  return {d.limits, d.friction, d.motor, d.spring, d.armature};
}

// Records errors and returns false where what is carried makes no sense. `start`: the coordinate in
// the initial configuration [rad], [m].
bool check_carried(const Carried& carried, CoordinateKind kind, double start,
                   const std::string& path, Checks& checks);

// A joint without a coordinate carries nothing; `type`: its name.
bool check_carries_nothing(const Carried& carried, const std::string& type,
                           const std::string& remedy, const std::string& path, Checks& checks);

}  // namespace cairn::model
