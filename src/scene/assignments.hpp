// Assignments of the command line, such as --set simulation.step=0.01, applied to a document before
// it is read.
#pragma once

#include <string>
#include <vector>

#include "base/json/document.hpp"

namespace cairn::scene {

// In the given order. The value is JSON or, failing that, a string. Missing keys are made, missing
// elements are errors.
Result<void> apply_assignments(const std::vector<std::string>& assignments, json::Node& root);

}  // namespace cairn::scene
