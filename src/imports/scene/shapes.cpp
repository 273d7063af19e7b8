#include "imports/scene/shapes.hpp"

#include <cmath>
#include <filesystem>
#include <numbers>

#include "cairn/polyhedron.hpp"
#include "imports/scene/support.hpp"

namespace cairn::imports {
namespace {

using json::Node;

// Sides of the prism that stands for a cylinder where the scene format has none.
constexpr int prism_sides = 32;

Node points_node(const std::vector<Vec3>& points, const Place& place) {
  Node list = Node::array();
  for (const Vec3& p : points) list.items.push_back(vector_node(p, place));
  return list;
}

void put_prism(Node& node, const ImportedShape& shape, Messages& messages) {
  std::vector<Vec3> corners;
  for (int i = 0; i < prism_sides; ++i) {
    const double angle = 2 * std::numbers::pi * i / prism_sides;
    for (const double z : {-0.5, 0.5})
      corners.emplace_back(shape.size.x() * std::cos(angle), shape.size.x() * std::sin(angle),
                           shape.size.y() * z);
  }
  put(node, "type", "hull", shape.place);
  put(node, "vertices", points_node(corners, shape.place), shape.place);
  messages.note(shape.place, "cylinder", "",
                "a prism with " + std::to_string(prism_sides) + " sides inside it stands for it");
}

void put_mesh(Node& node, const ImportedShape& shape, const std::string& folder, ShapeUse use,
              Messages& messages) {
  const Mesh& mesh = *shape.mesh;
  if (scene_support.mesh && !mesh.file.empty()) {
    namespace fs = std::filesystem;
    std::error_code fault;
    const fs::path base = fs::absolute(folder.empty() ? "." : folder, fault).lexically_normal();
    const fs::path file = fs::absolute(mesh.file, fault).lexically_normal();
    put(node, "type", "mesh", shape.place);
    put(node, "file", file.lexically_proximate(base).string(), shape.place);
    if (mesh.scale != Vec3::Ones())
      put(node, "scale", vector_node(mesh.scale, shape.place), shape.place);
    if (use == ShapeUse::contact) put(node, "as", "hull", shape.place);
    return;
  }
  const Result<Polyhedron> hull = hull_polyhedron(mesh.points);
  if (!hull) {
    const Error& fault = hull.error().front();
    messages.error(shape.place, fault.code, "mesh",
                   (mesh.file.empty() ? "" : mesh.file + ": ") + fault.what, fault.got,
                   fault.allowed, "use a mesh with a volume for collisions, or none");
    return;
  }
  put(node, "type", "hull", shape.place);
  put(node, "vertices", points_node(hull->vertices, shape.place), shape.place);
  messages.note(shape.place, "mesh", "", "collides as the convex hull of its points");
}

std::string pair_name(const std::string& a, const std::string& b) {
  return a + "|" + b;
}

// Pairs say everything: what they leave out would come from the rule for pairs.
Node surface_node(const Surface& s, bool whole) {
  const bool torsional = s.dimension >= 4 && s.torsional != 0;
  const bool rolling = s.dimension >= 6 && s.rolling != 0;
  Node node = Node::object();
  node.set("friction", s.dimension >= 3 ? s.friction : 0.0);
  if (whole || s.restitution != 0) node.set("restitution", s.restitution);
  if (whole || torsional) node.set("torsional_friction", torsional ? s.torsional : 0.0);
  if (whole || rolling) node.set("rolling_friction", rolling ? s.rolling : 0.0);
  return node;
}

// Of two surfaces as MuJoCo takes them: those of the higher priority, else the larger ones.
Surface mujoco_pair(const Surface& a, const Surface& b) {
  if (a.priority != b.priority) return a.priority > b.priority ? a : b;
  return {.friction = std::max(a.friction, b.friction),
          .torsional = std::max(a.torsional, b.torsional),
          .rolling = std::max(a.rolling, b.rolling),
          .restitution = std::min(a.restitution, b.restitution),
          .dimension = std::max(a.dimension, b.dimension)};
}

}  // namespace

Node shape_node(const ImportedShape& shape, const Pose& X_HB,
                const std::vector<std::string>& materials, const std::string& output_folder,
                ShapeUse use, Messages& messages) {
  const Place& place = shape.place;
  const Vec3& s = shape.size;
  Node node = placed(Node::object(), place);
  const auto radius_and_length = [&](const char* type) {
    put(node, "type", type, place);
    put(node, "radius", s.x(), place);
    put(node, "length", s.y(), place);
  };
  switch (shape.kind) {
    case ShapeKind::sphere:
      put(node, "type", "sphere", place);
      put(node, "radius", s.x(), place);
      break;
    case ShapeKind::box:
      put(node, "type", "box", place);
      put(node, "size", vector_node(s, place), place);
      break;
    case ShapeKind::capsule:
      radius_and_length("capsule");
      break;
    case ShapeKind::cylinder:
      if (scene_support.cylinder)
        radius_and_length("cylinder");
      else
        put_prism(node, shape, messages);
      break;
    case ShapeKind::ellipsoid:
      put(node, "type", "ellipsoid", place);
      put(node, "radii", vector_node(s, place), place);
      break;
    case ShapeKind::halfspace:
      put(node, "type", "halfspace", place);
      break;
    case ShapeKind::mesh:
      put_mesh(node, shape, output_folder, use, messages);
      break;
  }
  put_pose(node, X_HB * shape.X_BS, place);
  if (use == ShapeUse::drawn) {
    if (shape.color) put(node, "color", vector_node(*shape.color, place), place);
    return node;
  }
  if (const std::string& material = materials[static_cast<std::size_t>(shape.surface)];
      material != "default")
    put(node, "material", material, place);
  return node;
}

Node material_nodes(const Robot& robot, std::vector<std::string>& names, Messages& messages) {
  constexpr std::size_t most_pairs = 200;
  Node out = Node::object();
  const std::size_t count = robot.surfaces.size();
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(i == 0 ? "default" : "surface" + std::to_string(i));
    out.set(names.back(), surface_node(robot.surfaces[i], false));
  }
  if (!robot.as_mujoco || count < 2) return out;
  if (count > most_pairs) {
    messages.note({}, "geom", "friction",
                  "more than 200 kinds of surfaces: a pair takes the geometric mean of the "
                  "frictions, not the larger one");
    return out;
  }
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = i + 1; k < count; ++k)
      out.set(pair_name(names[i], names[k]),
              surface_node(mujoco_pair(robot.surfaces[i], robot.surfaces[k]), true));
  return out;
}

}  // namespace cairn::imports
