// A force from outside the model, such as that of a hand: what the caller of a simulator may change
// from step to step.
#pragma once

#include "cairn/ids.hpp"
#include "cairn/math.hpp"

namespace cairn {

struct ExternalForce {
  BodyId body{};               // a dynamic body; on others it does nothing
  Vec3 force = Vec3::Zero();   // in the world, constant within a step [N]
  Vec3 torque = Vec3::Zero();  // about the centre of mass, in the world [N m]
  Vec3 point = Vec3::Zero();   // where the force acts: from the centre of mass, in the body frame,
                               // at the beginning of the step [m]
};

}  // namespace cairn
