#include "runs/trace_ending.hpp"

#include <fmt/format.h>

#include "commands/commands.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {

int tell_ending(const std::string& trace, const record::TraceWalk::Ending& ending) {
  if (ending.event == TraceEvent::truncated)
    warn(
        fmt::format("warning: {}: the recording stops early; {} bytes after its last complete "
                    "frame are lost",
                    printable(trace), ending.dropped_bytes));
  if (ending.event != TraceEvent::corrupt) return exit_ok;
  warn(
      fmt::format("error: {}: damaged {}; only the frames before were used; fix: run the scene "
                  "again",
                  printable(trace), printable(ending.reason)));
  return exit_input;
}

}  // namespace cairn::app
