// Reads a scene, writes it as a document.
#include "scene/format/resolved.hpp"

#include "base/json/document.hpp"
#include "model/materials.hpp"
#include "scene/mesh/drawn_mesh_text.hpp"
#include "scene/settings.hpp"

namespace cairn::scene {
namespace {

json::Node write(const Vec3& v) {
  return json::Node::array({v.x(), v.y(), v.z()});
}
json::Node write(const Quat& q) {
  return json::Node::array({q.w(), q.x(), q.y(), q.z()});
}
json::Node write(const Mat3& m) {
  json::Node rows = json::Node::array();
  for (int i = 0; i < 3; ++i) rows.items.push_back(write(Vec3(m.row(i).transpose())));
  return rows;
}
json::Node write(const TimeFunction& f) {
  return f.text().empty() ? json::Node(f(0)) : json::Node(f.text());
}
json::Node write(const std::array<TimeFunction, 3>& f) {
  return json::Node::array({write(f[0]), write(f[1]), write(f[2])});
}
json::Node write(const std::array<std::string, 2>& names) {
  return json::Node::array({names[0], names[1]});
}
json::Node write(const std::array<Vec3, 2>& points) {
  return json::Node::array({write(points[0]), write(points[1])});
}

void add_sizes(const Point&, json::Node&) {}
void add_sizes(const Sphere& s, json::Node& node) {
  node.set("radius", s.radius);
}
void add_sizes(const Box& s, json::Node& node) {
  node.set("size", write(s.size));
}
void add_sizes(const Capsule& s, json::Node& node) {
  node.set("radius", s.radius);
  node.set("length", s.length);
}
void add_sizes(const Frustum& s, json::Node& node) {
  node.set("radius", s.radius);
  if (!s.is_cylinder()) node.set("top_radius", s.top_radius);
  node.set("length", s.length);
}
void add_sizes(const Ellipsoid& s, json::Node& node) {
  node.set("radii", write(s.radii));
}
void add_sizes(const Halfspace& s, json::Node& node) {
  node.set("normal", write(s.normal));
}
void add_sizes(const Disc& s, json::Node& node) {
  node.set("radius", s.radius);
}
void add_sizes(const Ellipse& s, json::Node& node) {
  node.set("radii", json::Node::array({s.radii.x(), s.radii.y()}));
}

void add_sizes(const Hull& s, json::Node& node) {
  json::Node& vertices = node.set("vertices", json::Node::array());
  for (const Vec3& v : s.vertices) vertices.items.push_back(write(v));
}
void add_sizes(const Polygon& s, json::Node& node) {
  json::Node& vertices = node.set("vertices", json::Node::array());
  for (const Eigen::Vector2d& v : s.vertices)
    vertices.items.push_back(json::Node::array({v.x(), v.y()}));
}

json::Node write(const ShapeDescription& shape) {
  json::Node node = json::Node::object();
  node.set("type", type_name(shape.geometry));
  std::visit([&](const auto& geometry) { add_sizes(geometry, node); }, shape.geometry);
  node.set("position", write(shape.X_BS.p));
  node.set("orientation", write(shape.X_BS.R));
  node.set("material", shape.material);
  return node;
}

json::Node write(const Colour& colour) {
  return json::Node::array({colour[0], colour[1], colour[2]});
}

json::Node write(const DrawnShape& shape) {
  json::Node node = json::Node::object();
  if (shape.mesh.empty()) {
    node.set("type", type_name(shape.geometry));
    std::visit([&](const auto& geometry) { add_sizes(geometry, node); }, shape.geometry);
  } else {
    node.set("type", "mesh");
    node.set("mesh", shape.mesh);
    node.set("scale", write(shape.scale));
  }
  node.set("position", write(shape.X_BS.p));
  node.set("orientation", write(shape.X_BS.R));
  if (shape.colour) node.set("color", write(*shape.colour));
  return node;
}

json::Node write(const BodyDescription& body) {
  json::Node node = json::Node::object();
  node.set("name", body.name);
  if (body.fixed) node.set("fixed", json::Node::of(true));
  const bool dynamic = !body.fixed && !body.motion;
  if (dynamic) node.set("dof", body.dof);
  if (body.mass) node.set("mass", *body.mass);
  if (body.density) node.set("density", *body.density);
  if (body.inertia) node.set("inertia", write(*body.inertia));
  if (body.center_of_mass) node.set("center_of_mass", write(*body.center_of_mass));
  node.set("position", write(body.position));
  node.set("orientation", write(body.orientation));
  if (dynamic) {
    node.set("velocity", write(body.velocity));
    node.set("angular_velocity", write(body.angular_velocity));
  }
  json::Node& shapes = node.set("shapes", json::Node::array());
  for (const ShapeDescription& shape : body.shapes) shapes.items.push_back(write(shape));
  if (!body.visual.empty()) {
    json::Node& visual = node.set("visual", json::Node::array());
    for (const DrawnShape& shape : body.visual) visual.items.push_back(write(shape));
  }
  if (body.colour) node.set("color", write(*body.colour));
  if (body.motion) {
    json::Node& motion = node.set("motion", json::Node::object());
    motion.set("position", write(body.motion->position));
    motion.set("axis", write(body.motion->axis));
    motion.set("angle", write(body.motion->angle));
  }
  return node;
}

json::Node write(const JointMotor& motor) {
  json::Node node = json::Node::object();
  if (motor.keeps()) {
    if (motor.velocity) node.set("velocity", write(*motor.velocity));
    if (motor.position) node.set("position", write(*motor.position));
    if (motor.stiffness > 0) node.set("stiffness", motor.stiffness);
    if (motor.damping > 0) node.set("damping", motor.damping);
    if (std::isfinite(motor.max_effort)) node.set("max_effort", motor.max_effort);
    if (std::isfinite(motor.max_velocity)) node.set("max_velocity", motor.max_velocity);
  } else {
    node.set("effort", write(motor.effort));
  }
  return node;
}

// What acts along a coordinate.
template <class Description>
void write_coordinate(const Description& c, json::Node& node) {
  if (std::isfinite(c.limits.lower)) node.set("lower", c.limits.lower);
  if (std::isfinite(c.limits.upper)) node.set("upper", c.limits.upper);
  if (c.limits.any()) node.set("restitution", c.limits.restitution);
  if (c.friction != 0) node.set("friction", c.friction);
  if (c.spring.stiffness > 0) node.set("stiffness", c.spring.stiffness);
  if (c.spring.rest != 0) node.set("rest", c.spring.rest);
  if (c.spring.damping > 0) node.set("damping", c.spring.damping);
  if (c.armature > 0) node.set("armature", c.armature);
  if (c.motor) node.set("motor", write(*c.motor));
}

// What the type of a joint is given by.
struct WriteJointType {
  json::Node& node;

