// Reads a document, writes the description of the model; ranges and names are the builder's matter.
#include "scene/read_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/suggestion.hpp"
#include "model/checks.hpp"
#include "model/materials.hpp"
#include "model/shape/mass_properties.hpp"
#include "scene/generators.hpp"
#include "scene/mesh/drawn_mesh_text.hpp"
#include "scene/mesh/mesh_shape.hpp"
#include "scene/read_hull.hpp"

namespace cairn::scene {
namespace {

Geometry read_geometry(const Fields& fields, std::string_view type, MeshFiles& files,
                       SceneErrors& errors) {
  if (type == "sphere") {
    Sphere s;
    fields.read("radius", s.radius);
    return s;
  }
  if (type == "box") {
    Box s;
    fields.read("size", s.size);
    return s;
  }
  if (type == "capsule") {
    Capsule s;
    fields.read("radius", s.radius);
    fields.read("length", s.length);
    return s;
  }
  if (type == "cylinder") {
    Frustum s;
    fields.read("radius", s.radius);
    fields.read("length", s.length);
    s.top_radius = s.radius;
    return s;
  }
  if (type == "cone") {
    Frustum s;
    fields.read("radius", s.radius);
    fields.read("top_radius", s.top_radius);
    fields.read("length", s.length);
    return s;
  }
  if (type == "ellipsoid") {
    Ellipsoid s;
    fields.read("radii", s.radii);
    return s;
  }
  if (type == "halfspace") {
    Halfspace s;
    fields.read("normal", s.normal);
    return s;
  }
  if (type == "disc") {
    Disc s;
    fields.read("radius", s.radius);
    return s;
  }
  if (type == "ellipse") {
    Ellipse s;
    fields.read("radii", s.radii);
    return s;
  }
  if (type == "hull") return read_hull(fields, files, errors);
  if (type == "polygon") {
    Polygon s;
    fields.read("vertices", s.vertices);
    return s;
  }
  CAIRN_CHECK(type == "point");
  return Point{};
}

// The shapes of a body, those that are drawn, and the mass properties that need the meshes.
class BodyShapes {
 public:
  BodyShapes(ReadBody& body, MeshFiles& files, SceneErrors& errors)
      : out_(body), body_(body.description), files_(files), errors_(errors) {}

  void add(const json::Node& node, const std::string& path, std::size_t number) {
    ShapeDescription shape;
    const FieldTable* table = table_of_type(node, path, shape_tables(), errors_);
    if (!table) return put(shape, number);
    const Fields fields(node, path, *table, errors_);
    fields.read("position", shape.X_BS.p);
    fields.read("orientation", shape.X_BS.R);
    fields.read("material", shape.material);
    if (std::string_view(table->name) == "mesh") return add_mesh(fields, shape, number);
    shape.geometry = read_geometry(fields, table->name, files_, errors_);
    draw(shape);
    put(shape, number);
  }

  // Meshes are drawn as they are, and weigh what they are.
  void finish() {
    if (!any_mesh_) return;
    if (body_.visual.empty()) body_.visual = std::move(drawn_);
    const bool planar = std::any_of(body_.shapes.begin(), body_.shapes.end(),
                                    [](const auto& s) { return is_planar(s.geometry); });
    if (body_.fixed || body_.motion || planar || (body_.mass && body_.density)) return;
    for (std::size_t i = 0; i < body_.shapes.size(); ++i)
      if (!of_mesh_[i])
        solids_.push_back(
            placed(model::mass_properties(body_.shapes[i].geometry, 1), body_.shapes[i].X_BS));
    const model::MassProperties all = model::combine(solids_);
    const bool heavy = body_.density && *body_.density > 0 && std::isfinite(*body_.density);
    if (!(all.mass > 0) || !(heavy || body_.mass)) return;
    if (heavy) body_.mass = *std::exchange(body_.density, std::nullopt) * all.mass;
    // A centre alone, without the inertia about it, is the builder's fault to report.
    if (!body_.inertia && !body_.center_of_mass)
      body_.inertia = all.inertia * (*body_.mass / all.mass);
    if (!body_.center_of_mass && body_.inertia) body_.center_of_mass = all.center;
  }

