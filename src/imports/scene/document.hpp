// A robot as a document of the scene format.
#pragma once

#include "base/json/document.hpp"
#include "cairn/scene.hpp"
#include "imports/messages.hpp"
#include "imports/robot.hpp"

namespace cairn::imports {

// Nodes have the places of the model file where it is the first of the import. Faults go to
// `messages`.
json::Node scene_document(Robot& robot, const ImportOptions& options, Messages& messages);

}  // namespace cairn::imports