  void axis(const char* key, const Vec3& value) const { node.set(key, write(value)); }
  void operator()(const DistanceJoint& j) const {
    if (j.length > 0) node.set("length", j.length);
  }
  void operator()(const RopeJoint& j) const {
    if (j.length > 0) node.set("length", j.length);
    node.set("restitution", j.restitution);
  }
  void operator()(const ScrewJoint& j) const {
    axis("axis", j.axis);
    node.set("pitch", j.pitch);
  }
  void operator()(const UniversalJoint& j) const {
    axis("axis", j.axis);
    axis("second_axis", j.second_axis);
  }
  void operator()(const PlanarJoint& j) const { axis("normal", j.normal); }
  void operator()(const PointOnPlaneJoint& j) const { axis("normal", j.normal); }
  void operator()(const BallJoint&) const {}
  void operator()(const FixedJoint&) const {}
  void operator()(const auto& j) const { axis("axis", j.axis); }
};

json::Node write(const JointDescription& joint) {
  json::Node node = json::Node::object();
  node.set("type", type_name(joint.type));
  if (!joint.name.empty()) node.set("name", joint.name);
  node.set("bodies", write(joint.bodies));
  node.set("anchors", write(joint.anchors));
  std::visit(WriteJointType{node}, joint.type);
  write_coordinate(joint, node);
  for (const CoordinateDescription& c : joint.coordinates) {
    json::Node coordinate = json::Node::object();
    write_coordinate(c, coordinate);
    node.set(c.name.c_str(), std::move(coordinate));
  }
  if (!std::holds_alternative<RopeJoint>(joint.type))
    node.set("collide", json::Node::of(joint.collide));
  return node;
}

json::Node write(const GearDescription& gear) {
  json::Node node = json::Node::object();
  if (!gear.name.empty()) node.set("name", gear.name);
  json::Node& terms = node.set("joints", json::Node::array());
  for (const GearTermDescription& term : gear.terms) {
    json::Node& item = terms.items.emplace_back(json::Node::object());
    item.set("joint", term.joint);
    if (!term.coordinate.empty()) item.set("coordinate", term.coordinate);
    item.set("ratio", term.ratio);
  }
  return node;
}

json::Node write(const SpringDescription& spring) {
  json::Node node = json::Node::object();
  node.set("type", "spring");
  node.set("bodies", write(spring.bodies));
  node.set("anchors", write(spring.anchors));
  node.set("stiffness", spring.stiffness);
  node.set("rest_length", spring.rest_length);
  node.set("damping", spring.damping);
  return node;
}

// A description from a scene holds either a force or a torque; the other is the constant zero
// without a text.
bool is_zero(const std::array<TimeFunction, 3>& f) {
  return f[0].text().empty() && f[1].text().empty() && f[2].text().empty() && f[0](0) == 0 &&
         f[1](0) == 0 && f[2](0) == 0;
}

json::Node write(const AppliedForceDescription& force) {
  json::Node node = json::Node::object();
  const bool torque = !is_zero(force.torque);
  node.set("type", torque ? "torque" : "force");
  node.set("body", force.body);
  node.set("value", write(torque ? force.torque : force.force));
  if (!torque && !force.at_center_of_mass) node.set("point", write(force.point));
  return node;
}

json::Node write(const Material& material) {
  json::Node node = json::Node::object();
  if (material.friction_polygon.empty()) node.set("friction", material.friction);
  node.set("restitution", material.restitution);
  node.set("restitution_law",
           restitution_law_names[static_cast<std::size_t>(material.restitution_law)]);
  if (material.bounce_friction >= 0) node.set("bounce_friction", material.bounce_friction);
  if (material.rolling_friction != 0) node.set("rolling_friction", material.rolling_friction);
  if (material.torsional_friction != 0) node.set("torsional_friction", material.torsional_friction);
  if (!material.friction_polygon.empty()) {
    json::Node& corners = node.set("friction_polygon", json::Node::array());
    for (const Corner& c : material.friction_polygon)
      corners.items.push_back(json::Node::array({c[0], c[1]}));
  }
  if (material.anisotropic()) {
    if (material.elliptic()) node.set("friction_across", material.friction_across);
    node.set("friction_direction", write(material.friction_direction));
  }
  return node;
}

template <class Item>
json::Node write(const std::vector<Item>& items) {
  json::Node list = json::Node::array();
  for (const Item& item : items) list.items.push_back(write(item));
  return list;
}

}  // namespace

std::string resolved_text(const Scene& scene) {
  const ModelDescription& d = scene.description;
  json::Node root = json::Node::object();
  root.set("cairn", 1);
  root.set("name", scene.name);
  root.set("gravity", write(d.gravity));
  json::Node& materials = root.set("materials", json::Node::object());
  for (const auto& [name, material] : d.materials) {
    // The direction of a pair is that of the first material when it is read again.
    const auto pair = model::pair_names(name);
    const bool swap = pair && material.anisotropic() && material.direction_of == 1;
    materials.set(swap ? std::string(pair->second) + "|" + std::string(pair->first) : name,
                  write(material));
  }
  if (!d.meshes.empty()) {
    json::Node& meshes = root.set("meshes", json::Node::object());
    for (const auto& mesh : d.meshes) meshes.set(mesh->name, write_drawn_mesh(*mesh));
  }
  root.set("bodies", write(d.bodies));
  root.set("joints", write(d.joints));
  if (!d.gears.empty()) root.set("gears", write(d.gears));
  json::Node& forces = root.set("forces", json::Node::array());
  for (const ForceDescription& force : d.forces)
    forces.items.push_back(std::visit([](const auto& f) { return write(f); }, force));
  root.set("no_contact", write(d.no_contact));
  root.set("simulation", write_simulation(scene.simulation));
  json::Node& expect = root.set("expect", json::Node::array());
  for (const Expectation& e : scene.expect) expect.items.push_back(write_expectation(e));
  return json::to_json(root) + "\n";
}

}  // namespace cairn::scene
