// Folders are compared after links are resolved, so that no link leads out of them.
#include "scene/mesh/mesh_files.hpp"

#include <algorithm>
#include <filesystem>

namespace cairn::scene {
namespace {

namespace fs = std::filesystem;

fs::path resolved_path(const fs::path& path) {
  std::error_code failed;
  fs::path full = fs::weakly_canonical(path.empty() ? fs::path(".") : path, failed);
  return failed ? path : full;
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  const fs::path base = folder.has_filename() ? folder : folder.parent_path();
  return std::mismatch(base.begin(), base.end(), file.begin(), file.end()).first == base.end();
}

}  // namespace

std::string MeshFiles::path_of(const std::string& name) const {
  return (fs::path(scene_file_).parent_path() / name).string();
}

bool MeshFiles::allowed(const std::string& file) const {
  const fs::path target = resolved_path(file);
  if (lies_in(target, resolved_path(fs::path(scene_file_).parent_path()))) return true;
  return std::any_of(
      access_.folders.begin(), access_.folders.end(),
      [&](const std::string& folder) { return lies_in(target, resolved_path(folder)); });
}

std::shared_ptr<const mesh::MeshFile> MeshFiles::read(const Fields& fields, SceneErrors& errors) {
  std::string name;
  if (!fields.read("file", name)) return nullptr;
  const std::string file = path_of(name);
  if (const auto known = known_.find(file); known != known_.end()) return known->second;
  if (!allowed(file)) {
    const std::string folder = resolved_path(file).parent_path().string();
    errors.add(*fields.find("file"), fields.path("file"), ErrorCode::cannot_read,
               "file lies outside the folder of the scene", "\"" + file + "\"",
               "files in the folder of the scene or below it",
               "copy the file there, or allow its folder: --allow-path " + folder);
    return nullptr;
  }
  Result<mesh::MeshFile> mesh = mesh::read_mesh(file);
  if (!mesh) {
    for (Error error : mesh.error()) {
      error.path = fields.path("file");
      errors.add_elsewhere(std::move(error));
    }
    return nullptr;
  }
  if (!mesh->notes.empty()) note(file + ": " + mesh->notes);
  return known_[file] = std::make_shared<const mesh::MeshFile>(std::move(*mesh));
}

std::string MeshFiles::draw(const std::string& key, const std::string& file,
                            const mesh::TriangleMesh& mesh) {
  const auto [known, is_new] = names_.try_emplace(key);
  if (!is_new) return known->second;
  const std::string stem = fs::path(file).stem().string();
  std::string name = stem;
  const auto taken = [&] {
    return std::any_of(drawn_.begin(), drawn_.end(),
                       [&](const auto& d) { return d->name == name; });
  };
  for (int n = 2; taken(); ++n) name = stem + "-" + std::to_string(n);
  const mesh::TriangleMesh used = mesh::compacted(mesh);
  drawn_.push_back(std::make_shared<const DrawnMesh>(DrawnMesh{name, used.points, used.triangles}));
  return known->second = name;
}

void MeshFiles::note(const std::string& text) {
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
}

}  // namespace cairn::scene
