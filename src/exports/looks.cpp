// Drawn meshes get normals that are smooth up to edges of 0.6 rad, as in the player.
#include "exports/looks.hpp"

#include <cmath>
#include <fmt/format.h>

#include "cairn/check.hpp"
#include "cairn/polyhedron.hpp"

namespace cairn::exports {
namespace {

constexpr double crease = 0.6;  // faces at a larger angle meet at an edge [rad]

Mesh smooth_mesh(const DrawnMesh& drawn) {
  std::vector<Vec3> areas;  // vector areas of the triangles
  std::vector<std::vector<std::size_t>> around(drawn.points.size());
  for (std::size_t t = 0; t < drawn.triangles.size(); ++t) {
    std::array<Vec3, 3> p;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(drawn.triangles[t][k]);
      p[k] = drawn.points[i];
      around[i].push_back(t);
    }
    areas.push_back(0.5 * (p[1] - p[0]).cross(p[2] - p[0]));
  }
  Mesh mesh;
  for (std::size_t t = 0; t < drawn.triangles.size(); ++t) {
    std::array<std::uint32_t, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(drawn.triangles[t][k]);
      Vec3 normal = Vec3::Zero();
      for (const std::size_t other : around[i])
        if (areas[t].dot(areas[other]) >= std::cos(crease) * areas[t].norm() * areas[other].norm())
          normal += areas[other];
      corners[k] = static_cast<std::uint32_t>(mesh.points.size());
      mesh.points.push_back(drawn.points[i]);
      mesh.normals.push_back(normal.norm() > 0 ? Vec3(normal.normalized()) : Vec3::UnitZ());
    }
    mesh.triangles.push_back(corners);
  }
  return mesh;
}

}  // namespace

Looks::Looks(const Scene& scene, const MeshSettings& settings, bool contact_geometry)
    : scene_(scene),
      settings_(settings),
      contact_geometry_(contact_geometry),
      bodies_(scene.model->bodies.size(), nullptr),
      colours_(body_colours(*scene.model)) {
  for (const BodyDescription& body : scene.description.bodies)
    if (const auto id = scene.model->find_body(body.name)) {
      bodies_[static_cast<std::size_t>(*id)] = &body;
      if (body.colour) colours_[static_cast<std::size_t>(*id)] = *body.colour;
    }
}

std::vector<ShapeMesh> Looks::parts(BodyId id, const Pose& X_WB) const {
  const BodyDescription* body = bodies_[static_cast<std::size_t>(id)];
  if (contact_geometry_ || !body || body->visual.empty())
    return body_meshes(*scene_.model, id, X_WB, settings_);
  std::vector<ShapeMesh> parts;
  for (std::size_t i = 0; i < body->visual.size(); ++i) {
    const DrawnShape& drawn = body->visual[i];
    const Pose X_BS{drawn.X_BS.p, drawn.X_BS.R.normalized()};
    ShapeMesh part{"mesh " + drawn.mesh, drawn.scale, X_BS, {}};
    if (drawn.mesh.empty()) {
      Shape shape;
      shape.geometry = drawn.geometry;
      part = shape_mesh(shape, X_BS, X_WB, settings_);
      if (std::holds_alternative<Hull>(drawn.geometry) ||
          std::holds_alternative<Polygon>(drawn.geometry))
        part.key = fmt::format("visual {} {}", static_cast<int>(id), i);
    }
    part.colour = drawn.colour;
    parts.push_back(std::move(part));
  }
  return parts;
}

Mesh Looks::mesh(const std::string& key) const {
  if (key.starts_with("mesh ")) {
    for (const auto& drawn : scene_.description.meshes)
      if (drawn->name == key.substr(5)) return smooth_mesh(*drawn);
    CAIRN_CHECK(false);
  }
  if (!key.starts_with("visual ")) return make_mesh(*scene_.model, key, settings_);
  const std::size_t gap = key.find(' ', 7);
  const BodyDescription* body = bodies_[std::stoul(key.substr(7, gap - 7))];
  const Geometry& geometry = body->visual[std::stoul(key.substr(gap + 1))].geometry;
  const auto* hull = std::get_if<Hull>(&geometry);
  const Result<Polyhedron> polyhedron =
      hull ? hull_polyhedron(hull->vertices)
           : polygon_polyhedron(std::get<Polygon>(geometry).vertices);
  CAIRN_CHECK(polyhedron.has_value());
  return polyhedron_mesh(*polyhedron, settings_.thickness);
}

}  // namespace cairn::exports
