// Writes report.html, section by section in the order a reader asks: did it hold, what was
// expected, what happened, how.
#include "page/report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "page/html.hpp"
#include "page/plot.hpp"
#include "page/report_page.hpp"
#include "page/report_style.hpp"

namespace cairn::page {
namespace {

using Page = ReportPage;

// ---- Verdict and expectations
// -----------------------------------------------------------------------------------

// What each part of the verdict says, a line each.
void put_verdict_parts(Page& page, const record::VerdictTotals& v) {
  page.html += "<ul>";
  auto put = [&](const char* name, const record::VerdictPartTotals& part) {
    if (part.failed_steps == 0)
      page.put("<li>{}: accepted in every step, at most {} of the limit</li>", name,
               short_number(part.worst));
    else
      page.put("<li>{}: not accepted in {} steps. Step {}: {}</li>", name, part.failed_steps,
               part.step, escape(part.sentence));
  };
  put("Solve", v.solve);
  put("Motion", v.motion);
  put("Energy", v.energy);
  if (v.divided_steps > 0)
    page.put("<li>{} steps were divided, into {} parts at most</li>", v.divided_steps, v.parts_max);
  page.html += "</ul>";
}

void put_verdict(Page& page) {
  const record::RunTotals& totals = page.in.totals;
  const record::WorstStep worst = totals.worst.empty() ? record::WorstStep{} : totals.worst.front();
  const auto& expect = page.in.expect;
  const auto missed =
      std::count_if(expect.begin(), expect.end(), [](const auto& e) { return !e.ok; });
  const bool held = totals.status() == record::RunStatus::ok && missed == 0;
  const bool relaxed = std::holds_alternative<Relaxed>(page.in.scene.simulation.scheme);
  const char* headline = relaxed ? "The relaxed laws held in every step: not exact Coulomb friction"
                                 : "The laws held in every step";
  if (missed > 0) headline = "An expectation of the scene was not met";
  if (totals.status() == record::RunStatus::uncertified) headline = "Not every step is certified";
  if (totals.status() == record::RunStatus::not_accepted) headline = "Not every step is accepted";
  if (totals.steps == 0) headline = "No step was taken";
  if (totals.stopped) headline = "The run was stopped";
  page.put("<section class=\"verdict {}\"><strong>{}</strong>", held ? "held" : "missed", headline);
  if (totals.stopped) page.put("<p>Stopped because: {}</p>", escape(totals.message));
  if (totals.steps > 0)
    page.put(
        "<p>Worst scaled residual {} (tolerance {}) in step {}, {}. {} of {} steps are not "
        "certified.</p>",
        short_number(worst.certificate), short_number(page.limit()), worst.step, escape(worst.row),
        totals.uncertified_steps, totals.steps);
  put_verdict_parts(page, totals.verdict);
  if (!expect.empty())
    page.put("<p>{} of {} expectations met.</p>",
             static_cast<std::ptrdiff_t>(expect.size()) - missed, expect.size());
  page.html += "</section>";
}

void put_expectations(Page& page) {
  if (page.in.expect.empty()) return;
  page.html +=
      "<h2>Expected of this scene</h2><div class=\"scroll\"><table><tr><th>quantity</th><th "
      "class=\"n\">value"
      "</th><th>expected</th><th></th></tr>";
  for (const record::ExpectationResult& e : page.in.expect)
    page.put(
        "<tr><td><code>{}</code></td><td class=\"n\">{}</td><td>{}</td><td "
        "class=\"{}\">{}</td></tr>",
        escape(e.quantity), fmt::format("{:.6g}", e.value), escape(e.bound), e.ok ? "yes" : "no",
        e.ok ? "met" : "not met");
  page.html += "</table></div>";
}

// ---- Key numbers
// ------------------------------------------------------------------------------------------------

void put_tile(Page& page, const std::string& value, const std::string& label) {
  page.put("<div><b>{}</b><span>{}</span></div>", value, label);
}

void put_numbers(Page& page) {
  const record::RunTotals& t = page.in.totals;
  const Model& model = *page.in.scene.model;
  const auto moving = std::count_if(model.bodies.begin(), model.bodies.end(),
                                    [](const Body& b) { return b.kind == BodyKind::dynamic; });
  page.html += "<h2>Key numbers</h2><div class=\"tiles\">";
  put_tile(page, fmt::format("{}", t.steps),
           fmt::format("steps to t = {} s", short_number(page.in.state.t)));
  put_tile(page, fmt::format("{}", moving), fmt::format("free bodies of {}", model.bodies.size()));
  put_tile(
      page, fmt::format("{}", t.figures.largest.active_contacts),
      fmt::format("contacts with force at most, {} at the end", t.figures.last.active_contacts));
  put_tile(page, short_number(t.figures.largest.penetration) + " m", "deepest penetration");
  if (!model.joints.empty()) {
    put_tile(page, short_number(t.figures.largest.joint_error) + " m", "largest joint error");
    put_tile(page, fmt::format("{}", t.joint_rank.rank),
             escape("independent rows of joints: " + to_text(model, t.joint_rank)));
  }
  if (t.figures.sum.nonlinear_iterations > 0)
    put_tile(page, fmt::format("{}", t.figures.sum.nonlinear_iterations),
             fmt::format("linearisations at the end of steps, {} steps did not contract, at most "
                         "{} m left",
                         t.figures.sum.nonlinear_fallback,
                         short_number(t.figures.largest.nonlinear_residual)));
  if (std::holds_alternative<Relaxed>(page.in.scene.simulation.scheme))
    put_tile(page, short_number(t.figures.largest.coulomb_residual),
             fmt::format("largest residual of exact Coulomb friction, in step {}; the step is "
                         "judged by the law coulomb_relaxed",
                         t.coulomb_residual_step));
  if (t.figures.sum.contact_projections > 0)
    put_tile(page, fmt::format("{}", t.figures.sum.contact_projections),
             fmt::format("problems solved to push bodies out of overlaps, worst scaled residual "
                         "{}, {} not certified",
                         short_number(t.figures.largest.contact_projection_certificate),
                         t.figures.sum.uncertified_projections));
  put_tile(page, short_number(t.max_rise) + " J", "largest unexplained rise of energy in a step");
  if (t.cpu_seconds > 0)
    put_tile(page, short_number(t.cpu_ms_mean()) + " ms",
             fmt::format("CPU per step, median {} ms", short_number(t.cpu_ms_median())));
  put_tile(page, fmt::format("{}", t.solves),
           fmt::format("problems solved, {} iterations", t.iterations));
  if (t.figures.sum.guard_corrections > 0)
    put_tile(page, fmt::format("{}", t.figures.sum.guard_corrections),
             "impacts held back by the energy guard");
  if (t.figures.sum.added_pairs > 0)
    put_tile(page, fmt::format("{}", t.figures.sum.added_pairs), "contacts added by verification");
  if (t.found_max > t.candidates_max)
    put_tile(page, fmt::format("{} of {}", t.candidates_max, t.found_max),
             "contacts kept by the filter, at the most");
  page.html += "</div>";
}

// ---- Player and plots
// ---------------------------------------------------------------------------------------------------

void put_what(Page& page) {
  const Scene& scene = page.in.scene;
  const SimulationSettings& settings = scene.simulation;
  page.put("<p>{} bodies", scene.model->bodies.size());
  if (!scene.model->joints.empty()) page.put(", {} joints", scene.model->joints.size());
  page.put(
      ", simulated with the scheme <b>{}</b> and the solver <b>{}</b> (tolerance {}) in steps of "
      "{} s "
      "to t = {} s by Cairn {}.</p>",
      name(settings.scheme), name(settings.solver), short_number(page.limit()),
      fmt::format("{}", settings.step), short_number(page.in.state.t), CAIRN_VERSION);
}

void put_player(Page& page, const play::PlayerParts& parts) {
  const play::Clip& clip = page.in.clip;
  page.html += "<h2>The motion</h2>" + parts.element;
  page.put(
      "<p class=\"soft\">{} frames of {} steps{}. Rounded to 16 bits: at most {} m and {} rad off. "
      "Click into it: space plays and stops, <kbd>?</kbd> shows the other keys.</p>",
      parts.frames, clip.steps(),
      parts.frames <= static_cast<std::size_t>(clip.steps())
          ? "; plots and marks on the timeline cover all of them"
          : "",
      short_number(parts.errors.position), short_number(parts.errors.angle));
  if (clip.contacts_left_out() > 0)
    page.put("<p class=\"soft\">Of each frame the {} strongest contacts are shown.</p>",
             clip.contact_limit());
}

void put_plot(Page& page, const PlotOptions& options, std::initializer_list<Curve> curves) {
  page.put("<figure>{}</figure>", plot_svg(options, std::span(curves.begin(), curves.size())));
}

void put_plots(Page& page) {
  const record::RunTotals& t = page.in.totals;
  if (t.steps == 0) return;
  page.html += "<h2>Over time</h2><div class=\"plots\">";
  put_plot(page, {.title = "Energy", .y = "J"},
           {{"total", t.total.points()},
            {"kinetic", t.kinetic.points()},
            {"potential", t.potential.points()}});
  put_plot(page,
           {.title = "Certificate: worst scaled residual of each step",
            .log_y = true,
            .line = page.limit(),
            .line_label = "tolerance"},
           {{"", t.certificate.points()}});
  if (std::holds_alternative<Relaxed>(page.in.scene.simulation.scheme))
    put_plot(page, {.title = "Residual of exact Coulomb friction", .log_y = true},
             {{"", t.coulomb_residual.points()}});
  put_plot(page, {.title = "Contacts", .from_zero = true},
           {{"candidates", t.candidates.points()}, {"with force", t.active.points()}});
  put_plot(page, {.title = "Deepest penetration", .y = "m", .log_y = true},
           {{"", t.penetration.points()}});
  if (!page.in.scene.model->joints.empty())
    put_plot(page, {.title = "Largest joint error", .y = "m", .log_y = true},
             {{"", t.joint_error.points()}});
  if (t.cpu_seconds > 0)
    put_plot(page, {.title = "CPU time per step", .y = "ms", .from_zero = true},
             {{"", t.cpu.points()}});
  if (t.impacts.contacts > 0)
    put_plot(page, {.title = "Energy lost in impacts so far", .y = "J", .from_zero = true},
             {{"restitution", t.impact_loss.points()}, {"friction", t.impact_friction.points()}});
  if (t.figures.sum.guard_corrections > 0)
    put_plot(page, {.title = "Energy guard: share of restitution taken away", .from_zero = true},
             {{"", t.guard.points()}});
  page.html += "</div>";
}

}  // namespace

std::string report_html(const ReportInput& input) {
  ReportPage page{.in = input};
  const play::PlayerParts player = play::player_parts(input.clip);
  const std::string title = escape(input.scene.name.empty() ? "untitled scene" : input.scene.name);
  page.put(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">{}"
      "<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>{}</title><style>{}"
      "</style></head><body><main><h1>{}</h1><p class=\"soft\">{}</p>",
      player.head, title, report_style, title, escape(input.scene.file));
  put_verdict(page);
  put_what(page);
  put_player(page, player);
  put_expectations(page);
  put_numbers(page);
  put_ledger(page);
  put_worst_steps(page);
  put_contacts(page);
  put_impacts(page);
  put_timings(page);
  put_plots(page);
  put_jamming(page);
  put_forces(page);
  put_method(page);
  put_repeat(page);
  return page.html + "</main>" + player.script + "</body></html>\n";
}

record::RunPage run_page(const Scene& scene, const std::string& command) {
  const auto clip = std::make_shared<play::Clip>(scene);
  clip->add_initial(*scene.initial);
  return {.add = [clip](const StepReport& report, const State& after,
                        const ShownForces& forces) { clip->add(report, after, forces); },
          .shows_next = [clip] { return clip->keeps_next(); },
          .html =
              [clip, &scene, command](const record::RunTotals& totals, const State& last,
                                      std::span<const record::ExpectationResult> expect) {
                return report_html({.scene = scene,
                                    .totals = totals,
                                    .state = last,
                                    .expect = expect,
                                    .command = command,
                                    .clip = *clip});
              }};
}

}  // namespace cairn::page
