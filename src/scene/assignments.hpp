// Assignments of the command line, such as --set simulation.step=0.01, applied to a document before
// it is read.
#pragma once

#include <string>
#include <vector>

#include "base/json/document.hpp"

namespace cairn::scene {

// Which assignments are applied: those to `include` come before files are included, the others
// after it.
enum class AssignmentPart { to_includes, to_others };

// In the given order. The value is JSON or, failing that, a string. Missing keys are made, missing
// elements are errors.
Result<void> apply_assignments(const std::vector<std::string>& assignments, AssignmentPart part,
                               json::Node& root);

}  // namespace cairn::scene
