// Prescribed motion as a velocity field that free bodies can follow (E440, E600).
#pragma once

#include <span>

#include "cairn/contact.hpp"
#include "cairn/model.hpp"

namespace cairn::constrain {

// Faces, edges and corners alone meet: the contact point does not travel while it sticks.
bool is_flat_contact(const Model& model, const ContactKey& key);

// Velocity of the contact point of b relative to a that prescribed motion causes, in the world: of
// the body that would move with the prescribed one as if fixed to it, where both have flat faces;
// else of the material point [m/s].
Vec3 carried_velocity(const Model& model, std::span<const Pose> poses,
                      std::span<const Pose> poses_end, const Contact& contact, double h);

// Velocity of `point` in the screw motion that leads from one pose to the other in the time h
// (E600); beyond a turn of a quarter of a radian that of its chord [m/s].
Vec3 screw_velocity(const Pose& from, const Pose& to, const Vec3& point, double h);

// The same of a contact point, as in carried_velocity [m/s].
Vec3 screw_velocity(const Model& model, std::span<const Pose> poses,
                    std::span<const Pose> poses_end, const Contact& contact, double h);

}  // namespace cairn::constrain
