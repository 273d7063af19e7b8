// What is accepted, but not in silence: bodies that start inside each other, steps that are long
// for the bodies.
#pragma once

#include "cairn/scene.hpp"

namespace cairn::app {

// Adds the warnings that need the whole model in its initial state; an error where it cannot be
// meant.
Result<void> add_start_warnings(Scene& scene);

}  // namespace cairn::app
