// Loads scenes: text to document, assignments, description and settings, then the builder; writes
// the Scene or all errors with their places in the file.
#include <algorithm>
#include <filesystem>

#include "base/boundary.hpp"
#include "base/input_file.hpp"
#include "base/json/document.hpp"
#include "base/json/utf8.hpp"
#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "imports/imports.hpp"
#include "scene/assignments.hpp"
#include "scene/contact_checks.hpp"
#include "scene/fields.hpp"
#include "scene/format/resolved.hpp"
#include "scene/includes.hpp"
#include "scene/paths.hpp"
#include "scene/read_model.hpp"
#include "scene/settings.hpp"
#include "scene/speed_checks.hpp"

namespace cairn {
namespace {

constexpr std::int64_t format_version = 1;

struct Place {
  const json::Node* node;
  std::string path;
};

// Where a path of the description, as the builder knows it, stands in the document: lists may have
// grown by generators.
Place place_in(const std::vector<scene::Origin>& origins, const std::string& list,
               const std::string& path, const json::Node& root) {
  const std::size_t close = path.find(']');
  const std::size_t start = list.size() + 1;
  const auto number = static_cast<std::size_t>(std::stoul(path.substr(start, close - start)));
  const scene::Origin& origin = origins[number];
  std::string rest = path.substr(close + 1);
  // A mesh may have become several shapes.
  constexpr std::string_view shapes = ".shapes[";
  if (rest.starts_with(shapes)) {
    const std::size_t end = rest.find(']');
    const auto shape =
        static_cast<std::size_t>(std::stoul(rest.substr(shapes.size(), end - shapes.size())));
    if (shape < origin.shapes.size())
      rest = std::string(shapes) + std::to_string(origin.shapes[shape]) + rest.substr(end);
  }
  if (!origin.generator) {
    const std::string at = path.substr(0, close + 1) + rest;
    return {&scene::deepest(root, at), at};
  }
  // Names, positions and partners are the generator's doing, all else is the template's.
  if (rest == ".name" || rest == ".position" || rest.starts_with(".bodies")) {
    const std::string at = rest == ".name" ? origin.generator_path + rest : origin.generator_path;
    return {&scene::deepest(root, at), at};
  }
  if (rest.starts_with('.')) rest.erase(0, 1);
  return {&scene::deepest(*origin.node, rest),
          rest.empty() ? origin.path : scene::child_path(origin.path, rest)};
}

Place place_of(const std::string& path, const json::Node& root, const scene::ReadModel& read) {
  if (path.starts_with("bodies[")) return place_in(read.bodies, "bodies", path, root);
  if (path.starts_with("joints[")) return place_in(read.joints, "joints", path, root);
  std::string at = path;
  if (path.starts_with("forces[")) {
    // The scene calls both "value".
    for (const std::string_view name : {".force[", ".torque["})
      if (const std::size_t i = at.find(name); i != std::string::npos)
        at.replace(i, name.size(), ".value[");
  }
  return {&scene::deepest(root, at), at};
}

// The list element or material that a path belongs to.
std::string item_of(const std::string& path) {
  if (path.starts_with("materials.")) return path.substr(0, path.rfind('.'));
  return path.substr(0, path.find(']'));
}

// Adds the builder's errors, without those that only follow from an error of the reader.
void add_build_errors(const Errors& found, const Errors& earlier, const json::Node& root,
                      const scene::ReadModel& read, scene::SceneErrors& errors) {
  bool names_uncertain = false;
  for (const Error& e : earlier)
    names_uncertain |= e.path.starts_with("generate") || e.path.starts_with("bodies");
  for (Error error : found) {
    const bool link = error.path.starts_with("joints[") || error.path.starts_with("forces[") ||
                      error.path.starts_with("no_contact[") || error.path.starts_with("gears[");
    Place place = place_of(error.path, root, read);
    const auto same_item = [&](const Error& e) { return item_of(e.path) == item_of(place.path); };
    if ((link && names_uncertain) || std::any_of(earlier.begin(), earlier.end(), same_item))
      continue;
    error.path = std::move(place.path);
    errors.add(*place.node, std::move(error));
  }
}

void read_version(const json::Node& root, scene::SceneErrors& errors) {
  const json::Node* version = root.find("cairn");
  if (!version) return;  // reported as missing
  std::int64_t number = 0;
  scene::read_integer(*version, "cairn", number, format_version, format_version, errors);
}

std::string stem(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

// Files that include each other, the main one first.
using OpenFiles = std::vector<std::string>;

// How files are read that are no scenes, and which ones may be.
struct Sources {
  ImportOptions import;
  const FileAccess& access;
};

Result<Scene> load_included(const std::string& file, const Sources& sources, OpenFiles open);

// The scene of a document, whose places are those of the file.
Result<Scene> read_scene(json::Node root, const std::string& file,
                         const std::vector<std::string>& assignments,
                         std::vector<std::string> warnings, const Sources& sources,
                         const OpenFiles& open) {
  scene::SceneErrors errors(file, assignments);
  if (!root.is(json::Node::Kind::object)) {
    errors.wrong_type(root, "", "a scene, which is an object {...}");
    return tl::unexpected<Errors>(errors.take());
  }
  if (Result<void> applied =
          scene::apply_assignments(assignments, scene::AssignmentPart::to_includes, root);
      !applied)
    return tl::unexpected<Errors>(std::move(applied.error()));
  const auto load = [&](const std::string& name, const ImportOptions& options) {
    return load_included(name, {options, sources.access}, open);
  };
  scene::expand_includes(root, load, errors, warnings);
  if (!errors.ok()) return tl::unexpected<Errors>(errors.take());
  if (Result<void> applied =
          scene::apply_assignments(assignments, scene::AssignmentPart::to_others, root);
      !applied)
    return tl::unexpected<Errors>(std::move(applied.error()));

  // What the document says.
  Scene scene;
  scene.file = file;
  read_version(root, errors);
  scene::ReadModel read = scene::read_model(root, sources.access, errors);
  if (!root.find("name")) read.description.name = stem(file);
  if (!json::is_utf8(read.description.name))
    errors.add(root, {.code = ErrorCode::encoding,
                      .path = "name",
                      .what = "the scene is named after its file, whose name is not valid UTF-8",
                      .allowed = "UTF-8 text",
                      .fix = "rename the file, or give the scene a name"});
  if (const json::Node* simulation = root.find("simulation"))
    scene.simulation = scene::read_simulation(*simulation, "simulation", errors);
  if (const json::Node* expect = root.find("expect"); expect && expect->is(json::Node::Kind::array))
    for (std::size_t i = 0; i < expect->items.size(); ++i)
      scene.expect.push_back(
          scene::read_expectation(expect->items[i], scene::item_path("expect", i), errors));
  else if (expect)
    errors.wrong_type(*expect, "expect", "an array");

  // What the builder makes of it.
  const Errors earlier = errors.take();
  scene::SceneErrors all(file, assignments);
  Result<BuiltModel> built = build(read.description);
  if (built)
    if (const Result<void> taken = accepts(scene.simulation.scheme, scene.simulation.solver,
                                           *built->model, *built->initial);
        !taken)
      built = tl::unexpected<Errors>(taken.error());
  if (built) {
    model::Checks checks;
    scene::check_contacts(*built->model, *built->initial, read.description.bodies, checks);
    if (!checks.ok()) built = tl::unexpected<Errors>(checks.take_errors());
  }
  if (built && earlier.empty()) {
    model::Checks checks;
    scene::check_speeds(*built->model, scene.simulation.step, read.description.bodies, checks);
    if (!checks.ok()) built = tl::unexpected<Errors>(checks.take_errors());
  }
  if (!built) add_build_errors(built.error(), earlier, root, read, all);
  if (!earlier.empty() || !built) {
    Errors list = earlier;
    for (Error& error : all.take())
      if (list.size() < base::ErrorList::limit) list.push_back(std::move(error));
    std::stable_sort(list.begin(), list.end(),
                     [](const Error& a, const Error& b) { return a.line < b.line; });
    return tl::unexpected<Errors>(std::move(list));
  }

  scene.description = std::move(read.description);
  scene.name = scene.description.name;
  scene.model = std::move(built->model);
  scene.initial = std::move(built->initial);
  scene.notes = read.files.notes();
  scene.warnings = std::move(warnings);
  scene.warnings.insert(scene.warnings.end(), built->warnings.begin(), built->warnings.end());
  scene.resolved = scene::resolved_text(scene);
  return scene;
}

// A file of another program, as a scene.
Result<Scene> read_model_text(const std::string& text, const std::string& file,
                              const std::vector<std::string>& assignments, const Sources& sources,
                              const OpenFiles& open) {
  Result<imports::Imported> imported = imports::import_text(text, file, sources.import);
  if (!imported) return tl::unexpected<Errors>(std::move(imported.error()));
  std::vector<std::string> warnings = note_lines(imported->notes);
  FileAccess access = sources.access;
  access.folders.insert(access.folders.end(), imported->folders.begin(), imported->folders.end());
  warnings.insert(warnings.begin(), imported->format + ": base " + imported->base);
  return read_scene(std::move(imported->scene), file, assignments, std::move(warnings),
                    {sources.import, access}, open);
}

Result<Scene> read_text(const std::string& text, const std::string& file,
                        const std::vector<std::string>& assignments, const Sources& sources,
                        const OpenFiles& open) {
  if (is_model_text(text)) return read_model_text(text, file, assignments, sources, open);
  Result<json::Node> document = json::parse_document(text, file);
  if (!document) return tl::unexpected<Errors>(std::move(document.error()));
  return read_scene(std::move(*document), file, assignments, {}, sources, open);
}

Result<Scene> load_included(const std::string& file, const Sources& sources, OpenFiles open) {
  constexpr std::size_t deepest = 10;
  const std::string path = std::filesystem::path(file).lexically_normal().string();
  const bool cycle = std::find(open.begin(), open.end(), path) != open.end();
  if (cycle || open.size() > deepest)
    return fail({.kind = cycle ? ErrorKind::input : ErrorKind::limit,
                 .code = cycle ? ErrorCode::conflict : ErrorCode::too_deep,
                 .file = file,
                 .what = cycle ? "the file includes itself" : "includes are nested too deeply",
                 .allowed = cycle ? "files without a cycle"
                                  : "at most " + std::to_string(deepest) + " levels",
                 .fix = "remove the include"});
  const Result<std::string> text = base::read_input(file, json::DocumentLimits{}.bytes);
  if (!text) return tl::unexpected<Errors>(text.error());
  open.push_back(path);
  return read_text(*text, file, {}, sources, open);
}

OpenFiles only(const std::string& file) {
  return {std::filesystem::path(file).lexically_normal().string()};
}

}  // namespace

Result<Scene> parse_scene(const std::string& text, const std::string& file,
                          const std::vector<std::string>& assignments,
                          const FileAccess& access) try {
  return read_text(text, file, assignments, {{}, access}, only(file));
} catch (...) {
  return fail(base::caught_error());
}

Result<Scene> load_scene(const std::string& file, const std::vector<std::string>& assignments,
                         const ImportOptions& options, const FileAccess& access) try {
  const Result<std::string> text = base::read_input(file, json::DocumentLimits{}.bytes);
  if (!text) return tl::unexpected<Errors>(text.error());
  return read_text(*text, file, assignments, {options, access}, only(file));
} catch (...) {
  return fail(base::caught_error());
}

Result<Scene> load_scene(const std::string& file, const std::vector<std::string>& assignments) {
  return load_scene(file, assignments, {}, {});
}

}  // namespace cairn
