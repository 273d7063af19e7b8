#include "imports/sdf/shapes.hpp"

#include <charconv>
#include <fmt/format.h>

#include "imports/mesh_file.hpp"
#include "imports/packages.hpp"
#include "imports/scene/support.hpp"

namespace cairn::imports {
namespace {

constexpr const char* known_shapes = "box, sphere, cylinder, capsule, ellipsoid, plane, mesh";

}  // namespace

bool SdfShapes::read_mesh_shape(const Element& e, bool visual, const std::string& folder,
                                ImportedShape& shape) {
  const std::string name = values_.word(e, "uri");
  const Vec3 scale = values_.vector(e, "scale").value_or(Vec3::Ones());
  if (visual && (!scene_support.visual || !is_known_mesh(name))) {
    messages_.note(e.place, "visual", "", "not taken over: meshes of this format are not read");
    return false;
  }
  if (!is_known_mesh(name)) {
    messages_.error(e.place, name.empty() ? ErrorCode::missing_key : ErrorCode::unsupported,
                    "mesh.uri",
                    name.empty() ? "the mesh has no file" : "meshes of this format are not read",
                    "\"" + name + "\"", ".obj, .stl",
                    "convert it, or use a <box>, <cylinder> or <sphere> for collisions");
    return false;
  }
  // What is only drawn may be missing.
  Messages unheard(messages_.file());
  Messages& heard = visual ? unheard : messages_;
  Element uri;
  uri.name = "mesh";
  uri.place = e.place;
  uri.attributes.push_back({"uri", name, e.place});
  const std::string file = find_file(name, folder, options_, uri, "uri", heard);
  const std::string key = fmt::format("{} {} {} {}", file, scale.x(), scale.y(), scale.z());
  if (!file.empty() && !meshes_[key]) {
    Result<Mesh> read = read_mesh(file, scale);
    if (read)
      meshes_[key] = std::make_shared<const Mesh>(std::move(*read));
    else
      heard.append(read.error());
  }
  if (file.empty() || !meshes_[key]) {
    if (visual)
      messages_.note(e.place, "visual", "", "not taken over: the mesh cannot be read: " + name);
    return false;
  }
  shape.mesh = meshes_[key];
  return true;
}

// Sizes of all shapes but meshes.
bool SdfShapes::read_size(const Element& e, ImportedShape& shape) {
  const auto three = [&](const char* key) {
    const auto size = values_.vector(e, key);
    if (size && size->minCoeff() > 0) {
      shape.size = *size;
      return true;
    }
    if (size || !e.child(key))
      messages_.error(e.place, ErrorCode::out_of_range, e.name + "." + key,
                      size ? "a size is not positive" : "the size is missing", values_.word(e, key),
                      "three positive numbers [m]", std::string("give <") + key + ">");
    return false;
  };
  switch (shape.kind) {
    case ShapeKind::box:
      return three("size");
    case ShapeKind::ellipsoid:
      return three("radii");
    case ShapeKind::sphere:
      shape.size.x() = values_.positive(e, "radius", "[m]");
      return shape.size.x() > 0;
    case ShapeKind::capsule:
    case ShapeKind::cylinder:
      shape.size.x() = values_.positive(e, "radius", "[m]");
      shape.size.y() = values_.positive(e, "length", "[m]");
      return shape.size.x() > 0 && shape.size.y() > 0;
    case ShapeKind::halfspace: {
      const Vec3 normal = values_.vector(e, "normal").value_or(Vec3::UnitZ());
      (void)values_.numbers(e, "size", 2, 2);
      if (normal.norm() > 0) {
        shape.X_BS.R = Quat::FromTwoVectors(Vec3::UnitZ(), normal);
        return true;
      }
      messages_.error(e.place, ErrorCode::zero_vector, "plane.normal", "is not a direction",
                      "0 0 0", "any vector but zero", "give a vector such as 0 0 1");
      return false;
    }
    case ShapeKind::mesh:
      break;
  }
  return false;
}

std::optional<ImportedShape> SdfShapes::read(const Element& element, bool visual,
                                             const std::string& folder) {
  (void)element.find("name");
  const Element* geometry = element.child("geometry");
  const auto at_fault = [&](const char* what) -> std::optional<ImportedShape> {
    if (visual)
      messages_.note(element.place, "visual", "", std::string("not taken over: ") + what);
    else
      messages_.error(element.place, ErrorCode::missing_key, label(element), what, "", known_shapes,
                      "add one of them");
    return {};
  };
  if (!geometry) return at_fault("\"geometry\" is missing");
  static constexpr std::pair<const char*, ShapeKind> kinds[] = {{"box", ShapeKind::box},
                                                                {"sphere", ShapeKind::sphere},
                                                                {"cylinder", ShapeKind::cylinder},
                                                                {"capsule", ShapeKind::capsule},
                                                                {"ellipsoid", ShapeKind::ellipsoid},
                                                                {"plane", ShapeKind::halfspace},
                                                                {"mesh", ShapeKind::mesh}};
  if (geometry->child("empty")) return {};
  for (const auto& [name, kind] : kinds) {
    const Element* e = geometry->child(name);
    if (!e) continue;
    if (visual && kind == ShapeKind::halfspace)
      return at_fault("planes are drawn by what collides");
    ImportedShape shape;
    shape.kind = kind;
    shape.place = element.place;
    const bool good =
        kind == ShapeKind::mesh ? read_mesh_shape(*e, visual, folder, shape) : read_size(*e, shape);
    if (!good) return {};
    if (const Element* material = element.child("material")) {
      const auto rgba = values_.numbers(*material, "diffuse", 3, 4);
      if (rgba) shape.color = {(*rgba)[0], (*rgba)[1], (*rgba)[2]};
    }
    return shape;
  }
  for (const Element& other : geometry->children) {
    messages_.note(other.place, other.name, "",
                   std::string("not taken over: known are ") + known_shapes);
    other.used = true;
    mark_used(other);
    return {};
  }
  return at_fault("the geometry is empty");
}

// Decimal or, with 0x, hexadecimal.
unsigned SdfShapes::read_mask(const Element& e) {
  const std::string& text = e.text;
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const char *start = text.data() + (hex ? 2 : 0), *end = text.data() + text.size();
  unsigned mask = 0;
  const auto [stop, fault] = std::from_chars(start, end, mask, hex ? 16 : 10);
  if (fault != std::errc() || stop != end)
    messages_.error(e.place, ErrorCode::wrong_type, e.name, "expected a mask of bits",
                    "\"" + text.substr(0, 60) + "\"", "0 to 4294967295, or 0x0 to 0xffffffff",
                    "correct the value");
  return mask;
}

// Gazebo's bodies touch where their bit masks meet.
Surface SdfShapes::surface(const Element& collision, ImportedShape& shape) {
  Surface out{.friction = options_.friction};
  const Element* drake = collision.child("drake:proximity_properties");
  if (drake)
    if (const auto mu = values_.number(*drake, "drake:mu_dynamic")) out.friction = *mu;
  const Element* surface = collision.child("surface");
  if (!surface) return out;
  if (const Element* friction = surface->child("friction"))
    if (const Element* ode = friction->child("ode")) {
      const auto mu = values_.number(*ode, "mu"), mu2 = values_.number(*ode, "mu2");
      if (mu) out.friction = *mu;
      if (mu && mu2 && *mu2 != *mu)
        messages_.note(ode->place, "ode", "mu2",
                       "not taken over: mu holds in all directions; mu2 is " + short_text(*mu2));
    }
  if (out.friction < 0)
    messages_.error(surface->place, ErrorCode::out_of_range, label(collision) + ".surface.friction",
                    "friction is negative", short_text(out.friction), "at least 0",
                    "correct the value");
  if (const Element* bounce = surface->child("bounce"))
    if (const auto e = values_.number(*bounce, "restitution_coefficient")) {
      out.restitution = *e;
      if (!(*e >= 0 && *e <= 1))
        messages_.error(bounce->place, ErrorCode::out_of_range,
                        label(collision) + ".surface.bounce.restitution_coefficient",
                        "restitution is out of range", short_text(*e), "0 to 1",
                        "choose a value in the range");
    }
  if (const Element* contact = surface->child("contact"))
    if (const Element* mask = contact->child("collide_bitmask"))
      shape.type_mask = shape.touch_mask = read_mask(*mask);
  return out;
}

}  // namespace cairn::imports
