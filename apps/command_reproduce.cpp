// cairn reproduce: the papers' figures beside ours, with verdicts and plots.
#include <fmt/format.h>

#include "base/suggestion.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "json.hpp"
#include "record/files.hpp"
#include "reproduce/gallery.hpp"
#include "terminal.hpp"

namespace cairn::app {
namespace {

Json experiment_json(const Experiment& experiment, const ReproducedEntry& entry) {
  return {{"id", experiment.id},
          {"entry", entry.entry},
          {"paper", entry.paper},
          {"reading", name(entry.reading)},
          {"ours", entry.ours},
          {"difference", entry.difference()},
          {"verdict", name(entry.verdict())}};
}

std::string experiment_text(const Experiment& experiment, const Reproduction& result) {
  std::string text = fmt::format("{}: {}\n", experiment.id, experiment.text);
  text += fmt::format("  {:<72} {:>15} {:>14} {:>12}  {}\n", "entry", "paper", "ours", "difference",
                      "verdict");
  for (const ReproducedEntry& e : result.entries)
    text += fmt::format("  {:<72} {:>2} {:>12.9g} {:>14.9g} {:>12.3g}  {}\n", e.entry,
                        name(e.reading), e.paper, e.ours, e.difference(), name(e.verdict()));
  for (const std::string& note : result.notes) text += "  " + note + "\n";
  return text;
}

int list(bool json) {
  Json ids = Json::array();
  std::string text;
  for (const Experiment& e : experiments()) {
    ids.push_back({{"id", e.id}, {"text", e.text}});
    text += fmt::format("{:<24} {}\n", e.id, e.text);
  }
  print(json ? app::text(ids) : text);
  return exit_ok;
}

// The page of all experiments and, beside it, those that play their runs.
Result<void> write_gallery(const std::string& folder, const std::vector<GalleryEntry>& entries,
                           const ReproduceSetting& setting) {
  for (const GalleryEntry& entry : entries)
    for (std::size_t i = 0; i < entry.result.players.size(); ++i) {
      const std::string page = play_scene(entry.result.players[i], setting);
      if (setting.stopped()) return {};
      const std::string path = folder + "/" + player_file(*entry.experiment, i);
      if (Result<void> written = write_file(path, page); !written) return written;
    }
  return write_file(folder + "/index.html", gallery_page(entries, setting.fast));
}

}  // namespace

int reproduce(const ReproduceOptions& options) {
  if (options.ids.empty()) return list(options.json);
  std::vector<const Experiment*> chosen;
  for (const std::string& id : options.ids) {
    if (id == "all") {
      for (const Experiment& e : experiments()) chosen.push_back(&e);
      continue;
    }
    chosen.push_back(find_experiment(id));
    if (chosen.back()) continue;
    std::vector<std::string_view> known;
    std::string allowed = "all";
    for (const Experiment& e : experiments()) {
      known.push_back(e.id);
      allowed += fmt::format(", {}", e.id);
    }
    Error error;
    error.kind = ErrorKind::usage;
    error.code = ErrorCode::unknown_choice;
    error.what = "unknown experiment";
    error.got = id;
    error.allowed = allowed;
    error.fix = did_you_mean(id, known, "see cairn reproduce");
    return report({error});
  }
  for (const std::string& folder : {options.out, options.html}) {
    if (folder.empty()) continue;
    const Result<void> made = make_folder(folder);
    if (!made) return report(made.error());
  }
  watch_signals();
  Json json = Json::array();
  bool agrees = true;
  const ReproduceSetting setting{.fast = options.fast, .interrupted = received_signal};
  std::vector<GalleryEntry> gallery;
  for (const Experiment* experiment : chosen) {
    const Reproduction result = experiment->run(setting);
    if (received_signal() != 0) return exit_signal + received_signal();
    for (const ReproducedEntry& entry : result.entries) {
      agrees = agrees && entry.verdict() != Verdict::differs;
      json.push_back(experiment_json(*experiment, entry));
    }
    if (!options.out.empty())
      for (const Drawing& drawing : result.drawings) {
        const Result<void> written =
            write_file(options.out + "/" + drawing.file, plot_file(drawing.plot, drawing.curves));
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