 private:
  void put(const ShapeDescription& shape, std::size_t number, bool of_mesh = false) {
    body_.shapes.push_back(shape);
    out_.shapes.push_back(number);
    of_mesh_.push_back(of_mesh);
  }

  void draw(const ShapeDescription& shape) {
    DrawnShape& drawn = drawn_.emplace_back();
    drawn.geometry = shape.geometry;
    drawn.X_BS = shape.X_BS;
  }

  static model::MassProperties placed(const model::MassProperties& solid, Pose X_BS) {
    if (X_BS.R.norm() > 0) X_BS.R.normalize();
    return model::transformed(solid, X_BS);
  }

  void add_mesh(const Fields& fields, ShapeDescription& shape, std::size_t number) {
    std::optional<MeshShape> mesh = read_mesh_shape(fields, files_, errors_);
    if (!mesh) return put(shape, number);
    any_mesh_ = true;
    solids_.push_back(placed(mesh->solid, shape.X_BS));
    for (std::vector<Vec3>& hull : mesh->hulls) {
      shape.geometry = Hull{std::move(hull)};
      put(shape, number, true);
      if (mesh->drawn.empty()) draw(shape);
    }
    if (mesh->drawn.empty()) return;
    shape.geometry = Point{};
    draw(shape);
    drawn_.back().mesh = mesh->drawn;
    drawn_.back().scale = mesh->drawn_scale;
  }

