// Welds, drops and turns; each on request only (diagnosis.hpp).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "mesh/diagnosis.hpp"
#include "mesh/topology.hpp"

namespace cairn::mesh {
namespace {

// For each point the number of the first one within the tolerance, by cells of four tolerances: a
// point has to look into a neighbour only where it lies close to its side.
std::vector<std::int32_t> welded(const std::vector<Vec3>& points, double tolerance) {
  if (!(tolerance > 0)) return first_equal(points);
  using Cell = std::array<std::int64_t, 3>;
  const Vec3 low = bounds_of(points).lo;
  const double edge = 4 * tolerance;
  std::map<Cell, std::vector<std::int32_t>> cells;  // with the points that others are welded to
  std::vector<std::int32_t> ids(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 at = (points[i] - low) / edge, cell = at.array().floor();
    std::array<std::array<std::int64_t, 2>, 3> range{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      const auto own = static_cast<std::int64_t>(cell[axis]);
      range[k] = {own - (at[axis] - cell[axis] <= 0.25), own + (at[axis] - cell[axis] >= 0.75)};
    }
    ids[i] = static_cast<std::int32_t>(i);
    for (std::int64_t x = range[0][0]; x <= range[0][1]; ++x)
      for (std::int64_t y = range[1][0]; y <= range[1][1]; ++y)
        for (std::int64_t z = range[2][0]; z <= range[2][1]; ++z) {
          const auto found = cells.find({x, y, z});
          if (found == cells.end()) continue;
          for (const std::int32_t other : found->second)
            if (other < ids[i] &&
                (points[static_cast<std::size_t>(other)] - points[i]).norm() <= tolerance)
              ids[i] = other;
        }
    if (ids[i] != static_cast<std::int32_t>(i)) continue;
    cells[{static_cast<std::int64_t>(cell[0]), static_cast<std::int64_t>(cell[1]),
           static_cast<std::int64_t>(cell[2])}]
        .push_back(ids[i]);
  }
  return ids;
}

// Keeps the triangles for which `keep` holds, and the groups in step with them.
template <class Keep>
std::size_t filter(TriangleMesh& mesh, Keep keep) {
  std::vector<Triangle> kept;
  std::vector<TriangleMesh::Group> groups;
  std::size_t g = 0;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (; g < mesh.groups.size() && mesh.groups[g].first <= static_cast<std::int32_t>(i); ++g)
      groups.push_back({mesh.groups[g].name, static_cast<std::int32_t>(kept.size())});
    if (keep(i)) kept.push_back(mesh.triangles[i]);
  }
  const std::size_t dropped = mesh.triangles.size() - kept.size();
  // Of groups that begin at one triangle only the last one has any.
  mesh.groups.clear();
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i].first < static_cast<std::int32_t>(kept.size()) &&
        (i + 1 == groups.size() || groups[i + 1].first != groups[i].first))
      mesh.groups.push_back(std::move(groups[i]));
  mesh.triangles = std::move(kept);
  return dropped;
}

// Whether each triangle has to turn so that neighbours across edges of two run along them in
// opposite senses. A surface with one side only keeps some flipped edges.
std::vector<char> turns_of(const TriangleMesh& mesh, const Topology& topology) {
  struct Neighbour {
    std::int32_t triangle;
    char same;  // runs along the edge in the same sense
  };
  std::vector<std::vector<Neighbour>> neighbours(mesh.triangles.size());
  for (const Edge& e : topology.edges) {
    if (e.count != 2) continue;
    const EdgeUse &a = topology.uses[static_cast<std::size_t>(e.first)],
                  &b = topology.uses[static_cast<std::size_t>(e.first) + 1];
    const char same = a.forward == b.forward;
    neighbours[static_cast<std::size_t>(a.triangle)].push_back({b.triangle, same});
    neighbours[static_cast<std::size_t>(b.triangle)].push_back({a.triangle, same});
  }
  std::vector<char> turn(mesh.triangles.size(), -1);
  std::vector<std::int32_t> queue;
  for (std::size_t start = 0; start < mesh.triangles.size(); ++start) {
    if (turn[start] >= 0) continue;
    turn[start] = 0;
    queue.assign(1, static_cast<std::int32_t>(start));
    while (!queue.empty()) {
      const auto t = static_cast<std::size_t>(queue.back());
      queue.pop_back();
      for (const Neighbour& n : neighbours[t]) {
        char& other = turn[static_cast<std::size_t>(n.triangle)];
        if (other >= 0) continue;
        other = static_cast<char>(turn[t] ^ n.same);
        queue.push_back(n.triangle);
      }
    }
  }
  return turn;
}

