// Drawn meshes as text: corners rounded to 2^16 steps of their box, compressed, as base64.
#pragma once

#include <memory>

#include "base/json/document.hpp"
#include "cairn/model.hpp"
#include "scene/fields.hpp"

namespace cairn::scene {

// The object under the mesh's name in "meshes". Points that no triangle uses are left out.
json::Node write_drawn_mesh(const DrawnMesh& mesh);

// Null after an error. Reading and writing again gives the same text.
std::shared_ptr<const DrawnMesh> read_drawn_mesh(const std::string& name, const json::Node& node,
                                                 const std::string& path, SceneErrors& errors);

}  // namespace cairn::scene