  ReadBody& out_;
  BodyDescription& body_;
  MeshFiles& files_;
  SceneErrors& errors_;
  bool any_mesh_ = false;
  std::vector<bool> of_mesh_;  // beside the shapes
  std::vector<model::MassProperties> solids_;
  std::vector<DrawnShape> drawn_;
};

std::optional<Colour> read_colour(const Fields& fields, SceneErrors& errors) {
  Vec3 rgb;
  if (!fields.read("color", rgb)) return std::nullopt;
  if ((rgb.array() >= 0).all() && (rgb.array() <= 1).all()) return Colour{rgb[0], rgb[1], rgb[2]};
  errors.add(*fields.find("color"), fields.path("color"), ErrorCode::out_of_range,
             "part of a colour is out of range", model::to_text(rgb), "0 to 1",
             "write [red, green, blue]");
  return std::nullopt;
}

void read_visual(const json::Node& node, const std::string& path, MeshFiles& files,
                 BodyDescription& body, SceneErrors& errors) {
  const FieldTable* table = table_of_type(node, path, visual_tables(), errors);
  if (!table) return;
  const Fields fields(node, path, *table, errors);
  DrawnShape shape;
  if (std::string_view(table->name) == "mesh") {
    std::optional<DrawnShape> mesh = read_drawn_shape(fields, files, errors);
    if (!mesh) return;
    shape = std::move(*mesh);
  } else {
    shape.geometry = read_geometry(fields, table->name, files, errors);
  }
  fields.read("position", shape.X_BS.p);
  fields.read("orientation", shape.X_BS.R);
  shape.colour = read_colour(fields, errors);
  body.visual.push_back(std::move(shape));
}

Motion read_motion(const json::Node& node, const std::string& path, SceneErrors& errors) {
  const Fields fields(node, path, motion_fields(), errors);
  Motion motion;
  fields.read("position", motion.position);
  fields.read("axis", motion.axis);
  fields.read("angle", motion.angle);
  return motion;
}

SpringDescription read_spring(const Fields& fields) {
  SpringDescription spring;
  fields.read("bodies", spring.bodies);
  fields.read("anchors", spring.anchors);
  fields.read("stiffness", spring.stiffness);
  fields.read("rest_length", spring.rest_length);
  fields.read("damping", spring.damping);
  return spring;
}

AppliedForceDescription read_applied_force(const Fields& fields, std::string_view type) {
  AppliedForceDescription force;
  fields.read("body", force.body);
  fields.read("value", type == "force" ? force.force : force.torque);
  force.at_center_of_mass = !fields.read("point", force.point);
  return force;
}

void read_force(const json::Node& node, const std::string& path,
                std::vector<ForceDescription>& forces, SceneErrors& errors) {
  const FieldTable* table = table_of_type(node, path, force_tables(), errors);
  if (!table) {
    forces.emplace_back();  // keeps the numbers of the others
    return;
  }
  const std::string_view type = table->name;
  const Fields fields(node, path, *table, errors);
  if (type == "spring" || type == "damper")
    forces.emplace_back(read_spring(fields));
  else
    forces.emplace_back(read_applied_force(fields, type));
}

void read_law(const Fields& fields, RestitutionLaw& law, SceneErrors& errors) {
  std::string word;
  if (!fields.read("restitution_law", word)) return;
  const auto match = std::find(restitution_law_names.begin(), restitution_law_names.end(), word);
  if (match != restitution_law_names.end()) {
    law = static_cast<RestitutionLaw>(match - restitution_law_names.begin());
    return;
  }
  const std::vector<std::string_view> known(restitution_law_names.begin(),
                                            restitution_law_names.end());
  errors.add(*fields.find("restitution_law"), fields.path("restitution_law"),
             ErrorCode::unknown_choice, "unknown choice", model::in_quotes(std::string_view(word)),
             "newton, poisson, stronge", base::did_you_mean(word, known, "use one of them"));
}

// The section of the friction cone by its corners, which say all that the coefficients would.
void read_polygon(const Fields& fields, Material& material, SceneErrors& errors) {
  const json::Node* node = fields.find("friction_polygon");
  if (!node) return;
  for (const char* other : {"friction", "friction_across"})
    if (const json::Node* twice = fields.find(other))
      errors.add(*twice, fields.path(other), ErrorCode::conflict, "the friction is given twice",
                 "friction_polygon", "one of the two",
                 "the corners of the polygon are coefficients: leave this out");
  std::vector<Eigen::Vector2d> corners;
  if (!fields.read("friction_polygon", corners)) return;
  material.friction_polygon.clear();
  for (const Eigen::Vector2d& c : corners) material.friction_polygon.push_back({c.x(), c.y()});
  material.friction = largest(material.friction_polygon);
  material.friction_across = -1;
}

// A pair that leaves something out takes it from the rule for pairs.
void read_materials(const json::Node& node, const std::string& path, ModelDescription& out,
                    SceneErrors& errors) {
  if (!node.is(json::Node::Kind::object)) return errors.wrong_type(node, path, "an object");
  std::map<std::string, Material, std::less<>> singles;
  const auto read = [&](std::size_t i, Material material) {
    const Fields fields(node.items[i], child_path(path, node.keys[i].text), material_fields(),
                        errors);
    // Friction alone is the same in all directions.
    if (fields.read("friction", material.friction)) {
      material.friction_across = -1;
      material.friction_polygon.clear();
    }
    fields.read("restitution", material.restitution);
    fields.read("bounce_friction", material.bounce_friction);
    read_law(fields, material.restitution_law, errors);
    fields.read("rolling_friction", material.rolling_friction);
    fields.read("torsional_friction", material.torsional_friction);
    if (fields.read("friction_across", material.friction_across)) material.friction_polygon.clear();
    read_polygon(fields, material, errors);
    if (fields.read("friction_direction", material.friction_direction)) material.direction_of = 0;
    return material;
  };
  for (std::size_t i = 0; i < node.keys.size(); ++i)
    if (!model::pair_names(node.keys[i].text)) singles[node.keys[i].text] = read(i, {});
  const auto single = [&](std::string_view name) {
    const auto found = singles.find(name);
    return found == singles.end() ? Material{} : found->second;
  };
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& name = node.keys[i].text;
    const auto pair = model::pair_names(name);
    const Material material =
        pair ? read(i, model::mixed(single(pair->first), single(pair->second))) : singles[name];
    out.materials.emplace_back(name, material);
  }
}

}  // namespace

