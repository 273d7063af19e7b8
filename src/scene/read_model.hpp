// The part of a scene that describes the mechanical system: materials, bodies, joints, forces,
// generators.
#pragma once

#include <string>
#include <vector>

#include "base/json/document.hpp"
#include "cairn/model.hpp"
#include "scene/fields.hpp"

namespace cairn::scene {

// Where a body or a joint of the description stands in the document, for errors that are found
// later.
struct Origin {
  const json::Node* node = nullptr;
  std::string path;                       // of the node
  const json::Node* generator = nullptr;  // that made it; null: it is written out
  std::string generator_path;
};

struct ReadModel {
  ModelDescription description;
  std::vector<Origin> bodies, joints;  // beside the lists of the description
  double generated_parts = 0;          // shapes and vertices of generated bodies
};

// Of a document whose root is an object.
ReadModel read_model(const json::Node& root, SceneErrors& errors);

// A body or, with template_fields(), the body that a generator repeats.
BodyDescription read_body(const json::Node& node, const std::string& path, const FieldTable& table,
                          SceneErrors& errors);

// `bodies` stay empty where the node is a chain's joint, which has none.
JointDescription read_joint(const json::Node& node, const std::string& path,
                            const FieldTable& table, SceneErrors& errors);

}  // namespace cairn::scene
