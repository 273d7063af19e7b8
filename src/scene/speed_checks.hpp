// Bodies that move too far in a step.
#pragma once

#include "cairn/scene.hpp"
#include "model/checks.hpp"

namespace cairn::scene {

// Errors for bodies whose initial velocity, or the one that gravity adds in the first step,
// is so fast that their positions and angles no longer resolve their size: contacts, impacts and
// energies of such a step are rounding. Paths are those of the builder.
void check_speeds(const Model& model, double step, const std::vector<BodyDescription>& bodies,
                  model::Checks& checks);

}  // namespace cairn::scene
