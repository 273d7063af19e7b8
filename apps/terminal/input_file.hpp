// A file that the user names: what is wrong with it before anyone reads it.
#pragma once

#include <string>

#include "cairn/error.hpp"

namespace cairn::app {

// Fails where the file is missing, with the name in its folder that is nearest, where it is a
// folder or may not be read. `kind` says what was wanted, such as "scene file".
Result<void> check_input(const std::string& file, const std::string& kind);

}  // namespace cairn::app
