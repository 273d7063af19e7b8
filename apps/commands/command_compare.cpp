// cairn compare: runs a scene under relaxed, pyramid and exact friction and sets the figures side
// by side.
#include <fmt/format.h>
#include <stdexcept>

#include "commands/commands.hpp"
#include "page/compare_page.hpp"
#include "record/run/files.hpp"
#include "runs/file_access.hpp"
#include "runs/start_warnings.hpp"
#include "runs/step_plan.hpp"
#include "terminal/cpu_clock.hpp"
#include "terminal/input_file.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

// False if a signal ended it.
bool run_variant(const Scene& scene, const StepPlan& steps, bool quiet,
                 record::FrictionVariant& variant) {
  Simulator simulator(scene.model, *scene.initial, variant.scheme, scene.simulation.solver,
                      scene.simulation.verdict);
  simulator.set_clock(thread_seconds);
  simulator.set_interrupt(on_signal());
  Progress progress(steps.steps, quiet);
  for (std::int64_t n = 1; n <= steps.steps; ++n) {
    const StepReport& report = simulator.step(steps.length(n));
    if (report.status == StepStatus::interrupted) return false;
    if (report.status == StepStatus::internal_error)
      throw std::logic_error(
          fmt::format("{}, step {}: {}", scene.file, report.step, report.message));
    record::add_step(scene, report, simulator.state(), variant);
    if (report.status == StepStatus::stopped) return true;
    progress.show(n, report.t, report.active_contacts, variant.totals.worst.front().certificate);
    if (received_signal() != 0) return false;
  }
  return true;
}

double worst_certificate(const record::FrictionVariant& v) {
  return v.totals.worst.empty() ? 0 : v.totals.worst.front().certificate;
}

// Under an exact law the certificate is the residual of Coulomb's law.
double coulomb_residual(const record::FrictionVariant& v) {
  return std::holds_alternative<Relaxed>(v.scheme) ? v.totals.figures.largest.coulomb_residual
                                                   : worst_certificate(v);
}

Json comparison_json(const record::FrictionVariant& v) {
  const record::RunTotals& t = v.totals;
  const bool relaxed = std::holds_alternative<Relaxed>(v.scheme);
  Json json;
  json["name"] = v.name;
  json["law"] = name(relaxed ? Law::coulomb_relaxed : Law::coulomb);
  json["facets"] = euler_options(v.scheme)->facets;
  json["steps"] = t.steps;
  json["status"] = record::name(t.status());
  if (t.stopped) {
    json["reason"] = name(t.reason);
    json["message"] = t.message;
  }
  json["certificate"] = {{"worst", worst_certificate(v)},
                         {"uncertified_steps", t.uncertified_steps}};
  json["coulomb_residual"] = coulomb_residual(v);
  json["lift_gap"] = v.lift_gap;
  json["hover_gap"] = v.hover_gap;
  json["slip"] = v.slip;
  json["friction"] = t.ledger.friction;
  json["impact"] = t.ledger.impact;
  json["energy_final"] = t.energy_final;
  json["normal_force"] = v.normal_force();
  json["friction_force"] = v.friction_force();
  json["position_difference"] = v.position;
  json["orientation_difference"] = v.orientation;
  json["off"] = {
      {"lift", v.lift_off}, {"position", v.position_off}, {"dissipation", v.dissipation_off}};
  json["penetration"] = t.figures.largest.penetration;
  json["solves"] = t.solves;
  json["cpu_ms_per_step"] = t.cpu_ms_mean();
  json["state_hash"] = fmt::format("{:016x}", hash(v.state));
  return json;
}

std::string comparison_json(const record::FrictionComparison& comparison) {
  Json json;
  json["scene"] = comparison.scene.name;
  json["tolerance"] = comparison.tolerance;
  json["variants"] = Json::array();
  for (const record::FrictionVariant& v : comparison.variants)
    json["variants"].push_back(comparison_json(v));
  json["warnings"] = comparison.warnings;
  return text(json);
}

std::string comparison_text(const record::FrictionComparison& comparison) {
  std::string text =
      fmt::format("{:<10}{:>11}{:>11}{:>12}{:>12}{:>12}{:>12}{:>11}{:>10}{:>10}{:>9}\n", "law",
                  "lift gap", "slip", "friction", "impacts", "normal", "tangential", "position",
                  "residual", "Coulomb", "ms/step");
  text += fmt::format("{:<10}{:>11}{:>11}{:>12}{:>12}{:>12}{:>12}{:>11}{:>10}{:>10}\n", "", "[m]",
                      "[m]", "[J]", "[J]", "[N]", "[N]", "off [m]", "", "residual");
  for (const record::FrictionVariant& v : comparison.variants) {
    const record::RunTotals& t = v.totals;
    text += fmt::format(
        "{:<10}{:>11.3g}{:>11.4g}{:>12.5g}{:>12.5g}{:>12.5g}{:>12.5g}{:>11.3g}{:>10.1e}{:>10.1e}"
        "{:>9.3g}{}\n",
        v.name, v.lift_gap, v.slip, t.ledger.friction, t.ledger.impact, v.normal_force(),
        v.friction_force(), v.position, worst_certificate(v), coulomb_residual(v), t.cpu_ms_mean(),
        t.status() == record::RunStatus::ok ? "" : fmt::format("  {}", record::name(t.status())));
  }
  text +=
      "lift gap is the largest distance of bodies that slide on each other, with or without force\n"
      "relaxed is the convex relaxation, not Coulomb's law; k=4, 8, 16 are pyramids in the cone; "
      "exact is the cone\n";
  return text;
}

}  // namespace

int compare(const CompareOptions& options) {
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
  Result<record::FrictionComparison> comparison =
      record::begin_comparison(*scene, options.tolerance);
  if (!comparison) return report(comparison.error());
  for (const std::string& warning : scene->warnings) warn("warning: " + printable(warning));
  const StepPlan steps = plan_steps(scene->simulation.step, scene->simulation.duration);
  watch_signals();
  bool held = true;
  for (record::FrictionVariant& variant : comparison->variants) {
    if (!run_variant(*scene, steps, options.json, variant)) return exit_signal + received_signal();
    held = held && variant.totals.status() == record::RunStatus::ok;
  }
  record::finish_comparison(*comparison);
  if (!options.out.empty()) {
    const Result<void> written =
        record::write_file(options.out, page::comparison_html(*comparison));
    if (!written) return report(written.error());
  }
  print(options.json ? comparison_json(*comparison) : comparison_text(*comparison));
  if (!options.json)
    for (const std::string& warning : comparison->warnings) warn("warning: " + warning);
  return held ? exit_ok : exit_failed;
}

}  // namespace cairn::app
