// The page of a comparison: warnings, table, plots with one curve per law.
#include "page/compare_page.hpp"

#include <fmt/format.h>
#include <iterator>

#include "page/html.hpp"
#include "page/plot.hpp"
#include "page/report_style.hpp"

namespace cairn::page {
namespace {

using Text = std::back_insert_iterator<std::string>;

void put_table(const record::FrictionComparison& comparison, Text out) {
  fmt::format_to(out,
                 "<div class=\"scroll\"><table><tr><th>law</th><th class=\"n\">lift gap [m]</th>"
                 "<th class=\"n\">slip [m]</th><th class=\"n\">friction [J]</th>"
                 "<th class=\"n\">impacts [J]</th><th class=\"n\">normal [N]</th>"
                 "<th class=\"n\">tangential [N]</th><th class=\"n\">position [m]</th>"
                 "<th class=\"n\">residual</th><th class=\"n\">Coulomb residual</th>"
                 "<th class=\"n\">ms/step</th><th></th></tr>");
  for (const record::FrictionVariant& v : comparison.variants) {
    const record::RunTotals& t = v.totals;
    const double worst = t.worst.empty() ? 0 : t.worst.front().certificate;
    const bool relaxed = std::holds_alternative<Relaxed>(v.scheme);
    fmt::format_to(out, "<tr><td>{}</td>", escape(v.name));
    for (const double x : {v.lift_gap, v.slip, t.ledger.friction, t.ledger.impact, v.normal_force(),
                           v.friction_force(), v.position, worst,
                           relaxed ? t.figures.largest.coulomb_residual : worst, t.cpu_ms_mean()})
      fmt::format_to(out, "<td class=\"n\">{}</td>", short_number(x));
    const bool held = t.status() == record::RunStatus::ok;
    fmt::format_to(out, "<td class=\"{}\">{}</td></tr>", held ? "yes" : "no",
                   held ? "accepted" : record::name(t.status()));
  }
  fmt::format_to(out, "</table></div>");
}

// One curve per law.
template <class Pick>
void put_comparison_plot(const record::FrictionComparison& comparison, const PlotOptions& options,
                         Pick pick, Text out) {
  std::vector<Curve> curves;
  for (const record::FrictionVariant& v : comparison.variants)
    curves.push_back({v.name, pick(v).points()});
  fmt::format_to(out, "<figure>{}</figure>", plot_svg(options, curves));
}

}  // namespace

std::string comparison_html(const record::FrictionComparison& comparison) {
  std::string html;
  const Text out(html);
  const Scene& scene = comparison.scene;
  const std::string title = escape("Friction laws: " + scene.name);
  fmt::format_to(out,
                 "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
                 "name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{}"
                 "</title><style>{}</style>"
                 "</head><body><main><h1>{}</h1><p class=\"soft\">{}, step {} s, duration {} s</p>",
                 title, report_style, title, escape(scene.file),
                 fmt::format("{}", scene.simulation.step),
                 fmt::format("{}", scene.simulation.duration));
  const bool within = comparison.warnings.empty();
  fmt::format_to(out, "<section class=\"verdict {}\"><strong>{}</strong>",
                 within ? "held" : "missed",
                 within ? "The relaxation is within the tolerance"
                        : "The relaxation is off by more than the tolerance");
  for (const std::string& warning : comparison.warnings)
    fmt::format_to(out, "<p>{}</p>", escape(warning));
  fmt::format_to(out, "</section><h2>Side by side</h2>");
  put_table(comparison, out);
  fmt::format_to(out, "<h2>Over time</h2><div class=\"plots\">");
  put_comparison_plot(
      comparison,
      {.title = "Gap under sliding bodies, with or without force", .y = "m", .log_y = true},
      [](const record::FrictionVariant& v) -> const record::Series& { return v.lift; }, out);
  put_comparison_plot(
      comparison, {.title = "Kinetic energy", .y = "J", .from_zero = true},
      [](const record::FrictionVariant& v) -> const record::Series& { return v.kinetic; }, out);
  put_comparison_plot(
      comparison, {.title = "Energy dissipated by friction", .y = "J", .from_zero = true},
      [](const record::FrictionVariant& v) -> const record::Series& { return v.dissipated; }, out);
  put_comparison_plot(
      comparison, {.title = "CPU time per step", .y = "ms", .from_zero = true},
      [](const record::FrictionVariant& v) -> const record::Series& { return v.totals.cpu; }, out);
  fmt::format_to(out, "</div></main></body></html>\n");
  return html;
}

}  // namespace cairn::page
