#include "reproduce/gallery.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "page/html.hpp"
#include "page/report_style.hpp"
#include "play/player.hpp"

namespace cairn::reproduce {
namespace {

std::array<int, 3> count_verdicts(const Reproduction& result) {
  std::array<int, 3> counts{};
  for (const ReproducedEntry& e : result.entries) ++counts[static_cast<std::size_t>(e.verdict())];
  return counts;
}

std::string in_words(const std::array<int, 3>& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i],
                          name(static_cast<Verdict>(i)));
  return text;
}

std::string table(const Reproduction& result) {
  std::string html =
      "<div class=\"scroll\"><table><tr><th>figure</th><th class=\"n\">paper</th><th "
      "class=\"n\">closed form</th><th class=\"n\">reference</th><th>place</th><th "
      "class=\"n\">ours</th><th class=\"n\">difference</th><th>verdict</th></tr>";
  for (const ReproducedEntry& e : result.entries) {
    html += fmt::format("<tr><td>{}</td>", page::escape(e.entry));
    for (const Source source : {Source::paper, Source::closed_form, Source::reference})
      html += source != e.source
                  ? std::string("<td class=\"n\"></td>")
                  : fmt::format("<td class=\"n\">{} {}</td>",
                                page::escape(e.reading == Reading::value ? "" : name(e.reading)),
                                page::short_number(e.expected));
    html += fmt::format(
        "<td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"{}\">{}</td></tr>",
        page::escape(e.place), page::short_number(e.ours), page::short_number(e.difference()),
        e.verdict() == Verdict::differs ? "no" : "yes", name(e.verdict()));
  }
  return html + "</table></div>";
}

std::string section(const GalleryEntry& entry) {
  std::string html =
      fmt::format("<h2 id=\"{0}\"><code>{0}</code> {1}</h2>{2}", entry.experiment->id,
                  page::escape(entry.experiment->text), table(entry.result));
  for (const std::string& note : entry.result.notes)
    html += "<p class=\"soft\">" + page::escape(note) + "</p>";
  if (!entry.result.players.empty()) {
    html += "<p>Watch it:";
    for (std::size_t i = 0; i < entry.result.players.size(); ++i)
      html += fmt::format("{} <a href=\"{}\">{}</a>", i > 0 ? "," : "",
                          player_file(*entry.experiment, i),
                          page::escape(entry.result.players[i].title));
    html += "</p>";
  }
  if (entry.result.drawings.empty()) return html;
  html += "<div class=\"plots\">";
  for (const Drawing& drawing : entry.result.drawings)
    html += "<figure>" + page::plot_svg(drawing.plot, drawing.curves) + "</figure>";
  return html + "</div>";
}

}  // namespace

std::string gallery_page(const std::vector<GalleryEntry>& entries, bool fast) {
  std::array<int, 3> all{};
  std::string list, sections;
  for (const GalleryEntry& entry : entries) {
    const std::array<int, 3> counts = count_verdicts(entry.result);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += counts[i];
    list += fmt::format(
        "<tr><td><a href=\"#{0}\"><code>{0}</code></a></td><td>{1}</td><td>{2}</td></tr>",
        entry.experiment->id, page::escape(entry.experiment->text), in_words(counts));
    sections += section(entry);
  }
  const bool good = all[static_cast<std::size_t>(Verdict::differs)] == 0;
  // The policy lets nothing run and nothing be loaded; styles are in the page.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
      "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<title>The papers' experiments</title><style>{}</style></head><body><main>"
      "<h1>The papers' experiments</h1><p class=\"soft\">Cairn {}, {}</p>"
      "<div class=\"verdict {}\"><strong>{}</strong>match: within the rounding of the number, "
      "close: within 20 "
      "% of a printed one, differs: shown as it is</div><div "
      "class=\"scroll\"><table>{}</table></div>{}"
      "</main></body></html>\n",
      page::report_style, CAIRN_VERSION,
      fast ? "fast setting: fewer steps, phases and sizes" : "full setting",
      good ? "held" : "missed", in_words(all), list, sections);
}

std::string player_file(const Experiment& experiment, std::size_t i) {
  return fmt::format("play-{}-{}.html", experiment.id, i + 1);
}

std::string play_scene(const PlayedScene& played, const ReproduceSetting& setting) {
  const Scene s = built_in_scene(played.scene, played.assignments);
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  play::Clip clip(s);
  ForceDisplay display(s.simulation.forces);
  clip.add_initial(sim.state());
  const double end =
      setting.fast ? std::min(played.duration, 20 * s.simulation.step) : played.duration;
  while (sim.state().t < end - 0.5 * s.simulation.step) {
    if (setting.stopped()) return "";
    const StepReport& report = sim.step(s.simulation.step);
    clip.add(report, sim.state(), display.of(report));
    if (report.failed()) break;
  }
  return play::player_page(play::player_parts(clip));
}

}  // namespace cairn::reproduce
