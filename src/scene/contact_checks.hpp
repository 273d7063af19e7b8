// Pairs of shapes that can meet and have no contacts.
#pragma once

#include "cairn/scene.hpp"
#include "model/checks.hpp"

namespace cairn::scene {

// Errors for pairs of shapes without a contact function, and for planar shapes in planes that
// differ, on bodies that may touch: different ones, at least one of them free to move, not listed
// in no_contact. Each pair of types is reported once. Paths are those of the builder.
void check_contacts(const Model& model, const State& initial,
                    const std::vector<BodyDescription>& bodies, model::Checks& checks);

}  // namespace cairn::scene
