// What the user is told of a recording that stops early or is damaged.
#pragma once

#include <string>

#include "record/trace/trace_walk.hpp"

namespace cairn::app {

// Warns of a recording that stops early, reports a damaged one; returns the exit code.
int tell_ending(const std::string& trace, const record::TraceWalk::Ending& ending);

}  // namespace cairn::app
