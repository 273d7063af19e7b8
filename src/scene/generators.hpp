// Generators: many like bodies from one template.
#pragma once

#include <string>

#include "base/json/document.hpp"
#include "scene/fields.hpp"
#include "scene/read_model.hpp"

namespace cairn::scene {

// Whether the entries of "generate", with the bodies that are there, make a scene of a size that is
// allowed; otherwise an error. Looks at their counts alone.
bool can_generate(const json::Node& list, std::size_t bodies, SceneErrors& errors);

// Appends the bodies and joints of one entry of "generate".
void generate(const json::Node& node, const std::string& path, ReadModel& out, SceneErrors& errors);

}  // namespace cairn::scene
