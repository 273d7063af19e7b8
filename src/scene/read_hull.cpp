// Reads the fields of a hull and the file that they may name, writes its points.
#include "scene/read_hull.hpp"

#include "cairn/polyhedron.hpp"
#include "mesh/convexity.hpp"

namespace cairn::scene {
namespace {

// Points of a mesh file whose name is relative to the scene's folder.
std::vector<Vec3> read_points(const Fields& fields, MeshFiles& files, SceneErrors& errors) {
  const auto mesh = files.read(fields, errors);
  if (!mesh) return {};
  std::string name;
  fields.read("file", name);
  const std::string file = files.path_of(name);
  Result<Polyhedron> hull = hull_polyhedron(mesh->mesh.points);
  bool take_hull = false;
  fields.read("convex_hull", take_hull);
  if (hull && !take_hull)
    if (std::optional<Error> lost = mesh::difference_from_hull(mesh->mesh, *hull)) {
      lost->path = fields.path("file");
      lost->what = file + ": " + lost->what;
      lost->fix =
          "\"convex_hull\": true takes the hull in its place; a shape of type \"mesh\" with "
          "\"as\": \"decompose\" keeps the form";
      errors.add(*fields.find("file"), std::move(*lost));
      return {};
    }
  if (hull) return std::move(hull->vertices);
  for (Error error : hull.error()) {
    error.path = fields.path("file");
    error.what = "points of " + file + ": " + error.what;
    errors.add(*fields.find("file"), std::move(error));
  }
  return {};
}

std::vector<Vec3> intersect(const Fields& fields, SceneErrors& errors) {
  std::vector<Vec3> A;
  std::vector<double> b;
  const bool rows = fields.read("A", A), sides = fields.read("b", b);
  if (!rows || !sides) return {};
  Result<std::vector<Vec3>> vertices = intersection_vertices(A, b);
  if (vertices) return std::move(*vertices);
  for (Error error : vertices.error()) {
    // The path starts with the field, perhaps with the number of a row behind it.
    if (error.path.empty()) error.path = "A";
    const json::Node& list = *fields.find(error.path.substr(0, 1));
    const std::size_t row =
        error.path.size() > 2 ? std::stoul(error.path.substr(2)) : list.items.size();
    error.path = fields.path(error.path);
    errors.add(row < list.items.size() ? list.items[row] : list, std::move(error));
  }
  return {};
}

}  // namespace

Hull read_hull(const Fields& fields, MeshFiles& files, SceneErrors& errors) {
  Hull hull;
  const bool vertices = fields.find("vertices"), file = fields.find("file"),
             rows = fields.find("A"), sides = fields.find("b");
  const int sources = vertices + file + (rows || sides);
  if (sources != 1 || rows != sides) {
    std::string got;
    for (const char* key : {"vertices", "file", "A", "b"})
      if (fields.find(key)) got += (got.empty() ? "\"" : ", \"") + std::string(key) + "\"";
    errors.add(fields.node(), fields.path(), ErrorCode::conflict, "a hull is given in one way",
               got.empty() ? "none" : got, "\"vertices\", or \"file\", or \"A\" with \"b\"",
               sources == 0 ? "add \"vertices\"" : "give exactly one of them");
    return hull;
  }
  if (const json::Node* flag = fields.find("convex_hull"); flag && !file)
    errors.add(*flag, fields.path("convex_hull"), ErrorCode::incomplete,
               "convex_hull belongs to \"file\"", json::summary(*flag), "",
               "leave it out: other hulls are convex by definition");
  if (vertices) fields.read("vertices", hull.vertices);
  if (file) hull.vertices = read_points(fields, files, errors);
  if (rows) hull.vertices = intersect(fields, errors);
  return hull;
}

}  // namespace cairn::scene
