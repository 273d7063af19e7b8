#include "imports/urdf/shapes.hpp"

#include <fmt/format.h>

#include "imports/mesh_file.hpp"
#include "imports/packages.hpp"
#include "imports/scene/support.hpp"
#include "imports/urdf/read.hpp"

namespace cairn::imports {

UrdfShapes::UrdfShapes(const Element& robot, std::string folder, const ImportOptions& options,
                       Messages& messages)
    : folder_(std::move(folder)), options_(options), messages_(messages) {
  for (const Element& child : robot.children)
    if (child.name == "material") {
      child.used = true;
      (void)child.find("name");
      if (const Element* color = child.child("color"))
        if (const auto rgba = messages.numbers(*color, "rgba", 4, 4))
          colors_[child.get("name")] = {(*rgba)[0], (*rgba)[1], (*rgba)[2]};
    }
}

Pose UrdfShapes::origin(const Element& parent) {
  const Element* element = parent.child("origin");
  if (!element) return {};
  Pose X;
  if (const auto xyz = messages_.vector(*element, "xyz")) X.p = *xyz;
  if (const auto rpy = messages_.vector(*element, "rpy")) X.R = from_rpy(*rpy);
  return X;
}

std::optional<Vec3> UrdfShapes::read_color(const Element& visual) {
  const Element* material = visual.child("material");
  if (!material) return {};
  const std::string name = material->get("name");
  if (const Element* color = material->child("color")) {
    const auto rgba = messages_.numbers(*color, "rgba", 4, 4);
    if (!rgba) return {};
    const Vec3 rgb((*rgba)[0], (*rgba)[1], (*rgba)[2]);
    if (!name.empty()) colors_[name] = rgb;
    return rgb;
  }
  const auto found = colors_.find(name);
  return found == colors_.end() ? std::nullopt : std::optional<Vec3>(found->second);
}

void UrdfShapes::read_mesh_shape(const Element& element, bool visual,
                                 std::optional<ImportedShape>& out) {
  const std::string name = element.get("filename");
  const Vec3 scale = messages_.vector(element, "scale").value_or(Vec3::Ones());
  // What is drawn needs no file where nothing is drawn from it.
  if (visual && (!scene_support.visual || !is_known_mesh(name))) {
    messages_.note(element.place, "visual", "", "not taken over: bodies are drawn as they collide");
    return;
  }
  if (name.empty())
    return messages_.error(element.place, ErrorCode::missing_key, "mesh.filename",
                           "the mesh has no file", "", "the name of a file", "add filename");
  if (!is_known_mesh(name))
    return messages_.error(element.place, ErrorCode::unsupported, "mesh.filename",
                           "meshes of this format are not read", "\"" + name + "\"", ".obj, .stl",
                           "convert it, or use a <box>, <cylinder> or <sphere> for collisions");
  // What is only drawn may be missing.
  Messages unheard(messages_.file());
  Messages& heard = visual ? unheard : messages_;
  const auto lost = [&] {
    if (visual)
      messages_.note(element.place, "visual", "",
                     "not taken over: the mesh cannot be read: " + name);
  };
  const std::string file = find_file(name, folder_, options_, element, "filename", heard);
  if (file.empty()) return lost();
  const std::string key = fmt::format("{} {} {} {}", file, scale.x(), scale.y(), scale.z());
  std::shared_ptr<const Mesh>& mesh = meshes_[key];
  if (!mesh) {
    Result<Mesh> read = read_mesh(file, scale);
    if (!read) {
      heard.append(read.error());
      return lost();
    }
    mesh = std::make_shared<const Mesh>(std::move(*read));
  }
  out.emplace();
  out->kind = ShapeKind::mesh;
  out->mesh = mesh;
}

void UrdfShapes::fault(const Element& e, bool visual, ErrorCode code, const std::string& path,
                       const std::string& what, const std::string& got, const std::string& allowed,
                       const std::string& fix) {
  if (visual)
    messages_.note(e.place, "visual", "", "not taken over: " + path + ": " + what);
  else
    messages_.error(e.place, code, path, what, got, allowed, fix);
}

std::optional<ImportedShape> UrdfShapes::read_geometry(const Element& geometry, bool visual) {
  std::optional<ImportedShape> out;
  const auto positive = [&](const Element& e, const char* key, double& value) {
    const auto number = messages_.number(e, key);
    if (!number && e.has(key)) return false;
    if (number && *number > 0) {
      value = *number;
      return true;
    }
    fault(e, visual, number ? ErrorCode::out_of_range : ErrorCode::missing_key, e.name + "." + key,
          number ? "size is not positive" : "the size is missing",
          number ? short_text(*number) : "", "a positive number [m]", std::string("give ") + key);
    return false;
  };
  for (const Element& e : geometry.children) {
    if (e.name != "box" && e.name != "sphere" && e.name != "cylinder" && e.name != "capsule" &&
        e.name != "mesh")
      continue;
    e.used = true;
    if (e.name == "mesh") {
      read_mesh_shape(e, visual, out);
      return out;
    }
    ImportedShape shape;
    bool good = false;
    if (e.name == "box") {
      const auto size = messages_.vector(e, "size");
      shape.kind = ShapeKind::box;
      good = size && size->minCoeff() > 0;
      if (good)
        shape.size = *size;
      else if (size || !e.has("size"))
        fault(e, visual, ErrorCode::out_of_range, "box.size", "size is not positive", e.get("size"),
              "three positive numbers [m]", "give size");
    } else if (e.name == "sphere") {
      shape.kind = ShapeKind::sphere;
      good = positive(e, "radius", shape.size.x());
    } else {
      shape.kind = e.name == "capsule" ? ShapeKind::capsule : ShapeKind::cylinder;
      good = positive(e, "radius", shape.size.x());
      good &= positive(e, "length", shape.size.y());
    }
    if (good) out = shape;
    return out;
  }
  fault(geometry, visual, ErrorCode::missing_key, "geometry", "the geometry is empty", "",
        "box, sphere, cylinder, capsule or mesh", "add one of them");
  return out;
}

std::optional<ImportedShape> UrdfShapes::read(const Element& element, bool visual) {
  (void)element.find("name");
  const Pose X = origin(element);
  const std::optional<Vec3> color = read_color(element);
  const Element* geometry = element.child("geometry");
  if (!geometry) {
    fault(element, visual, ErrorCode::missing_key, element.name, "\"geometry\" is missing", "", "",
          "add <geometry>");
    return {};
  }
  std::optional<ImportedShape> shape = read_geometry(*geometry, visual);
  if (!shape) return {};
  shape->X_BS = X;
  shape->color = color;
  shape->place = element.place;
  return shape;
}

}  // namespace cairn::imports
