// Writes report.html, section by section in the order a reader asks: did it hold, what was
// expected, what happened, how.
#include "record/report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "cairn/options.hpp"
#include "record/draw.hpp"
#include "record/html.hpp"
#include "record/plot.hpp"
#include "record/report_style.hpp"
#include "record/table.hpp"

namespace cairn {
namespace {

constexpr std::size_t still_count = 8;
constexpr std::size_t drawn_shapes = 6000;  // in all stills together: keeps the page small

struct Page {
  const ReportInput& in;
  std::string html = {};

  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(html), text, std::forward<Args>(args)...);
  }
  double limit() const { return tolerance(in.scene.simulation.solver); }
};

// ---- Verdict and expectations
// -----------------------------------------------------------------------------------

void put_verdict(Page& page) {
  const RunTotals& totals = page.in.totals;
  const WorstStep worst = totals.worst.empty() ? WorstStep{} : totals.worst.front();
  const auto& expect = page.in.expect;
  const auto missed =
      std::count_if(expect.begin(), expect.end(), [](const auto& e) { return !e.ok; });
  const bool held = totals.status() == RunStatus::ok && missed == 0;
  const bool relaxed = std::holds_alternative<Relaxed>(page.in.scene.simulation.scheme);
  const char* headline = relaxed ? "The relaxed laws held in every step: not exact Coulomb friction"
                                 : "The laws held in every step";
  if (missed > 0) headline = "An expectation of the scene was not met";
  if (totals.status() == RunStatus::uncertified) headline = "Not every step is certified";
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
  for (const ExpectationResult& e : page.in.expect)
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
  const RunTotals& t = page.in.totals;
  const Model& model = *page.in.scene.model;
  const auto moving = std::count_if(model.bodies.begin(), model.bodies.end(),
                                    [](const Body& b) { return b.kind == BodyKind::dynamic; });
  page.html += "<h2>Key numbers</h2><div class=\"tiles\">";
  put_tile(page, fmt::format("{}", t.steps),
           fmt::format("steps to t = {} s", short_number(page.in.state.t)));
  put_tile(page, fmt::format("{}", moving), fmt::format("free bodies of {}", model.bodies.size()));
  put_tile(page, fmt::format("{}", t.contacts_max),
           fmt::format("contacts with force at most, {} at the end", t.contacts_final));
  put_tile(page, short_number(t.penetration_max) + " m", "deepest penetration");
  if (!model.joints.empty()) {
    put_tile(page, short_number(t.joint_error_max) + " m", "largest joint error");
    put_tile(page, fmt::format("{}", t.joint_rank.rank),
             escape("independent rows of joints: " + to_text(model, t.joint_rank)));
  }
  if (t.nonlinear_iterations > 0)
    put_tile(page, fmt::format("{}", t.nonlinear_iterations),
             fmt::format("linearisations at the end of steps, {} steps did not contract, at most "
                         "{} m left",
                         t.nonlinear_fallbacks, short_number(t.nonlinear_residual_max)));
  if (std::holds_alternative<Relaxed>(page.in.scene.simulation.scheme))
    put_tile(page, short_number(t.coulomb_residual_max),
             fmt::format("largest residual of exact Coulomb friction, in step {}; the step is "
                         "judged by the law coulomb_relaxed",
                         t.coulomb_residual_step));
  if (t.contact_projections > 0)
    put_tile(page, fmt::format("{}", t.contact_projections),
             fmt::format("problems solved to push bodies out of overlaps, worst scaled residual "
                         "{}, {} not certified",
                         short_number(t.contact_projection_worst), t.uncertified_projections));
  put_tile(page, short_number(t.max_rise) + " J", "largest unexplained rise of energy in a step");
  if (t.cpu_seconds > 0)
    put_tile(page, short_number(t.cpu_ms_mean()) + " ms",
             fmt::format("CPU per step, median {} ms", short_number(t.cpu_ms_median())));
  put_tile(page, fmt::format("{}", t.solves),
           fmt::format("problems solved, {} iterations", t.iterations));
  if (t.guard_corrections > 0)
    put_tile(page, fmt::format("{}", t.guard_corrections), "impacts held back by the energy guard");
  if (t.added_pairs > 0)
    put_tile(page, fmt::format("{}", t.added_pairs), "contacts added by verification");
  if (t.found_max > t.candidates_max)
    put_tile(page, fmt::format("{} of {}", t.candidates_max, t.found_max),
             "contacts kept by the filter, at the most");
  page.html += "</div>";
}

// ---- Pictures
// ---------------------------------------------------------------------------------------------------

void put_stills(Page& page) {
  const Model& model = *page.in.scene.model;
  const std::size_t affordable = drawn_shapes / std::max<std::size_t>(1, model.shapes.size());
  const auto stills = page.in.stills.pick(std::clamp<std::size_t>(affordable, 2, still_count));
  if (stills.empty()) return;
  const View view = make_view(model, stills);
  page.html += "<h2>The motion</h2>";
  if (view.largest_force > 0)
    page.put(
        "<p class=\"soft\">To scale. Arrows are contact forces; the longest of all pictures is {} "
        "N.</p>",
        short_number(view.largest_force));
  page.html += "<div class=\"stills\">";
  int number = 0;
  for (const Still* still : stills)
    page.put("<figure>{}<figcaption>t = {} s, step {}</figcaption></figure>",
             draw_still(model, view, *still, number++), short_number(still->t), still->step);
  page.html += "</div>";
}

