// cairn bench verdict: what the checks of the verdict cost on scenes; a table or JSON.
#include <fmt/format.h>

#include "bench/verdict_cost.hpp"
#include "commands/commands.hpp"
#include "runs/file_access.hpp"
#include "terminal/cpu_clock.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {

int bench_verdict(const VerdictBenchOptions& options) {
  Json json = Json::array();
  for (const std::string& file : options.scenes) {
    const Result<Scene> scene =
        load_scene(file, options.assignments, {}, file_access(options.allowed));
    if (!scene) return report(scene.error());
    const bench::VerdictCost cost =
        bench::verdict_cost(*scene, options.skip, options.steps, thread_seconds);
    Json& entry = json.emplace_back(Json{{"scene", cost.scene},
                                         {"steps", cost.steps},
                                         {"contacts", cost.contacts},
                                         {"step_ms", cost.step_ms},
                                         {"refused", cost.refused},
                                         {"checks", Json::array()}});
    std::string table = fmt::format(
        "{}: {} steps, {:.0f} contacts, {:.3g} ms a step\n  {:<24} {:>10} {:>10} {:>12}\n",
        cost.scene, cost.steps, cost.contacts, cost.step_ms, "check", "ms a step", "share",
        "us a contact");
    for (const bench::CheckCost& c : cost.checks) {
      entry["checks"].push_back(
          {{"check", c.name}, {"ms", c.ms}, {"share", c.share}, {"us_per_contact", c.per_contact}});
      table += fmt::format("  {:<24} {:>10.4f} {:>9.2f}% {:>12.4f}\n", c.name, c.ms, 100 * c.share,
                           c.per_contact);
    }
    if (cost.refused > 0)
      table += fmt::format("  {:.1f} % of the steps are not accepted\n", 100 * cost.refused);
    if (!options.json) print(table);
  }
  if (options.json) print(text(json));
  return exit_ok;
}

}  // namespace cairn::app
