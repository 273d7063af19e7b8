// A mesh stands for itself where it is convex, else for what "as" says.
#include "scene/mesh/mesh_shape.hpp"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "base/suggestion.hpp"
#include "cairn/polyhedron.hpp"
#include "mesh/convexity.hpp"
#include "mesh/decompose/decompose.hpp"
#include "mesh/diagnosis.hpp"
#include "mesh/topology.hpp"
#include "scene/part_cache.hpp"

namespace cairn::scene {
namespace {

constexpr double largest_scale = 1e15;
constexpr const char* two_ways =
    "\"as\": \"decompose\" for convex parts, or \"as\": \"hull\" for its convex hull";

// A number or three, none of them zero.
bool read_scale(const Fields& fields, Vec3& scale, SceneErrors& errors) {
  const json::Node* node = fields.find("scale");
  if (!node) return true;
  if (node->is(json::Node::Kind::number))
    scale = Vec3::Constant(node->number);
  else if (!fields.read("scale", scale))
    return false;
  if ((scale.array() != 0).all() && scale.cwiseAbs().maxCoeff() <= largest_scale) return true;
  errors.add(*node, fields.path("scale"), ErrorCode::out_of_range, "scale of a mesh",
             fmt::format("[{}, {}, {}]", scale.x(), scale.y(), scale.z()),
             "numbers other than 0, up to 1e15", "write 1, or three factors");
  return false;
}

// What a shape is made from: the mesh in the frame of the shape.
class MeshReader {
 public:
  MeshReader(const Fields& fields, MeshFiles& files, SceneErrors& errors)
      : fields_(fields), files_(files), errors_(errors) {}

  std::optional<MeshShape> read() {
    const auto file = files_.read(fields_, errors_);
    std::string as;
    mesh::DecomposeOptions options;
    std::int64_t parts = options.max_parts;
    bool repair = false;
    const json::Node* repair_node = fields_.find("repair");
    bool ok = !fields_.find("as") || read_as(as);
    ok &= !repair_node || fields_.read("repair", repair);
    ok &= read_scale(fields_, scale_, errors_);
    ok &= read_share("max_volume_error", options.max_volume_error);
    ok &= read_share("max_distance", options.max_distance);
    ok &= !fields_.find("max_parts") ||
          fields_.read_integer("max_parts", parts, 1, most_parts_of_mesh);
    options.max_parts = static_cast<int>(parts);
    if (!file || !ok) return std::nullopt;
    if (as != "decompose")
      for (const char* key : {"max_volume_error", "max_distance", "max_parts"})
        if (const json::Node* node = fields_.find(key)) {
          errors_.add(*node, fields_.path(key), ErrorCode::incomplete,
                      std::string(key) + " belongs to \"as\": \"decompose\"", json::summary(*node),
                      "", "leave it out");
          return std::nullopt;
        }
    fields_.read("file", name_);
    path_ = files_.path_of(name_);
    // Scaled after it is repaired and drawn: instances of one file share what is drawn.
    mesh::TriangleMesh own = file->mesh;
    if (repair) files_.note(path_ + ": repaired: " + mesh::repair(own).text());
    const bool mirrored = scale_.prod() < 0;
    if (!own.triangles.empty()) {
      const Vec3 signs = scale_.cwiseSign();
      out_.drawn =
          files_.draw(fmt::format("{}|{}|{} {} {}", path_, repair, signs.x(), signs.y(), signs.z()),
                      path_, mirrored || signs != Vec3::Ones() ? scaled(own, signs) : own);
      out_.drawn_scale = scale_.cwiseAbs();
    }
    own = mesh::scaled(std::move(own), scale_);
    const bool made = as == "decompose" ? decompose(own, options) : hull(own, as == "hull");
    if (!made) return std::nullopt;
    return std::move(out_);
  }

 private:
  static constexpr std::int64_t most_parts_of_mesh = 4096;

