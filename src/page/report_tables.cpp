// The tables of report.html: energy, worst steps, contacts, timings, forces, options.
#include <algorithm>
#include <cmath>

#include "cairn/options.hpp"
#include "page/html.hpp"
#include "page/plot.hpp"
#include "page/report_page.hpp"
#include "record/run/table.hpp"

namespace cairn::page {
namespace {

void put_list(ReportPage& page, const std::vector<std::string>& lines) {
  page.html += "<ul>";
  for (const std::string& line : lines) page.put("<li>{}</li>", escape(line));
  page.html += "</ul>";
}

// A visitor of describe(): one table row per option.
struct OptionRows {
  ReportPage& page;
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
void put_options(ReportPage& page, const char* what, Options options) {
  page.put("<tr><th colspan=\"3\">{} {}</th></tr>", what, name(options));
  OptionRows rows{page};
  std::visit([&](auto& chosen) { describe(rows, chosen); }, options);
}

}  // namespace

void put_ledger(ReportPage& page) {
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
  row("+ work of applied forces", l.work_applied);
  row("+ work of prescribed motion", l.work_motion);
  row("&minus; dissipated by friction", l.friction);
  row("&minus; lost in impacts", l.impact);
  row("+ put in by stabilisation", l.stabilisation);
  row("+ the integrator's own term", l.integrator);
  row("+ left by the solver's residual", l.solver);
  row("+ work of dampers", l.passive);
  row("= energy at the end", l.kinetic_end + l.potential_end);
  row("unaccounted, largest of a step", page.in.totals.imbalance_max);
  page.html += "</table></div>";
}

void put_worst_steps(ReportPage& page) {
  if (page.in.totals.worst.empty()) return;
  page.html +=
      "<h2>Worst steps</h2><p class=\"soft\">A time is a link: it takes the player there.</p>"
      "<div class=\"scroll\"><table><tr><th class=\"n\">step</th><th "
      "class=\"n\">t [s]</th>"
      "<th class=\"n\">residual</th><th>row</th><th>method</th><th "
      "class=\"n\">iterations</th><th>attempts: residual (iterations)</th><th></th></tr>";
  for (const record::WorstStep& w : page.in.totals.worst)
    page.put(
        "<tr><td class=\"n\">{}</td><td class=\"n\"><a href=\"#t={}\">{}</a></td><td "
        "class=\"n\">{}</td><td>{}</td><td>{}</td>"
        "<td class=\"n\">{}</td><td>{}</td><td class=\"{}\">{}</td></tr>",
        w.step, w.t, short_number(w.t), short_number(w.certificate), escape(w.row),
        escape(w.method), w.iterations, escape(w.attempts),
        w.status == StepStatus::certified ? "yes" : "no", record::name(w.status));
  page.html += "</table></div>";
}

void put_contacts(ReportPage& page) {
  const record::RunTotals& t = page.in.totals;
  if (t.candidates_max == 0) return;
  page.html +=
      "<h2>Contacts</h2><div class=\"scroll\"><table><tr><th></th><th class=\"n\">at most</th><th "
      "class=\"n\">at the end</th></tr>";
  page.put("<tr><td>candidates</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
           t.candidates_max, t.candidates_final);
  page.put("<tr><td>with force</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
           t.figures.largest.active_contacts, t.figures.last.active_contacts);
  page.put(
      "<tr><td>deepest penetration [m]</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
      short_number(t.figures.largest.penetration), short_number(t.figures.last.penetration));
  page.put(
      "</table></div><p class=\"soft\">Over the run: {} collisions with restitution, {} impacts "
      "held "
      "back by the energy guard, {} contacts added and {} pairs of polyhedra revised by "
      "verification.</p>",
      t.figures.sum.collisions, t.figures.sum.guard_corrections, t.figures.sum.added_pairs,
      t.figures.sum.revised_pairs);
}

// The energy audit: all impacts together, and those that took most.
void put_impacts(ReportPage& page) {
  const record::ImpactTotals& t = page.in.totals.impacts;
  if (t.contacts == 0) return;
  page.html +=
      "<h2>Impacts</h2><div class=\"scroll\"><table><tr><th>energy</th><th "
      "class=\"n\">[J]</th></tr>";
  const auto row = [&](const char* name, double value) {
    page.put("<tr><td>{}</td><td class=\"n\">{}</td></tr>", name, short_number(value));
  };
  row("lost to restitution", t.lost_restitution);
  row("lost to friction", t.lost_friction);
  row("put in", t.put_in);
  row("taken by the energy guard", t.guard);
  row("largest rise by one impact", t.max_rise);
  page.put(
      "</table></div><p class=\"soft\">{} contacts collided in {} impacts: {} by Newton's law, {} "
      "by Poisson's, {} by Stronge's; the fastest approached with {} m/s.</p>",
      t.contacts, t.groups, t.by_law[0], t.by_law[1], t.by_law[2], short_number(t.fastest));
  if (t.sequential > 0)
    page.put("<p class=\"soft\">{} impacts one after the other, {} sequences cut short.</p>",
             t.sequential, t.unfinished);
  page.html +=
      "<div class=\"scroll\"><table><tr><th class=\"n\">t [s]</th><th>bodies</th><th>law</th><th "
      "class=\"n\">e</th><th class=\"n\">approach [m/s]</th><th class=\"n\">rebound [m/s]</th><th "
      "class=\"n\">restitution [J]</th><th class=\"n\">friction [J]</th><th class=\"n\">put in "
      "[J]</th><th class=\"n\">guard [J]</th></tr>";
  const Model& model = *page.in.scene.model;
  for (const ImpactReport& r : t.largest)
    page.put(
        "<tr><td class=\"n\"><a href=\"#t={}\">{}</a></td><td>{} &ndash; {}</td><td>{}</td><td "
        "class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td></tr>",
        r.t, short_number(r.t), escape(model.body(r.contact.body_a).name),
        escape(model.body(r.contact.body_b).name),
        restitution_law_names[static_cast<std::size_t>(r.law)], short_number(r.restitution),
        short_number(r.approach), short_number(r.rebound), short_number(r.lost_restitution),
        short_number(r.lost_friction), short_number(r.put_in), short_number(r.guard));
  page.html += "</table></div>";
}

void put_timings(ReportPage& page) {
  const record::RunTotals& t = page.in.totals;
  if (!(t.cpu_seconds > 0)) return;
  const double steps = static_cast<double>(std::max<std::int64_t>(1, t.cpu_ms.count()));
  page.html +=
      "<h2>Timings</h2><div class=\"scroll\"><table><tr><th>CPU time</th><th class=\"n\">of the "
      "run "
      "[s]</th><th class=\"n\">of a step [ms]</th><th class=\"n\">share</th></tr>";
  const auto row = [&](const char* what, double seconds) {
    page.put(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{:.0f} %</td></tr>",
        what, short_number(seconds), short_number(1e3 * seconds / steps),
        100 * seconds / t.cpu_seconds);
  };
  row("finding contacts", t.detect_seconds);
  row("solving", t.solve_seconds);
  row("all else", t.cpu_seconds - t.detect_seconds - t.solve_seconds);
  row("all", t.cpu_seconds);
  page.put(
      "</table></div><p class=\"soft\">Half of the steps took at most {} ms, the slowest {} ms; {} "
      "problems were solved in {} iterations.</p>",
      short_number(t.cpu_ms_median()), short_number(t.cpu_ms.max()), t.solves, t.iterations);
}

void put_jamming(ReportPage& page) {
  if (page.in.totals.jammed.empty()) return;
  page.html +=
      "<h2>Jamming</h2><p>In steps that are not certified friction can hold any stress between "
      "these bodies (the friction cone is not pointed):</p>";
  put_list(page, page.in.totals.jammed);
}

// Contact forces of the last step over all solutions with its velocities.
void put_forces(ReportPage& page) {
  if (!page.in.totals.forces) return;
  const record::ForceTable& table = *page.in.totals.forces;
  page.put("<h2 id=\"contact-forces\">Contact forces of step {}</h2>", table.step);
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
  for (const record::ForceTable::Row& row : table.contacts)
    page.put(
        "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td></tr>",
        escape(row.name), row.activity, short_number(row.lo), short_number(row.here),
        std::isinf(row.hi) ? "no end" : short_number(row.hi));
  page.html +=
      "</table></div><div class=\"scroll\"><table><tr><th>resultant on</th><th class=\"n\">x "
      "[N]</th><th class=\"n\">y</th><th class=\"n\">z</th><th></th></tr>";
  for (const auto* rows : {&table.bodies, &table.pairs})
    for (const record::ForceTable::Resultant& row : *rows)
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

void put_method(ReportPage& page) {
  const SimulationSettings& s = page.in.scene.simulation;
  page.put(
      "<h2>How it was computed</h2><p>Cairn {}, step {} s, duration {} s.</p><div "
      "class=\"scroll\"><table>",
      CAIRN_VERSION, fmt::format("{}", s.step), fmt::format("{}", s.duration));
  put_options(page, "scheme", s.scheme);
  put_options(page, "solver", s.solver);
  page.html += "</table></div>";
}

void put_repeat(ReportPage& page) {
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

}  // namespace cairn::page
