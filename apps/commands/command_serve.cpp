// cairn view --serve: simulates a scene and shows it in the browser, where it is played with.
#include <cstdio>
#include <fmt/format.h>

#include "cairn/scene.hpp"
#include "commands/commands.hpp"
#include "runs/file_access.hpp"
#include "runs/start_warnings.hpp"
#include "serve/server.hpp"
#include "terminal/input_file.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

std::string serve_text(const Scene& scene, const serve::Gate& gate) {
  return fmt::format(
      "live         {}\n"
      "scene        {}, {} bodies, paused\n"
      "             open the address in a browser on this machine; Ctrl-C ends it\n",
      gate.address(), printable(scene.name), scene.model->bodies.size());
}

}  // namespace

int serve(const ViewOptions& options) {
  const Result<void> input = check_input(options.input, "scene file");
  if (!input) return report(input.error());
  Result<Scene> scene =
      load_scene(options.input, options.assignments, options.import, file_access(options.allowed));
  if (!scene) return report(scene.error());
  if (const Result<void> start = add_start_warnings(*scene); !start) return report(start.error());
  for (const std::string& warning : scene->warnings) warn("warning: " + printable(warning));
  const Result<std::unique_ptr<serve::Server>> server = serve::Server::start(*scene, options.port);
  if (!server) return report(server.error());
  const serve::Gate& gate = (*server)->gate();
  watch_signals();
  print(options.json ? text(Json{{"address", gate.address()}, {"port", gate.port}})
                     : serve_text(*scene, gate));
  std::fflush(stdout);  // whoever started us in a pipe waits for the address
  (*server)->serve([] { return received_signal() != 0; });
  return exit_signal + received_signal();
}

}  // namespace cairn::app