  bool read_as(std::string& as) {
    if (!fields_.read("as", as)) return false;
    if (as == "hull" || as == "decompose") return true;
    constexpr std::array<std::string_view, 2> known = {"hull", "decompose"};
    errors_.add(*fields_.find("as"), fields_.path("as"), ErrorCode::unknown_choice,
                "unknown choice", "\"" + as + "\"", "hull, decompose",
                base::did_you_mean(as, known, "use one of them"));
    return false;
  }

  bool read_share(const char* key, double& out) {
    return !fields_.find(key) || fields_.read_number(key, out, {0, 10, true});
  }

  bool refuse(Error error) {
    error.path = fields_.path("file");
    error.what = path_ + ": " + error.what;
    errors_.add(*fields_.find("file"), std::move(error));
    return false;
  }

  // Whether the surface encloses a volume; otherwise an error.
  bool encloses(const mesh::Diagnosis& d) {
    Error error;
    error.code = ErrorCode::not_closed;
    error.got = d.faults();
    if (d.triangles == 0 || !d.closed()) {
      error.what = "faces of the mesh do not form a closed surface, so that it has no volume";
      error.allowed = "every edge in two faces that run along it in opposite senses";
      error.fix =
          "cairn info FILE shows the places; \"repair\": true welds and turns, holes must "
          "be closed in the program that made the mesh";
      return refuse(std::move(error));
    }
    if (d.solid.mass <= 0 || d.inverted_components.count > 0) {
      error.code = ErrorCode::degenerate;
      error.what = "mesh is turned inside out, its volume is negative";
      error.got = fmt::format("{:.6g} m^3", d.solid.mass);
      error.allowed = "faces that turn counterclockwise seen from outside";
      error.fix = "\"repair\": true turns them";
      return refuse(std::move(error));
    }
    return true;
  }

  // Mass properties of the mesh itself where it encloses a volume, else of the hull.
  void take_mass(const mesh::Diagnosis& d, const Polyhedron& hull) {
    if (d.closed() && d.solid.mass > 0 && d.inverted_components.count == 0) {
      out_.solid = d.solid;
      return;
    }
    out_.solid = model::mass_properties(hull, 1);
    files_.note(path_ + ": mass and inertia are those of the convex hull: the mesh " +
                (d.triangles == 0 ? std::string("has no faces") : "has " + d.faults()));
  }

  bool hull(const mesh::TriangleMesh& own, bool asked) {
    Result<Polyhedron> hull = hull_polyhedron(own.points);
    if (!hull) {
      for (Error error : hull.error()) {
        error.what = "points of the mesh: " + error.what;
        refuse(std::move(error));
      }
      return false;
    }
    const mesh::Diagnosis d = mesh::diagnose(own, mesh::Crossings::skip);
    std::optional<Error> lost = mesh::difference_from_hull(own, *hull);
    if (lost && !asked) {
      lost->fix = lost->code == ErrorCode::not_closed
                      ? "\"repair\": true if faces are only turned or doubled, or "
                        "\"as\": \"hull\" for the convex hull"
                      : two_ways;
      return refuse(std::move(*lost));
    }
    if (!asked && own.triangles.size() > 0 && !encloses(d)) return false;
    take_mass(d, *hull);
    if (lost && d.closed() && d.solid.mass > 0)
      files_.note(
          fmt::format("{}: its convex hull touches: volume {:.6g} m^3, of the mesh {:.6g} "
                      "m^3, from which the mass comes",
                      path_, model::mass_properties(*hull, 1).mass, d.solid.mass));
    out_.hulls.push_back(std::move(hull->vertices));
    return true;
  }

  // The groups of the file if they are convex, closed parts.
  bool take_groups(const mesh::TriangleMesh& own) {
    if (own.groups.size() < 2) return false;
    std::vector<std::vector<Vec3>> hulls;
    for (std::size_t g = 0; g < own.groups.size(); ++g) {
      const mesh::TriangleMesh part = mesh::group_mesh(own, g);
      Result<Polyhedron> hull = hull_polyhedron(part.points);
      if (!hull || mesh::difference_from_hull(part, *hull)) return false;
      hulls.push_back(std::move(hull->vertices));
    }
    out_.hulls = std::move(hulls);
    files_.note(
        fmt::format("{}: {} groups of the file are its convex parts; where they overlap, "
                    "mass counts twice",
                    path_, own.groups.size()));
    return true;
  }

