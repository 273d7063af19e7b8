// cairn order: runs a scene with h, h/2, h/4, ... and prints the orders that show.
#include <cmath>
#include <fmt/format.h>

#include "bench/order.hpp"
#include "commands/commands.hpp"
#include "page/plot.hpp"
#include "record/run/files.hpp"
#include "runs/file_access.hpp"
#include "runs/start_warnings.hpp"
#include "terminal/input_file.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

Json number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

// What was asked for the end of the run, and what was found.
struct EndError {
  double asked = 0;     // [m]; 0: nothing
  double estimate = 0;  // of the finest run [m]
  bool reached() const { return estimate <= asked; }
};

std::string order_json(const Scene& scene, const std::vector<bench::OrderRun>& runs,
                       const std::vector<bench::OrderRow>& rows, const EndError& end) {
  Json json;
  json["scene"] = scene.name;
  json["scheme"] = name(scene.simulation.scheme);
  json["runs"] = Json::array();
  for (const bench::OrderRun& run : runs)
    json["runs"].push_back({{"h", run.h},
                            {"events", run.events.size()},
                            {"joint_error", run.joint_error},
                            {"uncertified_steps", run.uncertified}});
  json["rows"] = Json::array();
  for (const bench::OrderRow& r : rows)
    json["rows"].push_back({{"h", r.h},
                            {"position", number(r.position)},
                            {"orientation", number(r.orientation)},
                            {"velocity", number(r.velocity)},
                            {"joint_error", number(r.joint)},
                            {"event_time", number(r.event)},
                            {"order",
                             {{"position", number(r.position_order)},
                              {"orientation", number(r.orientation_order)},
                              {"velocity", number(r.velocity_order)},
                              {"joint_error", number(r.joint_order)},
                              {"event_time", number(r.event_order)}}}});
  json["error_at_end"] = {{"h", runs.back().h}, {"estimate", number(end.estimate)}};
  if (end.asked > 0) {
    json["error_at_end"]["asked"] = end.asked;
    json["error_at_end"]["reached"] = end.reached();
  }
  return text(json);
}

std::string cell(double difference, double order) {
  if (!std::isfinite(difference)) return fmt::format("{:>11}{:>6}", "-", "");
  return fmt::format("{:>11.3e}{:>6}", difference,
                     std::isfinite(order) ? fmt::format("{:.2f}", order) : "");
}

std::string end_text(const bench::OrderRun& finest, const EndError& end) {
  std::string text = fmt::format("error at the end, estimated: {:.3g} m with h = {:.4g} s",
                                 end.estimate, finest.h);
  if (end.asked > 0)
    text += end.reached()
                ? fmt::format(", {:.3g} m asked for; --set simulation.step={}", end.asked, finest.h)
                : fmt::format(
                      ", NOT below the {:.3g} m asked for; allow more --halvings, or look "
                      "for events and orders that keep it from falling",
                      end.asked);
  return text + "\n";
}

std::string order_text(const Scene& scene, const std::vector<bench::OrderRow>& rows) {
  std::string text =
      fmt::format("{}, scheme {}: difference to the run with half the step, and its order\n",
                  printable(scene.name), name(scene.simulation.scheme));
  text += fmt::format("{:>11}{:>17}{:>17}{:>17}{:>17}{:>17}\n", "h [s]", "position [m]",
                      "turn [rad]", "velocity [m/s]", "joints [m]", "events [s]");
  for (const bench::OrderRow& r : rows)
    text +=
        fmt::format("{:>11.4g}{}{}{}{}{}\n", r.h, cell(r.position, r.position_order),
                    cell(r.orientation, r.orientation_order), cell(r.velocity, r.velocity_order),
                    cell(r.joint, r.joint_order), cell(r.event, r.event_order));
  return text;
}

std::string chart(const Scene& scene, const std::vector<bench::OrderRow>& rows) {
  std::vector<page::Curve> curves = {
      {"position [m]", {}}, {"velocity [m/s]", {}}, {"joints [m]", {}}, {"event times [s]", {}}};
  for (const bench::OrderRow& r : rows) {
    const double values[] = {r.position, r.velocity, r.joint, r.event};
    for (std::size_t i = 0; i < curves.size(); ++i)
      if (values[i] > 0) curves[i].points.emplace_back(r.h, values[i]);
  }
  std::erase_if(curves, [](const page::Curve& c) { return c.points.empty(); });
  return page::plot_file({.title = scene.name + ", scheme " + name(scene.simulation.scheme),
                          .x = "h [s]",
                          .y = "difference to h/2",
                          .log_x = true,
                          .log_y = true,
                          .dots = true},
                         curves);
}

}  // namespace

int order(const OrderOptions& options) {
  const Result<void> input = check_input(options.scene, "scene file");
  if (!input) return report(input.error());
  if (!options.out.empty())
    if (const Result<void> kept = record::check_input_is_kept(options.scene, options.out, "scene");
        !kept)
      return report(kept.error());
  Result<Scene> scene =
      load_scene(options.scene, options.assignments, {}, file_access(options.allowed));
  if (!scene) return report(scene.error());
  if (const Result<void> start = add_start_warnings(*scene); !start) return report(start.error());
  for (const std::string& warning : scene->warnings) warn("warning: " + printable(warning));
  watch_signals();
  std::vector<bench::OrderRun> runs;
  std::vector<bench::OrderRow> rows;
  EndError end{.asked = options.accuracy_at_end};
  const int order = bench::order_of(scene->simulation.scheme),
            halvings = end.asked > 0 && !options.halvings_given ? 16 : options.halvings;
  bool certified = true;
  for (int k = 0; k <= halvings; ++k) {
    runs.push_back(
        bench::order_run(*scene, std::ldexp(scene->simulation.step, -k), received_signal));
    if (received_signal() != 0) return exit_signal + received_signal();
    if (!runs.back().message.empty()) {
      warn(fmt::format("stopped with h = {}: {}", runs.back().h, printable(runs.back().message)));
      return exit_failed;
    }
    certified = certified && runs.back().uncertified == 0;
    rows = bench::order_table(*scene->model, runs);
    end.estimate = bench::error_at_end(rows, order);
    if (end.asked > 0 && end.reached()) break;
  }
  if (!options.out.empty()) {
    const Result<void> written = record::write_file(options.out, chart(*scene, rows));
    if (!written) return report(written.error());
  }
  print(options.json ? order_json(*scene, runs, rows, end)
                     : order_text(*scene, rows) + end_text(runs.back(), end));
  if (!certified) warn("warning: some steps are not certified");
  return certified && (end.asked == 0 || end.reached()) ? exit_ok : exit_failed;
}

}  // namespace cairn::app
