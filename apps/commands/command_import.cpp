// cairn import: a model of another program as a scene; and cairn export --to urdf, the way back.
#include <filesystem>
#include <fmt/format.h>

#include "cairn/trace.hpp"
#include "commands/commands.hpp"
#include "record/run/files.hpp"
#include "runs/find_trace.hpp"
#include "terminal/input_file.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

namespace fs = std::filesystem;

Json import_json(const ImportCommand& options, const ImportedModel& model, const Scene& scene) {
  Json notes = Json::array();
  for (const ImportNote& note : model.notes)
    notes.push_back({{"file", note.file},
                     {"line", note.line},
                     {"column", note.column},
                     {"element", note.element},
                     {"attribute", note.attribute},
                     {"text", note.text}});
  return {{"file", options.file},
          {"format", model.format},
          {"name", model.name},
          {"base", model.base},
          {"scene", options.out},
          {"bodies", scene.model->bodies.size()},
          {"joints", scene.model->joints.size()},
          {"notes", notes}};
}

std::string import_text(const ImportCommand& options, const ImportedModel& model,
                        const Scene& scene) {
  std::string text;
  const auto add = [&](const char* key, const std::string& value) {
    text += fmt::format("{:<12} {}\n", key, printable(value));
  };
  add("model", model.name + " (" + model.format + ")");
  add("base", model.base);
  add("scene", fmt::format("{}, {} bodies, {} joints", options.out, scene.model->bodies.size(),
                           scene.model->joints.size()));
  const std::vector<std::string> notes = note_lines(model.notes);
  add("notes", notes.empty()
                   ? "none: all of the file is in the scene"
                   : fmt::format("{}, of what is not in the scene as in the file", notes.size()));
  for (const std::string& note : notes) text += "  " + printable(note) + "\n";
  return text;
}

// The scene of a scene file, of a model, or of a recording.
Result<Scene> scene_of(const std::string& input) {
  if (const Result<std::string> trace = find_trace(input); trace && *trace != input) {
    Result<TraceReader> reader = TraceReader::open(*trace);
    if (!reader) return tl::unexpected<Errors>(reader.error());
    return parse_scene(reader->header().scene, *trace);
  }
  if (Result<TraceReader> reader = TraceReader::open(input); reader)
    return parse_scene(reader->header().scene, input);
  if (const Result<void> there = check_input(input, "scene file"); !there)
    return tl::unexpected<Errors>(there.error());
  return load_scene(input);
}

}  // namespace

std::string import_words(const ImportOptions& options) {
  std::string words;
  if (options.base == ImportBase::free) words += " --base free";
  if (options.base == ImportBase::fixed) words += " --base fixed";
  for (const auto& [name, folder] : options.packages)
    words += " --package " + shell_word(name + "=" + folder);
  const ImportOptions standard;
  if (options.friction != standard.friction)
    words += fmt::format(" --friction {}", options.friction);
  if (options.floor) words += fmt::format(" --floor {}", *options.floor);
  if (options.balance_inertia) words += " --balance-inertia";
  if (options.bound_mass > 0) words += fmt::format(" --bound-mass {}", options.bound_mass);
  if (options.bound_inertia > 0) words += fmt::format(" --bound-inertia {}", options.bound_inertia);
  if (!options.keyframe.empty()) words += " --keyframe " + shell_word(options.keyframe);
  return words;
}

int import_file(const ImportCommand& options) {
  if (const Result<void> input = check_input(options.file, "model file"); !input)
    return report(input.error());
  ImportOptions import = options.import;
  if (!options.out.empty()) {
    if (const Result<void> kept = record::check_input_is_kept(options.file, options.out, "model");
        !kept)
      return report(kept.error());
    import.output_folder = fs::path(options.out).parent_path().string();
    if (import.output_folder.empty()) import.output_folder = ".";
  }
  // The scene is read as it will be, so that no file is written that cannot be run; errors have the
  // places of the model.
  const Result<Scene> scene = load_scene(options.file, {}, options.import);
  if (!scene) return report(scene.error());
  const Result<ImportedModel> model = import_model(options.file, import);
  if (!model) return report(model.error());
  if (options.out.empty()) {
    print(options.json ? text(import_json(options, *model, *scene)) : model->scene + "\n");
    for (const std::string& note : note_lines(model->notes))
      if (!options.json) warn("note: " + printable(note));
    return exit_ok;
  }
  const Result<void> written = record::write_file(options.out, model->scene + "\n");
  if (!written) return report(written.error());
  print(options.json ? text(import_json(options, *model, *scene))
                     : import_text(options, *model, *scene));
  return exit_ok;
}

int export_urdf(const ExportCommand& options) {
  const Result<Scene> scene = scene_of(options.input);
  if (!scene) return report(scene.error());
  const Result<std::string> robot = urdf_text(*scene);
  if (!robot) return report(robot.error());
  std::string out = options.out;
  if (out.empty()) {
    const fs::path input = fs::is_directory(options.input) ? fs::path(options.input) / "robot"
                                                           : fs::path(options.input);
    out = fs::path(input).replace_extension(".urdf").string();
  }
  if (const Result<void> kept = record::check_input_is_kept(options.input, out, "scene"); !kept)
    return report(kept.error());
  const Result<void> written = record::write_file(out, *robot);
  if (!written) return report(written.error());
  print(
      options.json
          ? text(Json{{"scene", options.input}, {"format", "urdf"}, {"files", Json::array({out})}})
          : fmt::format("written      {}\n", printable(out)));
  return exit_ok;
}

}  // namespace cairn::app