ReadBody read_body(const json::Node& node, const std::string& path, const FieldTable& table,
                   MeshFiles& files, SceneErrors& errors) {
  const Fields fields(node, path, table, errors);
  ReadBody out;
  BodyDescription& body = out.description;
  fields.read("name", body.name);
  fields.read("fixed", body.fixed);
  fields.read("dof", body.dof);
  fields.read("mass", body.mass);
  fields.read("density", body.density);
  fields.read("inertia", body.inertia);
  fields.read("center_of_mass", body.center_of_mass);
  fields.read("position", body.position);
  fields.read("orientation", body.orientation);
  fields.read("velocity", body.velocity);
  fields.read("angular_velocity", body.angular_velocity);
  body.colour = read_colour(fields, errors);
  if (const json::Node* motion = fields.find("motion"))
    body.motion = read_motion(*motion, fields.path("motion"), errors);
  fields.each("visual", [&](const json::Node& item, const std::string& item_at) {
    read_visual(item, item_at, files, body, errors);
  });
  BodyShapes shapes(out, files, errors);
  std::size_t number = 0;
  fields.each("shapes", [&](const json::Node& item, const std::string& item_at) {
    shapes.add(item, item_at, number++);
  });
  shapes.finish();
  return out;
}

static JointLimits read_limits(const Fields& fields) {
  JointLimits limits;
  fields.read_number("lower", limits.lower, {-1e30, 1e30});
  fields.read_number("upper", limits.upper, {-1e30, 1e30});
  fields.read_number("restitution", limits.restitution, {0, 1});
  return limits;
}

// Of a motor with gains. Without max_effort it has no limit.
static void check_gains(const Fields& fields, JointMotor& motor, SceneErrors& errors) {
  if (!fields.find("max_effort")) motor.max_effort = std::numeric_limits<double>::infinity();
  for (const char* key : {"effort", "max_velocity"})
    if (fields.find(key))
      errors.add(fields.node(), fields.path(), ErrorCode::conflict,
                 std::string("a motor with gains takes no ") + key, key,
                 "stiffness and damping with position, velocity and max_effort",
                 std::string("drop ") + key + ", or the gains");
}

static JointMotor read_motor(const json::Node& node, const std::string& path, SceneErrors& errors) {
  JointMotor motor;
  if (!node.is(json::Node::Kind::object)) {
    errors.wrong_type(node, path, "an object");
    return motor;
  }
  const Fields fields(node, path, motor_fields(), errors);
  fields.read("velocity", motor.velocity);
  fields.read("position", motor.position);
  fields.read_number("max_effort", motor.max_effort, {0, 1e30, true});
  fields.read_number("max_velocity", motor.max_velocity, {0, 1e30, true});
  fields.read("effort", motor.effort);
  fields.read_number("stiffness", motor.stiffness, {0, 1e30});
  fields.read_number("damping", motor.damping, {0, 1e30});
  if (motor.has_gains()) {
    check_gains(fields, motor, errors);
    return motor;
  }
  std::string given;
  int kinds = 0;
  for (const char* key : {"velocity", "position", "effort"})
    if (fields.find(key)) given += (kinds++ > 0 ? " and " : "") + std::string(key);
  const bool keeps = !fields.find("effort"), limited = fields.find("max_effort") != nullptr;
  if (kinds != 1)
    errors.add(node, path, ErrorCode::conflict,
               kinds == 0 ? "a motor says neither what it keeps nor what effort it gives"
                          : "a motor keeps one thing or gives an effort",
               kinds == 0 ? "none of them" : given,
               "velocity or position with max_effort, or effort",
               kinds == 0 ? "add velocity and max_effort, or effort" : "drop all but one");
  else if (keeps && !limited)
    errors.add(node, path, ErrorCode::missing_key,
               "a motor that keeps a " + given + " has no largest effort", "no max_effort",
               "a positive number", "add max_effort");
  else if (!keeps && limited)
    errors.add(node, path, ErrorCode::conflict, "max_effort goes with a velocity or a position",
               "max_effort and effort", "effort alone",
               "drop max_effort: the motor gives exactly its effort");
  else if (fields.find("max_velocity") && !fields.find("position"))
    errors.add(node, path, ErrorCode::conflict, "max_velocity goes with a position",
               "max_velocity and " + given, "position with max_velocity", "drop max_velocity");
  return motor;
}

