// Where the files are that a model names.
#pragma once

#include <string>

#include "cairn/scene.hpp"
#include "imports/messages.hpp"

namespace cairn::imports {

// The file that `name` of an attribute means: package://NAME/REST, model://, file://, or a path
// relative to `folder`. Packages are looked for among the options, in ROS_PACKAGE_PATH and
// AMENT_PREFIX_PATH, and in the folders above the model. Empty after an error.
std::string find_file(const std::string& name, const std::string& folder,
                      const ImportOptions& options, const Element& element,
                      const std::string& attribute, Messages& messages);

}  // namespace cairn::imports
