// Prescribed motion as a rigid velocity field that a free body can follow (E440).
#pragma once

#include <span>

#include "cairn/contact.hpp"
#include "cairn/model.hpp"

namespace cairn::constrain {

// Velocity of the contact point of b relative to a that prescribed motion causes, in the world: of
// the body that would move with the prescribed one as if fixed to it, where both have flat faces;
// else of the material point [m/s].
Vec3 carried_velocity(const Model& model, std::span<const Pose> poses,
                      std::span<const Pose> poses_end, const Contact& contact, double h);

}  // namespace cairn::constrain