void put_plot(Page& page, const PlotOptions& options, std::initializer_list<Curve> curves) {
  page.put("<figure>{}</figure>", plot_svg(options, std::span(curves.begin(), curves.size())));
}

void put_plots(Page& page) {
  const RunTotals& t = page.in.totals;
  if (t.steps == 0) return;
  page.html += "<h2>Over time</h2><div class=\"plots\">";
  put_plot(page, {.title = "Energy", .unit = "J"},
           {{&t.total, "total"}, {&t.kinetic, "kinetic"}, {&t.potential, "potential"}});
  put_plot(page,
           {.title = "Certificate: worst scaled residual of each step",
            .unit = "",
            .logarithmic = true,
            .line = page.limit(),
            .line_label = "tolerance"},
           {{&t.certificate, "residual"}});
  if (std::holds_alternative<Relaxed>(page.in.scene.simulation.scheme))
    put_plot(page, {.title = "Residual of exact Coulomb friction", .unit = "", .logarithmic = true},
             {{&t.coulomb_residual, "Coulomb residual"}});
  put_plot(page, {.title = "Contacts", .unit = "", .from_zero = true},
           {{&t.candidates, "candidates"}, {&t.active, "with force"}});
  put_plot(page, {.title = "Deepest penetration", .unit = "m", .logarithmic = true},
           {{&t.penetration, "penetration"}});
  if (!page.in.scene.model->joints.empty())
    put_plot(page, {.title = "Largest joint error", .unit = "m", .logarithmic = true},
             {{&t.joint_error, "joint error"}});
  if (t.cpu_seconds > 0)
    put_plot(page, {.title = "CPU time per step", .unit = "ms", .from_zero = true},
             {{&t.cpu, "CPU time"}});
  if (t.guard_corrections > 0)
    put_plot(
        page,
        {.title = "Energy guard: share of restitution taken away", .unit = "", .from_zero = true},
        {{&t.guard, "1 - theta"}});
  page.html += "</div>";
}

// ---- Tables
// -----------------------------------------------------------------------------------------------------

void put_ledger(Page& page) {
  const Ledger& l = page.in.totals.ledger;
  page.html +=
      "<h2>Energy ledger</h2><p class=\"soft\">Sums over the run; the signs are those of the "
      "balance.</p>"
      "<div class=\"scroll\"><table><tr><th>entry</th><th class=\"n\">J</th></tr>";
  const auto row = [&](const char* label, double value) {
    page.put("<tr><td>{}</td><td class=\"n\">{}</td></tr>", label,
             fmt::format("{:.6g}", value + 0.0));
  };
  row("energy at the start", l.kinetic_start + l.potential_start);
  row("+ work of applied forces and dampers", l.work_applied);
  row("+ work of prescribed motion", l.work_motion);
  row("&minus; dissipated by friction", l.friction);
  row("&minus; lost in impacts", l.impact);
  row("+ put in by stabilisation", l.stabilisation);
  row("+ the integrator's own term", l.integrator);
  row("+ left by the solver's residual", l.solver);
  row("= energy at the end", l.kinetic_end + l.potential_end);
  row("unaccounted, largest of a step", page.in.totals.imbalance_max);
  page.html += "</table></div>";
}

void put_worst_steps(Page& page) {
  if (page.in.totals.worst.empty()) return;
  page.html +=
      "<h2>Worst steps</h2><div class=\"scroll\"><table><tr><th class=\"n\">step</th><th "
      "class=\"n\">t [s]</th>"
      "<th class=\"n\">residual</th><th>row</th><th>method</th><th "
      "class=\"n\">iterations</th><th></th></tr>";
  for (const WorstStep& w : page.in.totals.worst)
    page.put(
        "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td>{}</td><td>{}</td>"
        "<td class=\"n\">{}</td><td class=\"{}\">{}</td></tr>",
        w.step, short_number(w.t), short_number(w.certificate), escape(w.row), escape(w.method),
        w.iterations, w.status == StepStatus::certified ? "yes" : "no", name(w.status));
  page.html += "</table></div>";
}

void put_list(Page& page, const std::vector<std::string>& lines) {
  page.html += "<ul>";
  for (const std::string& line : lines) page.put("<li>{}</li>", escape(line));
  page.html += "</ul>";
}

void put_jamming(Page& page) {
  if (page.in.totals.jammed.empty()) return;
  page.html +=
      "<h2>Jamming</h2><p>In steps that are not certified friction can hold any stress between "
      "these bodies (the friction cone is not pointed):</p>";
  put_list(page, page.in.totals.jammed);
}

