// Limits of joints as contacts (E761): the ends of a coordinate's range, with the axis as normal
// and the way to the end as gap.
#pragma once

#include <span>
#include <vector>

#include "cairn/contact.hpp"
#include "cairn/model.hpp"

namespace cairn::collide {

// The limit of that key, which the model has, at `poses`.
Contact limit_contact(const Model& model, std::span<const Pose> poses, const ContactKey& key);

// All limits, in the order of their keys, before the other contacts.
void add_limits(const Model& model, std::span<const Pose> poses, std::vector<Contact>& contacts);

}  // namespace cairn::collide
