// The trace that a user means by a file or by the folder of a run.
#pragma once

#include <string>

#include "cairn/error.hpp"

namespace cairn::app {

// The trace in a folder of a run: the finished one, or the one that grows.
Result<std::string> find_trace(const std::string& input);

}  // namespace cairn::app
