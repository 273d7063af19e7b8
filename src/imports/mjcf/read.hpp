// MJCF: the format of MuJoCo.
#pragma once

#include "cairn/scene.hpp"
#include "imports/messages.hpp"
#include "imports/robot.hpp"

namespace cairn::imports {

// Faults go to `messages`. `root` gets what its <include> elements name, and its copies of
// <replicate>.
Robot read_mjcf(Element& root, const std::string& file, const ImportOptions& options,
                Messages& messages);

}  // namespace cairn::imports
