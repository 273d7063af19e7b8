// Generators: many like bodies from one template.
#pragma once

#include <string>

#include "scene/document.hpp"
#include "scene/fields.hpp"
#include "scene/read_model.hpp"

namespace cairn {

// Appends the bodies and joints of one entry of "generate".
void generate(const Node& node, const std::string& path, ReadModel& out, SceneErrors& errors);

}  // namespace cairn
