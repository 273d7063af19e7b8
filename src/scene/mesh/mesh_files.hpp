// The mesh files that a scene names: which ones it may, and each read once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cairn/scene.hpp"
#include "mesh/files/read_mesh.hpp"
#include "scene/fields.hpp"

namespace cairn::scene {

class MeshFiles {
 public:
  MeshFiles(const std::string& scene_file, FileAccess access)
      : scene_file_(scene_file), access_(std::move(access)) {}

  // The file under the key "file"; null after an error.
  std::shared_ptr<const mesh::MeshFile> read(const Fields& fields, SceneErrors& errors);

  // The name under which the mesh is drawn; equal keys have one.
  std::string draw(const std::string& key, const std::string& file, const mesh::TriangleMesh& mesh);
  void add_drawn(std::shared_ptr<const DrawnMesh> mesh) { drawn_.push_back(std::move(mesh)); }
  const std::vector<std::shared_ptr<const DrawnMesh>>& drawn() const { return drawn_; }

  void note(const std::string& text);  // once
  const std::vector<std::string>& notes() const { return notes_; }
  const FileAccess& access() const { return access_; }
  std::string path_of(const std::string& name) const;  // relative to the folder of the scene

 private:
  bool allowed(const std::string& file) const;

  std::string scene_file_;
  FileAccess access_;
  std::map<std::string, std::shared_ptr<const mesh::MeshFile>> known_;
  std::map<std::string, std::string> names_;  // of drawn meshes, by key
  std::vector<std::shared_ptr<const DrawnMesh>> drawn_;
  std::vector<std::string> notes_;
};

}  // namespace cairn::scene
