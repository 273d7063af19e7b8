// What `cairn run --resume DIR` finds in the folder.
#pragma once

#include <optional>

#include "cairn/scene.hpp"
#include "cairn/trace.hpp"
#include "commands/commands.hpp"

namespace cairn::app {

struct Unfinished {
  Scene scene;
  Checkpoint checkpoint;
};

// The run to go on with; nothing if it is finished already. A scene on the command line must be
// that of the run; without one the checkpoint has it.
Result<std::optional<Unfinished>> find_unfinished(const RunOptions& options);

}  // namespace cairn::app
