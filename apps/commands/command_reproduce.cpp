// cairn reproduce: the papers' figures beside ours, with verdicts and plots.
#include <fmt/format.h>

#include "base/suggestion.hpp"
#include "commands/commands.hpp"
#include "record/run/files.hpp"
#include "reproduce/gallery.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

constexpr reproduce::Source all_sources[] = {
    reproduce::Source::paper, reproduce::Source::closed_form, reproduce::Source::reference};

Json experiment_json(const reproduce::Experiment& experiment,
                     const reproduce::ReproducedEntry& entry) {
  Json json = {{"id", experiment.id}, {"entry", entry.entry}};
  for (const reproduce::Source source : all_sources)
    json[reproduce::name(source)] = source == entry.source ? Json(entry.expected) : Json();
  json["place"] = entry.place;
  json["reading"] = reproduce::name(entry.reading);
  json["ours"] = entry.ours;
  json["difference"] = entry.difference();
  json["verdict"] = reproduce::name(entry.verdict());
  if (!entry.sample.empty())
    json["spread"] = {
        {"count", entry.sample.size()},
        {"least", entry.sample.front()},
        {"quartiles",
         {reproduce::quantile(entry.sample, 0.25), reproduce::quantile(entry.sample, 0.5),
          reproduce::quantile(entry.sample, 0.75)}},
        {"largest", entry.sample.back()},
        {"values", entry.sample}};
  return json;
}

std::string experiment_text(const reproduce::Experiment& experiment,
                            const reproduce::Reproduction& result) {
  std::string text = fmt::format("{}: {}\n", experiment.id, experiment.text);
  text += fmt::format("  {:<72} {:>17} {:>17} {:>17} {:>14} {:>12}  {:<8} {}\n", "entry", "paper",
                      "closed form", "reference", "ours", "difference", "verdict", "place");
  for (const reproduce::ReproducedEntry& e : result.entries) {
    text += fmt::format("  {:<72}", e.entry);
    for (const reproduce::Source source : all_sources)
      text += source == e.source
                  ? fmt::format(" {:>5} {:>11.8g}",
                                e.reading == reproduce::Reading::value ? "" : name(e.reading),
                                e.expected)
                  : fmt::format(" {:>17}", "");
    text += fmt::format(" {:>14.9g} {:>12.3g}  {:<8} {}\n", e.ours, e.difference(),
                        reproduce::name(e.verdict()), e.place);
    if (e.sample.empty()) continue;
    text +=
        fmt::format("    of {} seeds: quartiles {:.4g} and {:.4g}, least {:.4g}, largest {:.4g}\n",
                    e.sample.size(), reproduce::quantile(e.sample, 0.25),
                    reproduce::quantile(e.sample, 0.75), e.sample.front(), e.sample.back());
  }
  for (const std::string& note : result.notes) text += "  " + note + "\n";
  return text;
}

int list(bool json) {
  Json ids = Json::array();
  std::string text;
  for (const reproduce::Experiment& e : reproduce::experiments()) {
    ids.push_back({{"id", e.id}, {"text", e.text}});
    text += fmt::format("{:<24} {}\n", e.id, e.text);
  }
  print(json ? app::text(ids) : text);
  return exit_ok;
}

// The page of all experiments and, beside it, those that play their runs.
Result<void> write_gallery(const std::string& folder,
                           const std::vector<reproduce::GalleryEntry>& entries,
                           const reproduce::ReproduceSetting& setting) {
  for (const reproduce::GalleryEntry& entry : entries)
    for (std::size_t i = 0; i < entry.result.players.size(); ++i) {
      const std::string page = reproduce::play_scene(entry.result.players[i], setting);
      if (setting.stopped()) return {};
      const std::string path = folder + "/" + reproduce::player_file(*entry.experiment, i);
      if (Result<void> written = record::write_file(path, page); !written) return written;
    }
  return record::write_file(folder + "/index.html", reproduce::gallery_page(entries, setting.fast));
}

}  // namespace

int reproduce(const ReproduceOptions& options) {
  if (options.ids.empty()) return list(options.json);
  std::vector<const reproduce::Experiment*> chosen;
  for (const std::string& id : options.ids) {
    if (id == "all") {
      for (const reproduce::Experiment& e : reproduce::experiments()) chosen.push_back(&e);
      continue;
    }
    chosen.push_back(reproduce::find_experiment(id));
    if (chosen.back()) continue;
    std::vector<std::string_view> known;
    std::string allowed = "all";
    for (const reproduce::Experiment& e : reproduce::experiments()) {
      known.push_back(e.id);
      allowed += fmt::format(", {}", e.id);
    }
    Error error;
    error.kind = ErrorKind::usage;
    error.code = ErrorCode::unknown_choice;
    error.what = "unknown experiment";
    error.got = id;
    error.allowed = allowed;
    error.fix = base::did_you_mean(id, known, "see cairn reproduce");
    return report({error});
  }
  for (const std::string& folder : {options.out, options.html}) {
    if (folder.empty()) continue;
    const Result<void> made = record::make_folder(folder);
    if (!made) return report(made.error());
  }
  watch_signals();
  Json json = Json::array();
  bool agrees = true;
  const reproduce::ReproduceSetting setting{
      .fast = options.fast, .full = options.full, .interrupted = received_signal};
  std::vector<reproduce::GalleryEntry> gallery;
  for (const reproduce::Experiment* experiment : chosen) {
    const reproduce::Reproduction result = experiment->run(setting);
    if (received_signal() != 0) return exit_signal + received_signal();
    for (const reproduce::ReproducedEntry& entry : result.entries) {
      agrees = agrees && entry.verdict() != reproduce::Verdict::differs;
      json.push_back(experiment_json(*experiment, entry));
    }
    if (!options.out.empty())
      for (const reproduce::Drawing& drawing : result.drawings) {
        const Result<void> written = record::write_file(
            options.out + "/" + drawing.file, page::plot_file(drawing.plot, drawing.curves));
        if (!written) return report(written.error());
      }
    if (!options.json) print(experiment_text(*experiment, result));
    gallery.push_back({experiment, result});
  }
  if (!options.html.empty()) {
    const Result<void> written = write_gallery(options.html, gallery, setting);
    if (!written) return report(written.error());
    if (received_signal() != 0) return exit_signal + received_signal();
    if (!options.json) print(fmt::format("gallery      {}/index.html\n", printable(options.html)));
  }
  if (options.json) print(text(json));
  return agrees ? exit_ok : exit_failed;
}

}  // namespace cairn::app
