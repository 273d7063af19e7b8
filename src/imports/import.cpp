#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

#include "base/boundary.hpp"
#include "base/input_file.hpp"
#include "imports/imports.hpp"
#include "imports/mjcf/read.hpp"
#include "imports/scene/document.hpp"
#include "imports/sdf/read.hpp"
#include "imports/urdf/read.hpp"

namespace cairn {
namespace imports {

Result<Imported> import_text(const std::string& text, const std::string& file,
                             const ImportOptions& options) {
  Result<Element> root = parse_xml(text, file);
  if (!root) return tl::unexpected<Errors>(root.error());
  root->used = true;
  const std::string folder = std::filesystem::path(file).parent_path().string();
  ImportOptions own = options;
  if (own.output_folder.empty()) own.output_folder = folder;
  Messages messages(file);
  Robot robot;
  Imported out;
  if (root->name == "robot") {
    out.format = "URDF";
    robot = read_urdf(*root, folder, own, messages);
  } else if (root->name == "mujoco") {
    out.format = "MJCF";
    robot = read_mjcf(*root, file, own, messages);
  } else if (root->name == "sdf") {
    out.format = "SDFormat";
    robot = read_sdf(*root, file, own, messages);
  } else {
    messages.error(root->place, ErrorCode::wrong_format, "", "the file is no model that is known",
                   "<" + root->name + ">", "<robot> (URDF), <mujoco> (MJCF) or <sdf> (SDFormat)",
                   "check the file");
  }
  own.balance_inertia |= robot.balance_inertia;
  own.bound_mass = std::max(own.bound_mass, robot.bound_mass);
  own.bound_inertia = std::max(own.bound_inertia, robot.bound_inertia);
  if (messages.ok()) out.scene = scene_document(robot, own, messages);
  if (!messages.ok()) return tl::unexpected<Errors>(messages.take_errors());
  messages.note_unused(*root);
  out.name = robot.name;
  out.base = robot.base;
  out.notes = messages.take_notes();
  out.folders = messages.take_folders();
  return out;
}

}  // namespace imports

bool is_model_text(std::string_view text) {
  return imports::looks_like_xml(text);
}

Result<ImportedModel> import_model(const std::string& file, const ImportOptions& options) try {
  const Result<std::string> text = base::read_input(file, imports::XmlLimits{}.bytes);
  if (!text) return tl::unexpected<Errors>(text.error());
  Result<imports::Imported> imported = imports::import_text(*text, file, options);
  if (!imported) return tl::unexpected<Errors>(imported.error());
  return ImportedModel{.format = std::move(imported->format),
                       .name = std::move(imported->name),
                       .base = std::move(imported->base),
                       .scene = json::to_json(imported->scene),
                       .notes = std::move(imported->notes)};
} catch (...) {
  return fail(base::caught_error());
}

std::vector<std::string> note_lines(const std::vector<ImportNote>& notes) {
  struct Group {
    std::string head;
    const ImportNote* first;
    int count = 0;
  };
  std::vector<Group> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const ImportNote& note : notes) {
    const std::string head =
        "<" + note.element + ">" + (note.attribute.empty() ? "" : " " + note.attribute);
    const auto [entry, is_new] = known.try_emplace({head, note.text}, groups.size());
    if (is_new) groups.push_back({head, &note});
    ++groups[entry->second].count;
  }
  std::vector<std::string> out;
  for (const Group& g : groups) {
    std::string line = g.first->file;
    if (g.first->line > 0) line += fmt::format(":{}", g.first->line);
    line += ": " + g.head + ": " + g.first->text;
    if (g.count > 1) line += fmt::format(" ({} times)", g.count);
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace cairn
