// cairn schema: the JSON Schema of scene files.
#include "cairn/scene.hpp"
#include "commands/commands.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {

int schema() {
  print(scene_schema() + "\n");
  return exit_ok;
}

}  // namespace cairn::app