  bool decompose(const mesh::TriangleMesh& own, const mesh::DecomposeOptions& options) {
    mesh::Diagnosis d = mesh::diagnose(own, mesh::Crossings::skip);
    if (!encloses(d)) return false;
    out_.solid = d.solid;
    if (take_groups(own)) return true;
    d = mesh::diagnose(own, mesh::Crossings::find);
    if (d.nonmanifold_edges.count + d.crossings.count + d.nested_components.count > 0) {
      Error error;
      error.code = ErrorCode::unsupported;
      error.what = "mesh crosses itself or has edges in more than two faces";
      error.got = d.faults();
      error.allowed = "surfaces without crossings";
      error.fix =
          "unite the bodies of the mesh in the program that made it, or give each convex "
          "part a group (o or g in OBJ)";
      return refuse(std::move(error));
    }
    const std::string key = part_key(own, options), &folder = files_.access().cache;
    std::optional<mesh::Decomposition> parts = kept_parts(folder, key);
    if (!parts) {
      Result<mesh::Decomposition> made = mesh::decompose(own, options);
      if (!made) {
        for (Error error : made.error()) refuse(std::move(error));
        return false;
      }
      parts = std::move(*made);
      if (!keep_parts(folder, key, *parts)) files_.note("convex parts cannot be kept in " + folder);
    }
    files_.note(
        fmt::format("{}: {} convex parts, volume error {:.3g} %, distance {:.3g} % of the "
                    "size",
                    path_, parts->parts.size(), 100 * parts->volume_error, 100 * parts->distance));
    out_.hulls = std::move(parts->parts);
    return true;
  }

  const Fields& fields_;
  MeshFiles& files_;
  SceneErrors& errors_;
  std::string name_, path_;
  Vec3 scale_ = Vec3::Ones();
  MeshShape out_;
};

}  // namespace

std::optional<MeshShape> read_mesh_shape(const Fields& fields, MeshFiles& files,
                                         SceneErrors& errors) {
  return MeshReader(fields, files, errors).read();
}

std::optional<DrawnShape> read_drawn_shape(const Fields& fields, MeshFiles& files,
                                           SceneErrors& errors) {
  const json::Node *name = fields.find("mesh"), *file = fields.find("file");
  if ((name != nullptr) == (file != nullptr)) {
    errors.add(fields.node(), fields.path(), ErrorCode::conflict,
               "a drawn mesh is given in one way", name ? "\"mesh\", \"file\"" : "none",
               "\"file\", or \"mesh\" with a name of \"meshes\"",
               name ? "drop one of them" : "add \"file\"");
    return std::nullopt;
  }
  DrawnShape out;
  Vec3 scale = Vec3::Ones();
  if (!read_scale(fields, scale, errors)) return std::nullopt;
  if (name) {
    if (!fields.read("mesh", out.mesh)) return std::nullopt;
    out.scale = scale;
    return out;
  }
  const auto mesh = files.read(fields, errors);
  if (!mesh) return std::nullopt;
  if (mesh->mesh.triangles.empty()) {
    errors.add(*file, fields.path("file"), ErrorCode::empty, "mesh has no faces to draw",
               json::summary(*file), "a mesh with faces", "name another file");
    return std::nullopt;
  }
  std::string text;
  fields.read("file", text);
  const std::string path = files.path_of(text);
  const Vec3 signs = scale.cwiseSign();
  out.mesh = files.draw(fmt::format("{}|false|{} {} {}", path, signs.x(), signs.y(), signs.z()),
                        path, signs != Vec3::Ones() ? mesh::scaled(mesh->mesh, signs) : mesh->mesh);
  out.scale = scale.cwiseAbs();
  return out;
}

}  // namespace cairn::scene
