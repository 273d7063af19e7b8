#include "imports/mjcf/geoms.hpp"

#include <algorithm>
#include <filesystem>

#include "base/suggestion.hpp"
#include "imports/inertia.hpp"
#include "imports/mesh_file.hpp"
#include "imports/packages.hpp"

namespace cairn::imports {
namespace {

constexpr double water = 1000;  // MuJoCo's default density [kg/m^3]

struct GeomType {
  std::string_view name;
  ShapeKind kind;
  std::size_t sizes;  // that it needs
};
constexpr GeomType geom_types[] = {
    {"plane", ShapeKind::halfspace, 0},   {"sphere", ShapeKind::sphere, 1},
    {"capsule", ShapeKind::capsule, 2},   {"ellipsoid", ShapeKind::ellipsoid, 3},
    {"cylinder", ShapeKind::cylinder, 2}, {"box", ShapeKind::box, 3},
    {"mesh", ShapeKind::mesh, 0}};

}  // namespace

MjcfGeoms::MjcfGeoms(const MjcfSettings& settings, const MjcfDefaults& defaults, std::string folder,
                     const ImportOptions& options, Robot& robot, Messages& messages)
    : settings_(settings),
      defaults_(defaults),
      folder_(std::move(folder)),
      options_(options),
      robot_(robot),
      messages_(messages) {}

void MjcfGeoms::read_assets(const Element& asset) {
  asset.used = true;
  for (const Element& e : asset.children) {
    if (e.name == "mesh") read_mesh_asset(e);
    if (e.name != "material") continue;
    const Merged m = defaults_.merged(e, "", messages_);
    for (const char* key : {"name", "texture", "texrepeat", "texuniform", "emission", "specular",
                            "shininess", "reflectance", "metallic", "roughness"})
      (void)m->find(key);
    if (const auto rgba = messages_.numbers(*m, "rgba", 4, 4))
      colors_[m->get("name")] = {(*rgba)[0], (*rgba)[1], (*rgba)[2]};
  }
}

void MjcfGeoms::read_mesh_asset(const Element& e) {
  const Merged m = defaults_.merged(e, "", messages_);
  MeshAsset asset;
  asset.file = m->get("file");
  asset.element = &e;
  asset.scale = messages_.vector(*m, "scale").value_or(Vec3::Ones());
  for (const char* key : {"smoothnormal", "texcoord", "normal"}) (void)m->find(key);
  if (m->has("maxhullvert")) messages_.note(e.place, "mesh", "maxhullvert", "not taken over");
  if (const std::string word = m->get("inertia", "legacy"); word == "exact")
    asset.inertia = MeshInertia::exact;
  else if (word == "convex")
    asset.inertia = MeshInertia::convex;
  else if (word != "legacy")
    messages_.note(e.place, "mesh", "inertia", "not taken over: the mesh is taken as solid");
  for (const char* key : {"refpos", "refquat"})
    if (m->has(key))
      messages_.error(e.place, ErrorCode::unsupported, label(e) + "." + key,
                      "meshes with a frame of their own are not read", m->get(key), "none",
                      "move the vertices instead");
  std::string name = m->get("name");
  if (name.empty()) name = std::filesystem::path(asset.file).stem().string();
  if (m->has("vertex")) {
    const auto numbers = messages_.numbers(*m, "vertex", 12, 3'000'000);
    const auto faces = messages_.numbers(*m, "face", 3, 3'000'000);
    if (!numbers) return;
    Mesh mesh;
    mesh.scale = asset.scale;
    mesh.inertia = asset.inertia;
    for (std::size_t i = 0; i + 2 < numbers->size(); i += 3)
      mesh.points.push_back(
          Vec3((*numbers)[i], (*numbers)[i + 1], (*numbers)[i + 2]).cwiseProduct(asset.scale));
    const auto corner = [&](double x) {
      const bool good = x >= 0 && x < static_cast<double>(mesh.points.size());
      if (!good)
        messages_.error(e.place, ErrorCode::out_of_range, label(e) + ".face",
                        "a face names a vertex that is not there", short_text(x),
                        "0 to " + std::to_string(mesh.points.size() - 1), "correct it");
      return good ? static_cast<int>(x) : 0;
    };
    for (std::size_t i = 0; faces && i + 2 < faces->size() && messages_.ok(); i += 3)
      mesh.triangles.push_back(
          {corner((*faces)[i]), corner((*faces)[i + 1]), corner((*faces)[i + 2])});
    asset.mesh = std::make_shared<const Mesh>(std::move(mesh));
  } else if (asset.file.empty()) {
    messages_.note(e.place, "mesh", "", "not taken over: it has neither a file nor vertices");
    return;
  }
  meshes_[name] = std::move(asset);
}

std::shared_ptr<const Mesh> MjcfGeoms::find_mesh(const std::string& name, const Element& geom) {
  const auto found = meshes_.find(name);
  if (found == meshes_.end()) {
    std::vector<std::string_view> known;
    for (const auto& [key, asset] : meshes_) known.push_back(key);
    messages_.error(geom.place, ErrorCode::unknown_name, label(geom) + ".mesh",
                    "no mesh has this name", "\"" + name + "\"", "",
                    base::did_you_mean(name, known, "add it to <asset>"));
    return nullptr;
  }
  MeshAsset& asset = found->second;
  if (asset.mesh) return asset.mesh;
  namespace fs = std::filesystem;
  const fs::path meshes = fs::path(folder_) / settings_.mesh_folder;
  const std::string file =
      find_file(asset.file, meshes.string(), options_, *asset.element, "file", messages_);
  if (file.empty()) return nullptr;
  Result<Mesh> mesh = read_mesh(file, asset.scale);
  if (!mesh) {
    messages_.append(mesh.error());
    return nullptr;
  }
  mesh->inertia = asset.inertia;
  asset.mesh = std::make_shared<const Mesh>(std::move(*mesh));
  return asset.mesh;
}

// Ends of a capsule, cylinder, box or ellipsoid along its z axis.
bool MjcfGeoms::read_fromto(const Element& e, ImportedShape& shape, Pose& X,
                            std::vector<double>& size) {
  const auto ends = messages_.numbers(e, "fromto", 6, 6);
  if (!ends) return true;
  const Vec3 from((*ends)[0], (*ends)[1], (*ends)[2]), to((*ends)[3], (*ends)[4], (*ends)[5]);
  const double length = (to - from).norm();
  if (!(length > 1e-12)) {
    messages_.error(e.place, ErrorCode::degenerate, label(e) + ".fromto", "both ends are one point",
                    e.get("fromto"), "two points", "correct it");
    return false;
  }
  X.p = 0.5 * (from + to);
  // MuJoCo's axis runs from the second end to the first one.
  X.R = Quat::FromTwoVectors(Vec3::UnitZ(), (from - to) / length);
  if (size.empty()) return true;
  const bool round = shape.kind == ShapeKind::capsule || shape.kind == ShapeKind::cylinder;
  size = round ? std::vector<double>{size[0], length / 2}
               : std::vector<double>{size[0], size[0], length / 2};
  return true;
}

bool MjcfGeoms::read_size(const Element& e, ImportedShape& shape, Pose& X) {
  std::vector<double> size = messages_.numbers(e, "size", 1, 3).value_or(std::vector<double>{});
  const auto type = std::find_if(std::begin(geom_types), std::end(geom_types),
                                 [&](const GeomType& t) { return t.kind == shape.kind; });
  if (type->sizes > 0 && !read_fromto(e, shape, X, size)) return false;
  if (type->sizes == 0) return true;
  const auto bad = [](double x) { return !(x > 0); };
  if (size.size() < type->sizes ||
      std::any_of(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(type->sizes), bad)) {
    messages_.error(e.place, ErrorCode::out_of_range, label(e) + ".size",
                    "the size of a " + std::string(type->name) + " is not given or not positive",
                    "\"" + e.get("size") + "\"",
                    std::to_string(type->sizes) + " positive numbers [m]", "give size");
    return false;
  }
  switch (shape.kind) {
    case ShapeKind::sphere:
      shape.size.x() = size[0];
      break;
    case ShapeKind::capsule:
    case ShapeKind::cylinder:
      shape.size = {size[0], 2 * size[1], 0};
      break;
    case ShapeKind::ellipsoid:
      shape.size = {size[0], size[1], size[2]};
      break;
    default:
      shape.size = 2 * Vec3(size[0], size[1], size[2]);
  }
  return true;
}

int MjcfGeoms::surface_of(const Element& e) {
  Surface s{.friction = 1, .torsional = 0.005, .rolling = 0.0001, .dimension = 3};
  if (const auto f = messages_.numbers(e, "friction", 1, 3)) {
    s.friction = (*f)[0];
    if (f->size() > 1) s.torsional = (*f)[1];
    if (f->size() > 2) s.rolling = (*f)[2];
    if (*std::min_element(f->begin(), f->end()) < 0)
      messages_.error(e.place, ErrorCode::out_of_range, label(e) + ".friction",
                      "friction is negative", e.get("friction"), "at least 0", "correct it");
  }
  if (const auto d = messages_.number(e, "condim")) {
    s.dimension = *d == 1 || *d == 3 || *d == 4 || *d == 6 ? static_cast<int>(*d) : 0;
    if (s.dimension == 0)
      messages_.error(e.place, ErrorCode::unknown_choice, label(e) + ".condim", "unknown dimension",
                      short_text(*d), "1, 3, 4, 6", "use one of them");
  }
  if (const auto p = messages_.number(e, "priority"))
    s.priority = static_cast<int>(std::clamp(*p, -1e9, 1e9));
  // Springs without damping give back what an impact took.
  if (const auto r = messages_.numbers(e, "solref", 1, 2)) {
    if (r->size() == 2 && (*r)[0] < 0 && (*r)[1] == 0)
      s.restitution = 1;
    else
      messages_.note(e.place, "geom", "solref", "not taken over: contacts are hard");
  }
  for (const char* key : {"solimp", "margin", "gap", "solmix"})
    if (e.has(key)) messages_.note(e.place, "geom", key, "not taken over: contacts are hard");
  const auto found = std::find(robot_.surfaces.begin(), robot_.surfaces.end(), s);
  if (found != robot_.surfaces.end()) return static_cast<int>(found - robot_.surfaces.begin());
  robot_.surfaces.push_back(s);
  return static_cast<int>(robot_.surfaces.size()) - 1;
}

std::optional<Geom> MjcfGeoms::read(const Element& element, const std::string& childclass) {
  const Merged merged = defaults_.merged(element, childclass, messages_);
  const Element& e = *merged;
  for (const char* key : {"name", "class", "material", "rgba", "user", "fitscale"})
    (void)e.find(key);
  const std::string word = e.get("type", "sphere");
  const auto type = std::find_if(std::begin(geom_types), std::end(geom_types),
                                 [&](const GeomType& t) { return t.name == word; });
  if (type == std::end(geom_types)) {
    if (word == "hfield" || word == "sdf") {
      messages_.note(e.place, "geom", "type", "not taken over: shapes of type " + word);
      for (const Attribute& a : e.attributes) a.used = true;
      return {};
    }
    std::vector<std::string_view> known;
    for (const GeomType& t : geom_types) known.push_back(t.name);
    messages_.error(e.place, ErrorCode::unknown_choice, label(e) + ".type", "unknown type of geom",
                    "\"" + word + "\"", "plane, sphere, capsule, ellipsoid, cylinder, box, mesh",
                    base::did_you_mean(word, known, "use one of them"));
    return {};
  }
  Geom geom;
  ImportedShape& shape = geom.shape;
  shape.kind = type->kind;
  shape.place = e.place;
  shape.X_BS = read_pose(e, settings_, messages_);
  const auto group = static_cast<int>(messages_.number(e, "group").value_or(0));
  const auto mask = [&](const char* key) {
    return static_cast<unsigned>(
        std::clamp(messages_.number(e, key).value_or(1), 0.0, 4294967295.0));
  };
  shape.type_mask = mask("contype");
  shape.touch_mask = mask("conaffinity");
  geom.collides = shape.type_mask != 0 || shape.touch_mask != 0;
  if (const auto rgba = messages_.numbers(e, "rgba", 4, 4))
    shape.color = Vec3((*rgba)[0], (*rgba)[1], (*rgba)[2]);
  else if (const auto found = colors_.find(e.get("material")); found != colors_.end())
    shape.color = found->second;
  const auto mass = messages_.number(e, "mass");
  const double density = messages_.number(e, "density").value_or(water);
  if (type->kind == ShapeKind::mesh) {
    if (!(shape.mesh = find_mesh(e.get("mesh"), e))) return {};
  } else if (e.has("mesh") && !e.has("size") && !e.has("fromto")) {
    // MuJoCo fits a shape of the type to the mesh.
    if (!(shape.mesh = find_mesh(e.get("mesh"), e))) return {};
    shape.kind = ShapeKind::mesh;
    messages_.note(e.place, "geom", "mesh",
                   "the mesh itself is taken, not a " + word + " that is fitted to it");
  }
  if (!read_size(e, shape, shape.X_BS)) return {};
  if (e.has("shellinertia") && e.get("shellinertia") == "true")
    messages_.note(e.place, "geom", "shellinertia", "not taken over: the geom is taken as solid");
  if (geom.collides) shape.surface = surface_of(e);
  if (group >= settings_.first_group && group <= settings_.last_group && !(mass && *mass == 0) &&
      !(!mass && density == 0)) {
    Inertial inertial = unit_density(shape);
    const double factor = mass && inertial.mass > 0 ? *mass / inertial.mass : density;
    inertial.mass *= factor;
    inertial.inertia *= factor;
    if (inertial.mass > 0) geom.inertial = inertial;
  }
  return geom;
}

}  // namespace cairn::imports
