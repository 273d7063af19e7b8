// The JSON Schema of the scene format, made from the field tables and describe(); writes a JSON
// text.
#include <cmath>
#include <fmt/format.h>

#include "cairn/scene.hpp"
#include "scene/document.hpp"
#include "scene/settings.hpp"
#include "scene/tables.hpp"

namespace cairn {
namespace {

Node of_type(const char* type) {
  Node node = Node::object();
  node.set("type", type);
  return node;
}

Node reference(const std::string& name) {
  Node node = Node::object();
  node.set("$ref", "#/$defs/" + name);
  return node;
}

Node array_of(Node items, double fewest = 0, double most = 0) {
  Node node = of_type("array");
  node.set("items", std::move(items));
  if (fewest > 0) node.set("minItems", fewest);
  if (most > 0) node.set("maxItems", most);
  return node;
}

Node one_of(std::vector<Node> schemas) {
  Node node = Node::object();
  node.set("oneOf", Node::array(std::move(schemas)));
  return node;
}

Node inertia_schema() {
  return one_of({of_type("number"), reference("vector3"), array_of(reference("vector3"), 3, 3)});
}

Node orientation_schema() {
  Node axis_angle = of_type("object");
  Node& properties = axis_angle.set("properties", Node::object());
  properties.set("axis", reference("vector3"));
  properties.set("angle", of_type("number"));
  properties.set("angle_deg", of_type("number"));
  axis_angle.set("required", Node::array({"axis"}));
  axis_angle.set("minProperties", 2);
  axis_angle.set("maxProperties", 2);
  axis_angle.set("additionalProperties", Node::of(false));
  return one_of({array_of(of_type("number"), 4, 4), std::move(axis_angle)});
}

Node schema_of(FieldType type, const std::string& key) {
  switch (type) {
    case FieldType::boolean:
      return of_type("boolean");
    case FieldType::number:
      return of_type("number");
    case FieldType::integer:
      return of_type("integer");
    case FieldType::text:
      return of_type("string");
    case FieldType::numbers:
      return array_of(of_type("number"));
    case FieldType::points2:
      return array_of(array_of(of_type("number"), 2, 2));
    case FieldType::points3:
      return array_of(reference("vector3"));
    case FieldType::vector2:
      return array_of(of_type("number"), 2, 2);
    case FieldType::vector3:
      return reference("vector3");
    case FieldType::counts:
      return array_of(of_type("integer"), 3, 3);
    case FieldType::number_or_vector3:
      return one_of({of_type("number"), reference("vector3")});
    case FieldType::expression:
      return reference("expression");
    case FieldType::expressions:
      return array_of(reference("expression"), 3, 3);
    case FieldType::orientation:
      return reference("orientation");
    case FieldType::inertia:
      return reference("inertia");
    case FieldType::body_pair:
      return array_of(of_type("string"), 2, 2);
    case FieldType::anchors:
      return array_of(reference("vector3"), 2, 2);
    case FieldType::body_pairs:
      return array_of(array_of(of_type("string"), 2, 2));
    case FieldType::restitution_law: {
      Node node = of_type("string");
      node.set("enum", Node::array(std::vector<Node>(restitution_law_names.begin(),
                                                     restitution_law_names.end())));
      return node;
    }
    case FieldType::options:
      return reference(key);
    case FieldType::motion:
      return reference("motion");
    case FieldType::chain_joint:
      return reference("chain_joint");
    case FieldType::body_template:
      return reference("template");
    case FieldType::materials: {
      Node node = of_type("object");
      node.set("additionalProperties", reference("material"));
      return node;
    }
    case FieldType::bodies:
      return array_of(reference("body"));
    case FieldType::shapes:
      return array_of(reference("shape"));
    case FieldType::joints:
      return array_of(reference("joint"));
    case FieldType::forces:
      return array_of(reference("force"));
    case FieldType::generators:
      return array_of(reference("generator"));
    case FieldType::simulation:
      return reference("simulation");
    case FieldType::expectations:
      return array_of(reference("expectation"));
  }
  return Node::object();
}

std::string description_of(const Field& field) {
  return *field.unit ? fmt::format("{} [{}]", field.text, field.unit) : std::string(field.text);
}

// One of the three ways to give a hull.
Node sources_of_hull() {
  const auto needs = [](std::vector<Node> keys) {
    Node node = Node::object();
    node.set("required", Node::array(std::move(keys)));
    return node;
  };
  return Node::array({needs({"vertices"}), needs({"file"}), needs({"A", "b"})});
}

// `type_constant`: "type" may only hold the table's name.
Node schema_of(const FieldTable& table, bool type_constant) {
  Node node = of_type("object");
  Node& properties = node.set("properties", Node::object());
  Node required = Node::array();
  for (const Field& field : table.fields) {
    const bool is_type = type_constant && std::string_view(field.key) == "type";
    Node schema = is_type ? Node::object() : schema_of(field.type, field.key);
    if (is_type)
      schema.set("const", table.name);
    else
      schema.set("description", description_of(field));
    if (!field.standard) required.items.push_back(field.key);
    properties.set(field.key, std::move(schema));
  }
  if (std::string_view(table.name) == "hull") node.set("oneOf", sources_of_hull());
  if (!required.items.empty()) node.set("required", std::move(required));
  node.set("additionalProperties", Node::of(false));
  return node;
}

Node schema_of(const TypedTables& tables) {
  std::vector<Node> schemas;
  for (const FieldTable& table : tables) schemas.push_back(schema_of(table, true));
  return one_of(std::move(schemas));
}

// Visitor of describe().
struct OptionSchema {
  Node properties = Node::object();

