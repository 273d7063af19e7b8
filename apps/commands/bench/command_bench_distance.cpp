// cairn bench distance: CPU time of the ratio metric over the number of facets; a table, JSON, a
// chart.
#include <fmt/format.h>

#include "bench/distance.hpp"
#include "commands/bench/rival_ccd.hpp"
#include "commands/commands.hpp"
#include "page/plot.hpp"
#include "record/run/files.hpp"
#include "terminal/cpu_clock.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

Json distance_json(const bench::DistanceCost& cost) {
  Json json = {{"shape", cost.shape},
               {"facets", cost.facets},
               {"pivots_cold", cost.pivots_cold},
               {"pivots_warm", cost.pivots_warm},
               {"evaluations_warm", cost.evaluations_warm}};
  for (const auto& [name, us] : cost.us) json["us"][name] = us;
  return json;
}

std::string distance_text(const bench::DistanceCost& cost) {
  std::string text = fmt::format("  {:<10}  {:>6}", cost.shape, cost.facets);
  for (const auto& each : cost.us) text += fmt::format("  {:>14.3f}", each.second);
  return text + fmt::format("  {:>11.2f}  {:>11.2f}  {:>11.0f}\n", cost.pivots_cold,
                            cost.pivots_warm, cost.evaluations_warm);
}

}  // namespace

int bench_distance(const DistanceOptions& options) {
  const std::vector<bench::DistanceRival> rivals = ccd_rivals();
  const std::vector<bench::DistanceCost> costs = bench::distance_costs(rivals, thread_seconds);
  Json json = {{"libccd", !rivals.empty()}, {"costs", Json::array()}};
  std::vector<page::Curve> curves;
  for (const auto& each : costs.front().us) curves.push_back({each.first, {}});
  std::string table = fmt::format("  {:<10}  {:>6}", "us a query", "facets");
  for (const page::Curve& curve : curves) table += fmt::format("  {:>14}", curve.label);
  table += "  pivots cold  pivots warm  facets warm\n";
  for (const bench::DistanceCost& cost : costs) {
    json["costs"].push_back(distance_json(cost));
    table += distance_text(cost);
    for (std::size_t i = 0; i < curves.size(); ++i)
      curves[i].points.emplace_back(cost.facets, cost.us[i].second);
  }
  if (rivals.empty()) table += "libccd was not there when this program was built: left out\n";
  print(options.json ? text(json) : table);
  if (options.out.empty()) return exit_ok;
  const Result<void> written = record::write_file(
      options.out, page::plot_file({.title = "Ratio metric of two hulls in contact",
                                    .x = "facets of each hull",
                                    .y = "CPU us a query",
                                    .log_x = true,
                                    .log_y = true,
                                    .dots = true},
                                   curves));
  return written ? exit_ok : report(written.error());
}

}  // namespace cairn::app
