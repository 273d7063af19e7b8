// <include> of SDFormat: models in files of their own.
#pragma once

#include <map>
#include <string>

#include "cairn/scene.hpp"
#include "imports/messages.hpp"

namespace cairn::imports {

// Replaces every <include> below `parent` by the <model> of its file, with the name, pose, static
// and placement frame that the include gives it. Returns the versions of the included files by
// their numbers.
std::map<int, std::string> include_models(Element& parent, const std::string& file,
                                          const ImportOptions& options, Messages& messages);

}  // namespace cairn::imports
