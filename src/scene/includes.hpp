// Scenes and models that a scene includes.
#pragma once

#include <functional>

#include "cairn/scene.hpp"
#include "scene/fields.hpp"

namespace cairn::scene {

using LoadIncluded = std::function<Result<Scene>(const std::string&, const ImportOptions&)>;

// Adds bodies, joints, forces, pairs and materials of the files under "include" to the document,
// under their prefixes and moved to their places, and removes "include". What it adds has the place
// of the entry.
void expand_includes(json::Node& root, const LoadIncluded& load, SceneErrors& errors,
                     std::vector<std::string>& warnings);

}  // namespace cairn::scene