// What acts along the coordinate of a joint, or along one of several.
template <class Description>
static void read_coordinate(const Fields& fields, SceneErrors& errors, Description& out) {
  out.limits = read_limits(fields);
  fields.read_number("friction", out.friction, {0, 1e30});
  fields.read_number("stiffness", out.spring.stiffness, {0, 1e30});
  fields.read("rest", out.spring.rest);
  fields.read_number("damping", out.spring.damping, {0, 1e30});
  fields.read_number("armature", out.armature, {0, 1e30});
  if (const json::Node* motor = fields.find("motor"))
    out.motor = read_motor(*motor, fields.path("motor"), errors);
}

// Coordinates that the joint's table names and the scene gives.
static void read_coordinates(const Fields& fields, const FieldTable& table, SceneErrors& errors,
                             JointDescription& joint) {
  for (const Field& field : table.fields) {
    const bool angle = field.type == FieldType::angle_coordinate;
    if (!angle && field.type != FieldType::displacement_coordinate) continue;
    const json::Node* node = fields.find(field.key);
    if (!node) continue;
    const std::string path = fields.path(field.key);
    if (!node->is(json::Node::Kind::object)) {
      errors.wrong_type(*node, path, "an object");
      continue;
    }
    CoordinateDescription& c = joint.coordinates.emplace_back();
    c.name = field.key;
    read_coordinate(Fields(*node, path, angle ? angle_fields() : displacement_fields(), errors),
                    errors, c);
  }
}

// The type of a joint with what it is given by.
static JointType read_joint_type(const Fields& fields, std::string_view type) {
  const auto with = [&](auto joint, const char* key, Vec3 decltype(joint)::*axis) {
    fields.read(key, joint.*axis);
    return joint;
  };
  if (type == "distance") {
    DistanceJoint rod;
    fields.read_number("length", rod.length, {0, 1e30, true});
    return rod;
  }
  if (type == "rope") {
    RopeJoint rope;
    fields.read_number("length", rope.length, {0, 1e30, true});
    fields.read_number("restitution", rope.restitution, {0, 1});
    return rope;
  }
  if (type == "screw") {
    ScrewJoint screw = with(ScrewJoint{}, "axis", &ScrewJoint::axis);
    fields.read("pitch", screw.pitch);
    return screw;
  }
  if (type == "universal") {
    const UniversalJoint joint = with(UniversalJoint{}, "axis", &UniversalJoint::axis);
    return with(joint, "second_axis", &UniversalJoint::second_axis);
  }
  if (type == "ball") return BallJoint{};
  if (type == "revolute") return with(RevoluteJoint{}, "axis", &RevoluteJoint::axis);
  if (type == "prismatic") return with(PrismaticJoint{}, "axis", &PrismaticJoint::axis);
  if (type == "cylindrical") return with(CylindricalJoint{}, "axis", &CylindricalJoint::axis);
  if (type == "planar") return with(PlanarJoint{}, "normal", &PlanarJoint::normal);
  if (type == "point_on_line") return with(PointOnLineJoint{}, "axis", &PointOnLineJoint::axis);
  if (type == "point_on_plane")
    return with(PointOnPlaneJoint{}, "normal", &PointOnPlaneJoint::normal);
  return FixedJoint{};
}

