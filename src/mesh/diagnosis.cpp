// Counts faults by edges, components by their volumes, and asks the tree for crossings.
#include "mesh/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "mesh/surface_tree.hpp"
#include "mesh/topology.hpp"

namespace cairn::mesh {
namespace {

constexpr double flat = 0x1p-40;  // twice the area of a triangle by its longest side squared [-]
constexpr std::size_t most_crossings = 1000;

Vec3 middle_of(const TriangleMesh& mesh, std::int32_t triangle) {
  const auto [a, b, c] = mesh.corners(mesh.triangles[static_cast<std::size_t>(triangle)]);
  return (a + b + c) / 3;
}

bool is_flat(const std::array<Vec3, 3>& t) {
  const Vec3 ab = t[1] - t[0], ac = t[2] - t[0], bc = t[2] - t[1];
  const double longest = std::max({ab.squaredNorm(), ac.squaredNorm(), bc.squaredNorm()});
  return !(ab.cross(ac).norm() > flat * longest);
}

// Which components are closed, their volumes, and how many others lie around each.
void judge_components(const TriangleMesh& mesh, const Topology& topology, Diagnosis& d) {
  const auto n = static_cast<std::size_t>(topology.components);
  std::vector<double> volume(n, 0);
  std::vector<char> closed(n, 1);
  std::vector<std::int32_t> first(n, -1);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    if (topology.component[i] < 0) continue;
    const auto c = static_cast<std::size_t>(topology.component[i]);
    if (first[c] < 0) first[c] = static_cast<std::int32_t>(i);
    const Vec3 origin = mesh.point(mesh.triangles[static_cast<std::size_t>(first[c])][0]);
    const auto [p, q, r] = mesh.corners(mesh.triangles[i]);
    volume[c] += (p - origin).dot((q - origin).cross(r - origin)) / 6;
  }
  for (const Edge& e : topology.edges)
    if (2 * e.forward != e.count) {
      const EdgeUse& use = topology.uses[static_cast<std::size_t>(e.first)];
      closed[static_cast<std::size_t>(topology.component[static_cast<std::size_t>(use.triangle)])] =
          0;
    }
  for (std::size_t c = 0; c < n; ++c) {
    if (!closed[c] || volume[c] == 0) continue;
    const Vec3 place = middle_of(mesh, first[c]);
    double around = 0;
    if (n > 1 && n <= most_nesting)
      for (std::size_t other = 0; other < n; ++other)
        if (other != c && closed[other])
          around += std::round(winding(mesh, topology, static_cast<std::int32_t>(other), place));
    // Inside matter a cavity is negative, outside it a body is positive.
    if (volume[c] < 0 && around < 0.5) d.inverted_components.add(place);
    if (volume[c] > 0 && around > 0.5) d.nested_components.add(place);
  }
}

}  // namespace

bool Diagnosis::sound() const {
  return faults().empty();
}

std::string Diagnosis::faults() const {
  std::string text;
  const auto add = [&](const Finding& f, const char* one, const char* many) {
    if (f.count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", f.count, f.count == 1 ? one : many);
  };
  add(open_edges, "open edge", "open edges");
  add(nonmanifold_edges, "non-manifold edge", "non-manifold edges");
  add(flipped_edges, "flipped edge", "flipped edges");
  add(collapsed_triangles, "collapsed triangle", "collapsed triangles");
  add(flat_triangles, "flat triangle", "flat triangles");
  add(inverted_components, "inverted component", "inverted components");
  add(nested_components, "nested component", "nested components");
  add(crossings, "pair of crossing triangles", "pairs of crossing triangles");
  return text;
}

Diagnosis diagnose(const TriangleMesh& mesh, Crossings find) {
  Diagnosis d;
  d.points = mesh.points.size();
  d.triangles = mesh.triangles.size();
  d.groups = mesh.groups.size();
  d.box = bounds_of(mesh.points);
  const Topology topology = topology_of(mesh);
  d.components = topology.components;
  d.balanced = topology.closed();

  std::vector<char> used(mesh.points.size(), 0);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const std::array<Vec3, 3> t = mesh.corners(mesh.triangles[i]);
    for (const std::int32_t k : mesh.triangles[i]) used[static_cast<std::size_t>(k)] = 1;
    d.area += 0.5 * (t[1] - t[0]).cross(t[2] - t[0]).norm();
    if (topology.component[i] < 0)
      d.collapsed_triangles.add(t[0]);
    else if (is_flat(t))
      d.flat_triangles.add((t[0] + t[1] + t[2]) / 3);
  }
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    if (!used[i]) d.unused_points.add(mesh.points[i]);
    if (topology.ids[i] != static_cast<std::int32_t>(i)) d.duplicate_points.add(mesh.points[i]);
  }
  for (const Edge& e : topology.edges) {
    const Vec3 place = 0.5 * (mesh.point(e.low) + mesh.point(e.high));
    if (e.count == 1) d.open_edges.add(place);
    if (e.count > 2) d.nonmanifold_edges.add(place);
    if (e.count == 2 && e.forward != 1) d.flipped_edges.add(place);
  }
  judge_components(mesh, topology, d);
  if (d.closed()) d.solid = mass_of(mesh, 1);
  if (find == Crossings::find) {
    d.crossings_searched = true;
    const SurfaceTree tree(mesh);
    for (const auto& [s, t] : tree.crossings(most_crossings))
      d.crossings.add(0.5 * (middle_of(mesh, s) + middle_of(mesh, t)));
    d.crossings_complete = d.crossings.count < most_crossings;
  }
  return d;
}

}  // namespace cairn::mesh