// Contact forces of the last step over all solutions with its velocities.
void put_forces(Page& page) {
  if (!page.in.totals.forces) return;
  const ForceTable& table = *page.in.totals.forces;
  page.put("<h2>Contact forces of step {}</h2>", table.step);
  if (!table.refusal.empty()) {
    page.put("<p>{}</p>", escape(table.refusal));
    return;
  }
  page.put("<p class=\"soft\">Rank {} of {} active rows. {}</p>", table.rank, table.rows,
           table.unique ? "The normal forces are unique."
                        : "These velocities leave forces open: each lies in the interval "
                          "given, and all together balance the same resultants.");
  page.html +=
      "<div class=\"scroll\"><table><tr><th>contact</th><th></th><th class=\"n\">least normal "
      "force "
      "[N]</th><th class=\"n\">here</th><th class=\"n\">largest</th></tr>";
  for (const ForceTable::Row& row : table.contacts)
    page.put(
        "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td></tr>",
        escape(row.name), row.activity, short_number(row.lo), short_number(row.here),
        std::isinf(row.hi) ? "no end" : short_number(row.hi));
  page.html +=
      "</table></div><div class=\"scroll\"><table><tr><th>resultant on</th><th class=\"n\">x "
      "[N]</th><th class=\"n\">y</th><th class=\"n\">z</th><th></th></tr>";
  for (const auto* rows : {&table.bodies, &table.pairs})
    for (const ForceTable::Resultant& row : *rows)
      page.put(
          "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
          "class=\"n\">{}</td><td>{}</td></tr>",
          escape(row.name), short_number(row.force.x()), short_number(row.force.y()),
          short_number(row.force.z()), row.unique ? "" : "not unique");
  page.html += "</table></div>";
  if (table.jammed.empty()) return;
  page.html += "<p>The friction cone is not pointed:</p>";
  put_list(page, table.jammed);
}

// A visitor of describe(): one table row per option.
struct OptionRows {
  Page& page;
  void row(const char* key, const std::string& value, const char* unit, const char* text) {
    const std::string shown = unit[0] == '\0' || unit[0] == '-' ? value : value + " " + unit;
    page.put("<tr><td><code>{}</code></td><td class=\"n\">{}</td><td class=\"soft\">{}</td></tr>",
             escape(key), escape(shown), escape(text));
  }
  void number(const char* key, double& x, const Range&, const char* unit, const char* text) {
    row(key, fmt::format("{}", x), unit, text);
  }
  template <class Integer, class Lo, class Hi>
  void integer(const char* key, Integer& n, Lo, Hi, const char* text) {
    row(key, fmt::format("{}", n), "", text);
  }
  void boolean(const char* key, bool& x, const char* text) {
    row(key, x ? "true" : "false", "", text);
  }
  template <class Enum>
  void choice(const char* key, Enum& x, Names names, const char* text) {
    row(key, names[static_cast<std::size_t>(x)], "", text);
  }
};

template <class Options>
void put_options(Page& page, const char* what, Options options) {
  page.put("<tr><th colspan=\"3\">{} {}</th></tr>", what, name(options));
  OptionRows rows{page};
  std::visit([&](auto& chosen) { describe(rows, chosen); }, options);
}

void put_method(Page& page) {
  const SimulationSettings& s = page.in.scene.simulation;
  page.put(
      "<h2>How it was computed</h2><p>Cairn {}, step {} s, duration {} s.</p><div "
      "class=\"scroll\"><table>",
      CAIRN_VERSION, fmt::format("{}", s.step), fmt::format("{}", s.duration));
  put_options(page, "scheme", s.scheme);
  put_options(page, "solver", s.solver);
  page.html += "</table></div>";
}

void put_repeat(Page& page) {
  const std::string file = page.in.scene.file.empty() ? "SCENE" : page.in.scene.file;
  const std::string command = page.in.command.empty() ? "cairn run " + file : page.in.command;
  page.put("<h2>How to repeat it</h2><pre>{}\ncairn check trace.cairn</pre>", escape(command));
  page.put(
      "<p class=\"soft\">The same build gives the same bits: final state hash "
      "<code>{:016x}</code>. The second "
      "command judges every step again from the trace alone.</p>",
      hash(page.in.state));
  if (!page.in.scene.warnings.empty()) {
    page.html += "<h2>Warnings about the scene</h2><ul>";
    for (const std::string& warning : page.in.scene.warnings)
      page.put("<li>{}</li>", escape(warning));
    page.html += "</ul>";
  }
  page.put("<details><summary>The scene, resolved ({} bytes)</summary><pre>{}</pre></details>",
           page.in.scene.resolved.size(), escape(page.in.scene.resolved));
}

}  // namespace

std::string report_html(const ReportInput& input) {
  Page page{.in = input};
  const std::string title = escape(input.scene.name.empty() ? "untitled scene" : input.scene.name);
  page.put(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>{}</title><style>{}"
      "</style></head><body><main><h1>{}</h1><p class=\"soft\">{}</p>",
      title, report_style, title, escape(input.scene.file));
  put_verdict(page);
  put_expectations(page);
  put_numbers(page);
  put_stills(page);
  put_plots(page);
  put_ledger(page);
  put_worst_steps(page);
  put_jamming(page);
  put_forces(page);
  put_method(page);
  put_repeat(page);
  return page.html + "</main></body></html>\n";
}

}  // namespace cairn
