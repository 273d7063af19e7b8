// The fields of every object of the scene format, listed once: the reader refuses other keys, the
// JSON Schema and the tables of docs/scene-format.md are made from these lists.
#pragma once

#include <string_view>
#include <vector>

namespace cairn::scene {

enum class FieldType {
  boolean,
  number,
  integer,
  text,
  numbers,  // any number of them
  vector2,
  vector3,
  points2,  // list of vector2
  points3,  // list of vector3
  counts,   // three positive integers
  number_or_vector3,
  expression,       // a number or a function of t
  expressions,      // three of them
  orientation,      // [w, x, y, z] or {"axis", "angle"} or {"axis", "angle_deg"}
  inertia,          // number, 3 diagonal elements, or a 3 x 3 matrix
  body_pair,        // two names
  anchors,          // two points
  body_pairs,       // list of two names
  options,          // an object with a "type", or the type alone
  plain_options,    // an object with options
  restitution_law,  // newton, poisson or stronge
  texts,            // any number of them
  // Objects and lists of objects with tables of their own:
  motion,
  motor,
  angle_coordinate,
  displacement_coordinate,
  chain_joint,
  body_template,
  materials,
  bodies,
  shapes,
  visuals,
  drawn_meshes,
  joints,
  gears,
  gear_terms,
  forces,
  generators,
  includes,
  simulation,
  expectations,
};

struct Field {
  const char* key;
  FieldType type;
  const char* unit;
  const char* standard;  // default as JSON text or in words; null: the field must be given
  const char* text;
};

struct FieldTable {
  const char* name;  // of the object; the value of "type" where there is one
  std::vector<Field> fields;

  const Field* find(std::string_view key) const;
};

// Objects with a "type": one table for each type, "type" included.
using TypedTables = std::vector<FieldTable>;

const FieldTable& scene_fields();
const FieldTable& include_fields();
const FieldTable& material_fields();
const FieldTable& body_fields();
const FieldTable& template_fields();  // a body without name, position and motion
const FieldTable& motion_fields();
const FieldTable& gear_fields();
const FieldTable& gear_term_fields();
const FieldTable& motor_fields();  // of joints with a coordinate
// What acts along an angle, and along a displacement.
const FieldTable& angle_fields();
const FieldTable& displacement_fields();
const FieldTable& simulation_fields();
const FieldTable& expectation_fields();
const TypedTables& shape_tables();
const TypedTables& visual_tables();  // shapes that are drawn and never touch
const FieldTable& drawn_mesh_fields();
const TypedTables& joint_tables();
const TypedTables& chain_joint_tables();  // without name and bodies
const TypedTables& force_tables();
const TypedTables& generator_tables();

}  // namespace cairn::scene
