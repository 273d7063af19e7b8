// Which files scenes of the command line may name, and where parts of meshes are kept.
#pragma once

#include <string>
#include <vector>

#include "cairn/scene.hpp"

namespace cairn::app {

// The folders of --allow-path. Parts are kept in $CAIRN_CACHE, not at all if that is "off" or
// empty; else in $XDG_CACHE_HOME/cairn or ~/.cache/cairn.
FileAccess file_access(const std::vector<std::string>& allowed);

}  // namespace cairn::app
