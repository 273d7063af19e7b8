// cairn bench filter: two plates cut into triangles, with and without the contact filter; a table
// or JSON.
#include <fmt/format.h>

#include "bench/plates.hpp"
#include "commands/commands.hpp"
#include "terminal/cpu_clock.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {

int bench_filter(const FilterOptions& options) {
  const std::vector<bench::PlateCost> costs = bench::plate_costs(thread_seconds);
  Json json = Json::array();
  std::string table =
      "  plates      filter  contacts  detect ms  solve ms  step ms  certificate  without / with\n";
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const bench::PlateCost& c = costs[i];
    json.push_back({{"motion", c.motion},
                    {"filter", c.filter},
                    {"contacts", c.contacts},
                    {"detect_ms", c.detect},
                    {"solve_ms", c.solve},
                    {"step_ms", c.total},
                    {"certificate", c.worst},
                    {"position", {c.position.x(), c.position.y(), c.position.z()}}});
    table +=
        fmt::format("  {:<10}  {:<6}  {:>8.1f}  {:>9.3f}  {:>8.3f}  {:>7.3f}  {:>11.1e}", c.motion,
                    c.filter ? "on" : "off", c.contacts, c.detect, c.solve, c.total, c.worst);
    if (c.filter)
      table += fmt::format("  {:.0f}x contacts, {:.1f}x time", costs[i - 1].contacts / c.contacts,
                           costs[i - 1].total / c.total);
    table += '\n';
  }
  print(options.json ? text(json) : table);
  return exit_ok;
}

}  // namespace cairn::app
