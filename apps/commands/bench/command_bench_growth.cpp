// cairn bench growth, cairn bench decades: what a packing of spheres costs with its size and with
// the accuracy; a table, JSON, a chart.
#include <fmt/format.h>

#include "bench/growth.hpp"
#include "commands/commands.hpp"
#include "page/plot.hpp"
#include "record/run/files.hpp"
#include "terminal/cpu_clock.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

Json growth_json(const bench::Cost& cost) {
  return {{"bodies", cost.bodies},
          {"contacts", cost.contacts},
          {"tolerance", cost.level},
          {"certified", cost.solved},
          {"ms", cost.ms},
          {"residual", cost.residual},
          {"iterations", cost.iterations}};
}

constexpr const char* heading =
    "    bodies  contacts  tolerance          ms  us/contact  iterations  residual\n";

std::string growth_text(const bench::Cost& cost) {
  return fmt::format("  {:>8}  {:>8}  {:>9.0e}  {:>10.3g}  {:>10.3g}  {:>10}  {:>8.1e}{}\n",
                     cost.bodies, cost.contacts, cost.level, cost.ms, 1e3 * cost.ms / cost.contacts,
                     cost.iterations, cost.residual, cost.solved ? "" : "  NOT CERTIFIED");
}

// Both axes are logarithmic.
int write_chart(page::PlotOptions chart, const std::vector<page::Curve>& curves,
                const std::string& file) {
  if (file.empty()) return exit_ok;
  chart.log_x = chart.log_y = chart.dots = true;
  const Result<void> written = record::write_file(file, page::plot_file(chart, curves));
  return written ? exit_ok : report(written.error());
}

}  // namespace

int bench_growth(const GrowthOptions& options) {
  constexpr double levels[] = {1e-2, 1e-3};
  Json json = Json::array();
  std::vector<page::Curve> curves;
  for (const double level : levels) curves.push_back({fmt::format("to {:.0e}", level), {}});
  if (!options.json) print(heading);
  for (const int side : bench::growing_sides(options.most)) {
    const bench::Packing packing = bench::settled_spheres(side, 80, 1, 1e-3);
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const bench::Cost result = bench::cost(packing, levels[i], thread_seconds);
      if (result.solved) curves[i].points.emplace_back(result.contacts, result.ms);
      if (options.json)
        json.push_back(growth_json(result));
      else
        print(growth_text(result));
    }
  }
  if (options.json) print(text(json));
  return write_chart(
      {.title = "One step of a settled packing, warm", .x = "contacts", .y = "CPU ms"}, curves,
      options.out);
}

int bench_decades(const GrowthOptions& options) {
  constexpr int side = 10, falling = 40, settled = 80;  // steps of 0.01 s
  Json json;
  std::vector<page::Curve> curves;
  const auto measure = [&](const std::string& label, const bench::Packing& packing) {
    curves.push_back({label, {}});
    if (!options.json) print(fmt::format("{}\n{}", label, heading));
    for (const bench::Cost& each : bench::cost_of_decades(packing, thread_seconds)) {
      if (each.solved) curves.back().points.emplace_back(each.level, each.ms);
      if (options.json)
        json[label].push_back(growth_json(each));
      else
        print(growth_text(each));
    }
  };
  for (int seed = 1; seed <= options.packings; ++seed)
    measure(fmt::format("settled {}", seed),
            bench::settled_spheres(side, settled, static_cast<std::uint64_t>(seed), 1e-4));
  measure("falling 1", bench::settled_spheres(side, falling, 1, 1e-4));
  measure("settled 1, relaxed law", bench::relaxed(bench::settled_spheres(side, settled, 1, 1e-4)));
  if (options.json) print(text(json));
  return write_chart({.title = "One step of 1000 spheres, warm: the cost of each decade",
                      .x = "scaled residual",
                      .y = "CPU ms",
                      .x_falls = true},
                     curves, options.out);
}

}  // namespace cairn::app