void turn(Triangle& t) {
  std::swap(t[1], t[2]);
}

// Makes outer components positive and cavities negative.
std::size_t turn_components(TriangleMesh& mesh) {
  std::size_t turned = 0;
  for (int pass = 0; pass < 2; ++pass) {
    // First all positive, then those inside others negative.
    const Topology topology = topology_of(mesh);
    const auto n = static_cast<std::size_t>(topology.components);
    std::vector<double> volume(n, 0);
    std::vector<std::int32_t> first(n, -1);
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      if (topology.component[i] < 0) continue;
      const auto c = static_cast<std::size_t>(topology.component[i]);
      const auto [p, q, r] = mesh.corners(mesh.triangles[i]);
      const Vec3 origin = mesh.points[0];
      volume[c] += (p - origin).dot((q - origin).cross(r - origin)) / 6;
      if (first[c] < 0) first[c] = mesh.triangles[i][0];
    }
    std::vector<char> wrong(n, 0);
    for (std::size_t c = 0; c < n; ++c) {
      if (pass == 0) {
        wrong[c] = volume[c] < 0;
        continue;
      }
      if (n > most_nesting) continue;
      double around = 0;
      for (std::size_t other = 0; other < n; ++other)
        if (other != c)
          around += std::round(std::abs(
              winding(mesh, topology, static_cast<std::int32_t>(other), mesh.point(first[c]))));
      wrong[c] = std::fmod(around, 2) == 1;
    }
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
      if (topology.component[i] >= 0 && wrong[static_cast<std::size_t>(topology.component[i])]) {
        turn(mesh.triangles[i]);
        ++turned;
      }
  }
  return turned;
}

}  // namespace

std::string Repairs::text() const {
  std::string text;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, count);
  };
  add(welded_points, "points welded:");
  add(dropped_triangles, "triangles dropped:");
  add(dropped_points, "unused points dropped:");
  add(turned_triangles, "triangles turned:");
  return text.empty() ? "nothing to repair" : text;
}

Repairs repair(TriangleMesh& mesh) {
  Repairs done;
  const double tolerance = weld_tolerance * bounds_of(mesh.points).diagonal();
  const std::vector<std::int32_t> ids = welded(mesh.points, tolerance);
  for (std::size_t i = 0; i < ids.size(); ++i)
    done.welded_points += ids[i] != static_cast<std::int32_t>(i);
  for (Triangle& t : mesh.triangles)
    for (std::int32_t& k : t) k = ids[static_cast<std::size_t>(k)];
  std::map<Triangle, int> seen;
  done.dropped_triangles = filter(mesh, [&](std::size_t i) {
    Triangle t = mesh.triangles[i];
    std::sort(t.begin(), t.end());
    return t[0] != t[1] && t[1] != t[2] && seen.try_emplace(t, 0).second;
  });
  if (mesh.triangles.empty()) return done;
  const std::vector<Triangle> before = mesh.triangles;
  const std::vector<char> turns = turns_of(mesh, topology_of(mesh));
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    if (turns[i] == 1) turn(mesh.triangles[i]);
  turn_components(mesh);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    done.turned_triangles += mesh.triangles[i] != before[i];
  const std::size_t points = mesh.points.size() - done.welded_points;
  mesh = compacted(mesh);
  done.dropped_points = points - mesh.points.size();
  return done;
}

}  // namespace cairn::mesh