JointDescription read_joint(const json::Node& node, const std::string& path,
                            const FieldTable& table, SceneErrors& errors) {
  const Fields fields(node, path, table, errors);
  JointDescription joint;
  fields.read("name", joint.name);
  fields.read("bodies", joint.bodies);
  fields.read("anchors", joint.anchors);
  const std::string_view type = table.name;
  joint.type = read_joint_type(fields, type);
  if (type != "rope") fields.read("collide", joint.collide);
  if (type == "revolute" || type == "prismatic") read_coordinate(fields, errors, joint);
  read_coordinates(fields, table, errors, joint);
  return joint;
}

static GearDescription read_gear(const json::Node& node, const std::string& path,
                                 SceneErrors& errors) {
  const Fields fields(node, path, gear_fields(), errors);
  GearDescription gear;
  fields.read("name", gear.name);
  fields.each("joints", [&](const json::Node& item, const std::string& at) {
    const Fields term(item, at, gear_term_fields(), errors);
    GearTermDescription& out = gear.terms.emplace_back();
    term.read("joint", out.joint);
    term.read("coordinate", out.coordinate);
    term.read("ratio", out.ratio);
  });
  return gear;
}

// Meshes that are written out, as resolved scenes do.
static void read_meshes(const Fields& fields, MeshFiles& files, SceneErrors& errors) {
  const json::Node* node = fields.find("meshes");
  if (!node) return;
  if (!node->is(json::Node::Kind::object))
    return errors.wrong_type(*node, fields.path("meshes"), "an object");
  for (std::size_t i = 0; i < node->keys.size(); ++i)
    if (auto mesh = read_drawn_mesh(node->keys[i].text, node->items[i],
                                    child_path("meshes", node->keys[i].text), errors))
      files.add_drawn(std::move(mesh));
}

ReadModel read_model(const json::Node& root, const FileAccess& access, SceneErrors& errors) {
  const Fields fields(root, "", scene_fields(), errors);
  ReadModel out(MeshFiles(errors.file(), access));
  ModelDescription& description = out.description;
  fields.read("name", description.name);
  fields.read("gravity", description.gravity);
  if (const json::Node* materials = fields.find("materials"))
    read_materials(*materials, "materials", description, errors);
  read_meshes(fields, out.files, errors);
  fields.each("bodies", [&](const json::Node& node, const std::string& path) {
    ReadBody body = read_body(node, path, body_fields(), out.files, errors);
    description.bodies.push_back(std::move(body.description));
    out.bodies.push_back({&node, path, nullptr, "", std::move(body.shapes)});
  });
  fields.each("gears", [&](const json::Node& node, const std::string& path) {
    description.gears.push_back(read_gear(node, path, errors));
  });
  fields.each("joints", [&](const json::Node& node, const std::string& path) {
    const FieldTable* table = table_of_type(node, path, joint_tables(), errors);
    description.joints.push_back(table ? read_joint(node, path, *table, errors)
                                       : JointDescription{});
    out.joints.push_back({&node, path, nullptr, "", {}});
  });
  fields.each("forces", [&](const json::Node& node, const std::string& path) {
    read_force(node, path, description.forces, errors);
  });
  fields.each("no_contact", [&](const json::Node& node, const std::string& path) {
    read_value(node, path, description.no_contact.emplace_back(), errors);
  });
  const json::Node* list = fields.find("generate");
  if (list && list->is(json::Node::Kind::array) &&
      !can_generate(*list, description.bodies.size(), errors))
    return out;
  fields.each("generate", [&](const json::Node& node, const std::string& path) {
    generate(node, path, out, errors);
  });
  description.meshes = out.files.drawn();
  return out;
}

}  // namespace cairn::scene
