// The part of a scene that describes the mechanical system: materials, bodies, joints, forces,
// generators.
#pragma once

#include <string>
#include <vector>

#include "base/json/document.hpp"
#include "cairn/model.hpp"
#include "scene/fields.hpp"
#include "scene/mesh/mesh_files.hpp"

namespace cairn::scene {

// Where a body or a joint of the description stands in the document, for errors that are found
// later.
struct Origin {
  const json::Node* node = nullptr;
  std::string path;                       // of the node
  const json::Node* generator = nullptr;  // that made it; null: it is written out
  std::string generator_path;
  std::vector<std::size_t> shapes;  // of a body: which one of the document each shape comes from
};

struct ReadModel {
  explicit ReadModel(MeshFiles mesh_files) : files(std::move(mesh_files)) {}

  ModelDescription description;
  MeshFiles files;
  std::vector<Origin> bodies, joints;  // beside the lists of the description
  double generated_parts = 0;          // shapes and vertices of generated bodies
};

// Of a document whose root is an object.
ReadModel read_model(const json::Node& root, const FileAccess& access, SceneErrors& errors);

// A body or, with template_fields(), the body that a generator repeats.
struct ReadBody {
  BodyDescription description;
  std::vector<std::size_t> shapes;  // as Origin::shapes
};
ReadBody read_body(const json::Node& node, const std::string& path, const FieldTable& table,
                   MeshFiles& files, SceneErrors& errors);

// `bodies` stay empty where the node is a chain's joint, which has none.
JointDescription read_joint(const json::Node& node, const std::string& path,
                            const FieldTable& table, SceneErrors& errors);

}  // namespace cairn::scene
