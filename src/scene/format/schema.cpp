// The JSON Schema of the scene format, made from the field tables and describe(); writes a JSON
// text.
#include <cmath>
#include <fmt/format.h>

#include "base/json/document.hpp"
#include "cairn/scene.hpp"
#include "scene/format/tables.hpp"
#include "scene/settings.hpp"

namespace cairn {
namespace {

json::Node of_type(const char* type) {
  json::Node node = json::Node::object();
  node.set("type", type);
  return node;
}

json::Node reference(const std::string& name) {
  json::Node node = json::Node::object();
  node.set("$ref", "#/$defs/" + name);
  return node;
}

json::Node array_of(json::Node items, double fewest = 0, double most = 0) {
  json::Node node = of_type("array");
  node.set("items", std::move(items));
  if (fewest > 0) node.set("minItems", fewest);
  if (most > 0) node.set("maxItems", most);
  return node;
}

json::Node one_of(std::vector<json::Node> schemas) {
  json::Node node = json::Node::object();
  node.set("oneOf", json::Node::array(std::move(schemas)));
  return node;
}

json::Node inertia_schema() {
  return one_of({of_type("number"), reference("vector3"), array_of(reference("vector3"), 3, 3)});
}

json::Node orientation_schema() {
  json::Node axis_angle = of_type("object");
  json::Node& properties = axis_angle.set("properties", json::Node::object());
  properties.set("axis", reference("vector3"));
  properties.set("angle", of_type("number"));
  properties.set("angle_deg", of_type("number"));
  axis_angle.set("required", json::Node::array({"axis"}));
  axis_angle.set("minProperties", 2);
  axis_angle.set("maxProperties", 2);
  axis_angle.set("additionalProperties", json::Node::of(false));
  return one_of({array_of(of_type("number"), 4, 4), std::move(axis_angle)});
}

json::Node schema_of(scene::FieldType type, const std::string& key) {
  switch (type) {
    case scene::FieldType::boolean:
      return of_type("boolean");
    case scene::FieldType::number:
      return of_type("number");
    case scene::FieldType::integer:
      return of_type("integer");
    case scene::FieldType::text:
      return of_type("string");
    case scene::FieldType::numbers:
      return array_of(of_type("number"));
    case scene::FieldType::points2:
      return array_of(array_of(of_type("number"), 2, 2));
    case scene::FieldType::points3:
      return array_of(reference("vector3"));
    case scene::FieldType::vector2:
      return array_of(of_type("number"), 2, 2);
    case scene::FieldType::vector3:
      return reference("vector3");
    case scene::FieldType::counts:
      return array_of(of_type("integer"), 3, 3);
    case scene::FieldType::number_or_vector3:
      return one_of({of_type("number"), reference("vector3")});
    case scene::FieldType::expression:
      return reference("expression");
    case scene::FieldType::expressions:
      return array_of(reference("expression"), 3, 3);
    case scene::FieldType::orientation:
      return reference("orientation");
    case scene::FieldType::inertia:
      return reference("inertia");
    case scene::FieldType::body_pair:
      return array_of(of_type("string"), 2, 2);
    case scene::FieldType::anchors:
      return array_of(reference("vector3"), 2, 2);
    case scene::FieldType::body_pairs:
      return array_of(array_of(of_type("string"), 2, 2));
    case scene::FieldType::restitution_law: {
      json::Node node = of_type("string");
      node.set("enum", json::Node::array(std::vector<json::Node>(restitution_law_names.begin(),
                                                                 restitution_law_names.end())));
      return node;
    }
    case scene::FieldType::plain_options:
    case scene::FieldType::options:
      return reference(key);
    case scene::FieldType::motion:
      return reference("motion");
    case scene::FieldType::motor:
      return reference("motor");
    case scene::FieldType::angle_coordinate:
      return reference("angle");
    case scene::FieldType::displacement_coordinate:
      return reference("displacement");
    case scene::FieldType::chain_joint:
      return reference("chain_joint");
    case scene::FieldType::body_template:
      return reference("template");
    case scene::FieldType::materials: {
      json::Node node = of_type("object");
      node.set("additionalProperties", reference("material"));
      return node;
    }
    case scene::FieldType::bodies:
      return array_of(reference("body"));
    case scene::FieldType::shapes:
      return array_of(reference("shape"));
    case scene::FieldType::visuals:
      return array_of(reference("visual"));
    case scene::FieldType::drawn_meshes: {
      json::Node node = of_type("object");
      node.set("additionalProperties", reference("drawn_mesh"));
      return node;
    }
    case scene::FieldType::texts:
      return array_of(of_type("string"));
    case scene::FieldType::joints:
      return array_of(reference("joint"));
    case scene::FieldType::gears:
      return array_of(reference("gear"));
    case scene::FieldType::gear_terms:
      return array_of(reference("gear_term"));
    case scene::FieldType::forces:
      return array_of(reference("force"));
    case scene::FieldType::generators:
      return array_of(reference("generator"));
    case scene::FieldType::includes:
      return array_of(reference("include"));
    case scene::FieldType::simulation:
      return reference("simulation");
    case scene::FieldType::expectations:
      return array_of(reference("expectation"));
  }
  return json::Node::object();
}

std::string description_of(const scene::Field& field) {
  return *field.unit ? fmt::format("{} [{}]", field.text, field.unit) : std::string(field.text);
}

// One of the three ways to give a hull.
json::Node sources_of_hull() {
  const auto needs = [](std::vector<json::Node> keys) {
    json::Node node = json::Node::object();
    node.set("required", json::Node::array(std::move(keys)));
    return node;
  };
  return json::Node::array({needs({"vertices"}), needs({"file"}), needs({"A", "b"})});
}

// `type_constant`: "type" may only hold the table's name.
json::Node schema_of(const scene::FieldTable& table, bool type_constant) {
  json::Node node = of_type("object");
  json::Node& properties = node.set("properties", json::Node::object());
  json::Node required = json::Node::array();
  for (const scene::Field& field : table.fields) {
    const bool is_type = type_constant && std::string_view(field.key) == "type";
    json::Node schema = is_type ? json::Node::object() : schema_of(field.type, field.key);
    if (is_type)
      schema.set("const", table.name);
    else
      schema.set("description", description_of(field));
    if (!field.standard) required.items.push_back(field.key);
    properties.set(field.key, std::move(schema));
  }
  if (std::string_view(table.name) == "hull") node.set("oneOf", sources_of_hull());
  if (!required.items.empty()) node.set("required", std::move(required));
  node.set("additionalProperties", json::Node::of(false));
  return node;
}

json::Node schema_of(const scene::TypedTables& tables) {
  std::vector<json::Node> schemas;
  for (const scene::FieldTable& table : tables) schemas.push_back(schema_of(table, true));
  return one_of(std::move(schemas));
}

// Visitor of describe().
struct OptionSchema {
  json::Node properties = json::Node::object();

