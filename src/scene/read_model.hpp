// The part of a scene that describes the mechanical system: materials, bodies, joints, forces,
// generators.
#pragma once

#include <string>
#include <vector>

#include "cairn/model.hpp"
#include "scene/document.hpp"
#include "scene/fields.hpp"

namespace cairn {

// Where a body or a joint of the description stands in the document, for errors that are found
// later.
struct Origin {
  const Node* node = nullptr;
  std::string path;                 // of the node
  const Node* generator = nullptr;  // that made it; null: it is written out
  std::string generator_path;
};

struct ReadModel {
  ModelDescription description;
  std::vector<Origin> bodies, joints;  // beside the lists of the description
  double generated_parts = 0;          // shapes and vertices of generated bodies
};

// Of a document whose root is an object.
ReadModel read_model(const Node& root, SceneErrors& errors);

// A body or, with template_fields(), the body that a generator repeats.
BodyDescription read_body(const Node& node, const std::string& path, const FieldTable& table,
                          SceneErrors& errors);

// `bodies` stay empty where the node is a chain's joint, which has none.
JointDescription read_joint(const Node& node, const std::string& path, const FieldTable& table,
                            SceneErrors& errors);

}  // namespace cairn
