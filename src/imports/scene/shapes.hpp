// Shapes and materials of the scene format.
#pragma once

#include "imports/messages.hpp"
#include "imports/scene/nodes.hpp"

namespace cairn::imports {

// What touches, or what is drawn alone: "visual" of a body.
enum class ShapeUse : std::uint8_t { contact, drawn };

// Null (an object without "type") after an error. `X_HB` moves it into the frame of its host.
json::Node shape_node(const ImportedShape& shape, const Pose& X_HB,
                      const std::vector<std::string>& materials, const std::string& output_folder,
                      ShapeUse use, Messages& messages);

// The table of materials and, by surface, their names.
json::Node material_nodes(const Robot& robot, std::vector<std::string>& names, Messages& messages);

}  // namespace cairn::imports
