// Reads a mesh file and its diagnosis.
#include "commands/mesh_info.hpp"

#include "cairn/polyhedron.hpp"
#include "mesh/convexity.hpp"
#include "mesh/diagnosis.hpp"
#include "mesh/files/read_mesh.hpp"

namespace cairn::app {
namespace {

Json point_json(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

Json finding_json(const mesh::Finding& finding) {
  Json json = {{"count", finding.count}};
  if (finding.count == 0) return json;
  Json& places = json["first_at"] = Json::array();
  for (const Vec3& p : finding.places) places.push_back(point_json(p));
  return json;
}

}  // namespace

Result<Json> mesh_json(const std::string& file) {
  const Result<mesh::MeshFile> read = mesh::read_mesh(file);
  if (!read) return tl::unexpected(read.error());
  const mesh::Diagnosis d = mesh::diagnose(read->mesh, mesh::Crossings::find);
  Json json = {{"file", file}, {"kind", "mesh"}, {"format", read->format}};
  if (!read->notes.empty()) json["notes"] = read->notes;
  json["vertices"] = d.points;
  json["triangles"] = d.triangles;
  json["groups"] = d.groups;
  json["components"] = d.components;
  json["low"] = point_json(d.box.lo);
  json["high"] = point_json(d.box.hi);
  json["area"] = d.area;
  json["closed"] = d.closed();
  if (d.closed()) {
    json["volume"] = d.solid.mass;
    json["center_of_mass"] = point_json(d.solid.center);
    Json& inertia = json["inertia_at_density_1"] = Json::array();
    for (int i = 0; i < 3; ++i)
      inertia.push_back(point_json(Vec3(d.solid.inertia.row(i).transpose())));
  }
  if (const Result<Polyhedron> hull = hull_polyhedron(read->mesh.points)) {
    const auto lost = mesh::difference_from_hull(read->mesh, *hull);
    json["convex"] = !lost;
  } else {
    json["convex"] = false;
  }
  const std::string faults = d.faults();
  json["faults"] = faults.empty() ? "none" : faults;
  json["unused_vertices"] = finding_json(d.unused_points);
  json["duplicate_vertices"] = finding_json(d.duplicate_points);
  json["collapsed_triangles"] = finding_json(d.collapsed_triangles);
  json["flat_triangles"] = finding_json(d.flat_triangles);
  json["open_edges"] = finding_json(d.open_edges);
  json["nonmanifold_edges"] = finding_json(d.nonmanifold_edges);
  json["flipped_edges"] = finding_json(d.flipped_edges);
  json["inverted_components"] = finding_json(d.inverted_components);
  json["nested_components"] = finding_json(d.nested_components);
  json["crossing_triangles"] = finding_json(d.crossings);
  if (!d.crossings_complete) json["crossing_triangles"]["at_least"] = true;
  return json;
}

}  // namespace cairn::app