  json::Node& add(const char* key, const char* type, const std::string& text) {
    json::Node& node = properties.set(key, of_type(type));
    node.set("description", text);
    return node;
  }
  void number(const char* key, double& value, const Range& range, const char* unit,
              const char* text) {
    json::Node& node = add(key, "number", fmt::format("{} [{}]", text, unit));
    if (std::isfinite(range.lo)) node.set(range.lo_open ? "exclusiveMinimum" : "minimum", range.lo);
    if (std::isfinite(range.hi)) node.set("maximum", range.hi);
    node.set("default", value);
  }
  template <class Integer>
  void integer(const char* key, Integer& value, std::int64_t lo, std::int64_t hi,
               const char* text) {
    json::Node& node = add(key, "integer", text);
    node.set("minimum", static_cast<double>(lo));
    node.set("maximum", static_cast<double>(hi));
    node.set("default", static_cast<double>(value));
  }
  void boolean(const char* key, bool& value, const char* text) {
    add(key, "boolean", text).set("default", json::Node::of(value));
  }
  template <class Enum>
  void choice(const char* key, Enum& value, Names names, const char* text) {
    json::Node& node = add(key, "string", text);
    node.set("enum", json::Node::array(std::vector<json::Node>(names.begin(), names.end())));
    node.set("default", names[static_cast<std::size_t>(value)]);
  }
};

// A name, or an object; only the first alternative may leave out its "type".
template <class Variant>
json::Node option_schema() {
  std::vector<json::Node> schemas;
  json::Node names = json::Node::array();
  scene::for_each_alternative<Variant>([&](auto options) {
    OptionSchema visitor;
    json::Node type = json::Node::object();
    type.set("const", scene::option_type(options));
    visitor.properties.set("type", std::move(type));
    describe(visitor, options);
    json::Node schema = of_type("object");
    schema.set("properties", std::move(visitor.properties));
    if (!names.items.empty()) schema.set("required", json::Node::array({"type"}));
    schema.set("additionalProperties", json::Node::of(false));
    schemas.push_back(std::move(schema));
    names.items.push_back(scene::option_type(options));
  });
  json::Node name = of_type("string");
  name.set("enum", std::move(names));
  schemas.push_back(std::move(name));
  return one_of(std::move(schemas));
}

// An object with options and no type.
template <class Options>
json::Node plain_option_schema() {
  OptionSchema visitor;
  Options options;
  describe(visitor, options);
  json::Node schema = of_type("object");
  schema.set("properties", std::move(visitor.properties));
  schema.set("additionalProperties", json::Node::of(false));
  return schema;
}

}  // namespace

std::string scene_schema() {
  json::Node root = schema_of(scene::scene_fields(), false);
  root.set("$schema", "https://json-schema.org/draft/2020-12/schema");
  root.set("title", "Cairn scene");
  root.find("properties")->find("cairn")->set("const", 1);
  json::Node& defs = root.set("$defs", json::Node::object());
  defs.set("vector3", array_of(of_type("number"), 3, 3));
  defs.set("expression", one_of({of_type("number"), of_type("string")}));
  defs.set("orientation", orientation_schema());
  defs.set("inertia", inertia_schema());
  defs.set("material", schema_of(scene::material_fields(), false));
  defs.set("body", schema_of(scene::body_fields(), false));
  defs.set("template", schema_of(scene::template_fields(), false));
  defs.set("motion", schema_of(scene::motion_fields(), false));
  defs.set("gear", schema_of(scene::gear_fields(), false));
  defs.set("gear_term", schema_of(scene::gear_term_fields(), false));
  defs.set("motor", schema_of(scene::motor_fields(), false));
  defs.set("angle", schema_of(scene::angle_fields(), false));
  defs.set("displacement", schema_of(scene::displacement_fields(), false));
  defs.set("shape", schema_of(scene::shape_tables()));
  defs.set("visual", schema_of(scene::visual_tables()));
  defs.set("drawn_mesh", schema_of(scene::drawn_mesh_fields(), false));
  defs.set("joint", schema_of(scene::joint_tables()));
  defs.set("chain_joint", schema_of(scene::chain_joint_tables()));
  defs.set("force", schema_of(scene::force_tables()));
  defs.set("generator", schema_of(scene::generator_tables()));
  defs.set("simulation", schema_of(scene::simulation_fields(), false));
  defs.set("include", schema_of(scene::include_fields(), false));
  defs.set("expectation", schema_of(scene::expectation_fields(), false));
  defs.set("scheme", option_schema<SchemeOptions>());
  defs.set("solver", option_schema<SolverOptions>());
  defs.set("verdict", plain_option_schema<VerdictOptions>());
  defs.set("forces", plain_option_schema<ForceOptions>());
  defs.set("record", plain_option_schema<RecordOptions>());
  return json::to_json(root) + "\n";
}

}  // namespace cairn
