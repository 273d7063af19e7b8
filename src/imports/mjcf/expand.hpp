// Includes and replicas of an MJCF file.
#pragma once

#include "imports/messages.hpp"

namespace cairn::imports {

// Replaces <include> by what the files hold, <replicate> by <frame> elements with copies, and what
// refers to replicated names by one copy for each.
void expand_mjcf(Element& root, const std::string& file, Messages& messages);

}  // namespace cairn::imports
