// SDFormat: the format of Gazebo and Drake.
#pragma once

#include "cairn/scene.hpp"
#include "imports/messages.hpp"
#include "imports/robot.hpp"

namespace cairn::imports {

// Faults go to `messages`. `root` gets the models that its <include> elements name.
Robot read_sdf(Element& root, const std::string& file, const ImportOptions& options,
               Messages& messages);

}  // namespace cairn::imports