  Node& add(const char* key, const char* type, const std::string& text) {
    Node& node = properties.set(key, of_type(type));
    node.set("description", text);
    return node;
  }
  void number(const char* key, double& value, const Range& range, const char* unit,
              const char* text) {
    Node& node = add(key, "number", fmt::format("{} [{}]", text, unit));
    if (std::isfinite(range.lo)) node.set(range.lo_open ? "exclusiveMinimum" : "minimum", range.lo);
    if (std::isfinite(range.hi)) node.set("maximum", range.hi);
    node.set("default", value);
  }
  template <class Integer>
  void integer(const char* key, Integer& value, std::int64_t lo, std::int64_t hi,
               const char* text) {
    Node& node = add(key, "integer", text);
    node.set("minimum", static_cast<double>(lo));
    node.set("maximum", static_cast<double>(hi));
    node.set("default", static_cast<double>(value));
  }
  void boolean(const char* key, bool& value, const char* text) {
    add(key, "boolean", text).set("default", Node::of(value));
  }
  template <class Enum>
  void choice(const char* key, Enum& value, Names names, const char* text) {
    Node& node = add(key, "string", text);
    node.set("enum", Node::array(std::vector<Node>(names.begin(), names.end())));
    node.set("default", names[static_cast<std::size_t>(value)]);
  }
};

// A name, or an object; only the first alternative may leave out its "type".
template <class Variant>
Node option_schema() {
  std::vector<Node> schemas;
  Node names = Node::array();
  for_each_alternative<Variant>([&](auto options) {
    OptionSchema visitor;
    Node type = Node::object();
    type.set("const", option_type(options));
    visitor.properties.set("type", std::move(type));
    describe(visitor, options);
    Node schema = of_type("object");
    schema.set("properties", std::move(visitor.properties));
    if (!names.items.empty()) schema.set("required", Node::array({"type"}));
    schema.set("additionalProperties", Node::of(false));
    schemas.push_back(std::move(schema));
    names.items.push_back(option_type(options));
  });
  Node name = of_type("string");
  name.set("enum", std::move(names));
  schemas.push_back(std::move(name));
  return one_of(std::move(schemas));
}

}  // namespace

std::string scene_schema() {
  Node root = schema_of(scene_fields(), false);
  root.set("$schema", "https://json-schema.org/draft/2020-12/schema");
  root.set("title", "Cairn scene");
  root.find("properties")->find("cairn")->set("const", 1);
  Node& defs = root.set("$defs", Node::object());
  defs.set("vector3", array_of(of_type("number"), 3, 3));
  defs.set("expression", one_of({of_type("number"), of_type("string")}));
  defs.set("orientation", orientation_schema());
  defs.set("inertia", inertia_schema());
  defs.set("material", schema_of(material_fields(), false));
  defs.set("body", schema_of(body_fields(), false));
  defs.set("template", schema_of(template_fields(), false));
  defs.set("motion", schema_of(motion_fields(), false));
  defs.set("shape", schema_of(shape_tables()));
  defs.set("joint", schema_of(joint_tables()));
  defs.set("chain_joint", schema_of(chain_joint_tables()));
  defs.set("force", schema_of(force_tables()));
  defs.set("generator", schema_of(generator_tables()));
  defs.set("simulation", schema_of(simulation_fields(), false));
  defs.set("expectation", schema_of(expectation_fields(), false));
  defs.set("scheme", option_schema<SchemeOptions>());
  defs.set("solver", option_schema<SolverOptions>());
  return to_json(root) + "\n";
}

}  // namespace cairn
