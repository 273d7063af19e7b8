// Reads points, writes their convex hull with coplanar facets merged. The only file that knows
// Qhull (Barber, Dobkin, Huhdanpaa, ACM TOMS 22, 1996), through its reentrant C interface.
extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "base/boundary.hpp"
#include "base/index.hpp"
#include "cairn/polyhedron.hpp"
#include "model/checks.hpp"
#include "model/shape/hull_errors.hpp"

namespace cairn {
namespace {

constexpr double same_face = 0x1p-30;  // normals closer than this are those of one face [rad]

struct Facet {
  std::vector<int> loop;  // indices of points, counterclockwise seen from outside
  Vec3 normal = Vec3::Zero();
  int group = 0;  // the face that it belongs to
};

bool precedes(const Vec3& a, const Vec3& b) {
  return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
}

// Sorted, each once, without negative zeros.
std::vector<Vec3> canonical(std::span<const Vec3> points) {
  std::vector<Vec3> sorted;
  for (const Vec3& p : points) sorted.push_back((p.array() + 0.0).matrix());
  std::sort(sorted.begin(), sorted.end(), precedes);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

// ---- Qhull
// --------------------------------------------------------------------------------------------------------

// Keeps what Qhull says of an error, since the library does not print.
struct Messages {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* stream = open_memstream(&text, &size);

  Messages() = default;
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  ~Messages() {
    if (stream) std::fclose(stream);
    std::free(text);
  }
};

// The next facet's vertices in order, behind a jump target: Qhull leaves by longjmp where it finds
// a facet broken, so nothing here needs a destructor.
setT* ordered_vertices(qhT* qh, facetT* facet) {
  if (setjmp(qh->errexit) != 0) {
    qh->NOerrexit = True;
    return nullptr;
  }
  qh->NOerrexit = False;
  setT* vertices = qh_facet3vertex(qh, facet);
  qh->NOerrexit = True;
  return vertices;
}

bool read_facets(qhT* qh, std::vector<Facet>& facets) {
  for (facetT* facet = qh->facet_list; facet && facet->next; facet = facet->next) {
    Facet& out = facets.emplace_back();
    out.normal = Vec3(facet->normal[0], facet->normal[1], facet->normal[2]);
    setT* vertices = ordered_vertices(qh, facet);
    if (!vertices) return false;
    for (void** item = &vertices->e[0].p; *item; ++item)
      out.loop.push_back(qh_pointid(qh, static_cast<vertexT*>(*item)->point));
    qh_settempfree(qh, &vertices);
  }
  return true;
}

// Facets of points within a box of unit size; none where Qhull gives up.
std::vector<Facet> run_qhull(const std::vector<Vec3>& points) {
  static_assert(sizeof(Vec3) == 3 * sizeof(coordT));
  Messages messages;
  if (!messages.stream) return {};
  std::vector<coordT> coordinates;
  for (const Vec3& p : points) coordinates.insert(coordinates.end(), p.data(), p.data() + 3);
  char options[] = "qhull Pp";
  qhT memory;
  qhT* qh = &memory;
  qh_zero(qh, messages.stream);
  const int status = qh_new_qhull(qh, 3, static_cast<int>(points.size()), coordinates.data(), False,
                                  options, nullptr, messages.stream);
  std::vector<Facet> facets;
  if (status == 0 && !read_facets(qh, facets)) facets.clear();
  qh_freeqhull(qh, !qh_ALL);
  int long_memory = 0, pieces = 0;
  qh_memfreeshort(qh, &long_memory, &pieces);
  return facets;
}

// ---- Faces out of facets
// ------------------------------------------------------------------------------------------

using DirectedEdge = std::pair<int, int>;

// Which facet runs along each edge; empty where the facets do not close.
std::map<DirectedEdge, int> facets_by_edge(const std::vector<Facet>& facets) {
  std::map<DirectedEdge, int> map;
  for (std::size_t f = 0; f < facets.size(); ++f) {
    const std::vector<int>& loop = facets[f].loop;
    for (std::size_t i = 0; i < loop.size(); ++i)
      if (!map.try_emplace({loop[i], loop[(i + 1) % loop.size()]}, static_cast<int>(f)).second)
        return {};
  }
  for (const auto& [edge, facet] : map)
    if (!map.contains({edge.second, edge.first})) return {};
  return map;
}

// Facets of one face get one group. Returns the number of groups.
int group_coplanar(std::vector<Facet>& facets, const std::map<DirectedEdge, int>& along) {
  for (Facet& f : facets) f.group = -1;
  int groups = 0;
  std::vector<int> pending;
  for (std::size_t seed = 0; seed < facets.size(); ++seed) {
    if (facets[seed].group >= 0) continue;
    facets[seed].group = groups;
    pending.assign(1, static_cast<int>(seed));
    while (!pending.empty()) {
      const Facet& f = facets[base::at(pending.back())];
      pending.pop_back();
      for (std::size_t i = 0; i < f.loop.size(); ++i) {
        const int other = along.at({f.loop[(i + 1) % f.loop.size()], f.loop[i]});
        Facet& neighbour = facets[base::at(other)];
        if (neighbour.group >= 0 || f.normal.dot(neighbour.normal) <= 0) continue;
        if (f.normal.cross(neighbour.normal).norm() > same_face) continue;
        neighbour.group = groups;
        pending.push_back(other);
      }
    }
    ++groups;
  }
  return groups;
}

// The border of each group as one loop; empty where a border is not a simple loop.
std::vector<std::vector<int>> borders(const std::vector<Facet>& facets,
                                      const std::map<DirectedEdge, int>& along, int groups) {
  std::vector<std::map<int, int>> next(base::at(groups));
  for (const auto& [edge, facet] : along) {
    const int inside = facets[base::at(facet)].group;
    if (inside == facets[base::at(along.at({edge.second, edge.first}))].group) continue;
    if (!next[base::at(inside)].try_emplace(edge.first, edge.second).second) return {};
  }
  std::vector<std::vector<int>> loops;
  for (const std::map<int, int>& step : next) {
    std::vector<int>& loop = loops.emplace_back();
    if (step.empty()) return {};
    int v = step.begin()->first;
    do {
      loop.push_back(v);
      const auto found = step.find(v);
      if (found == step.end() || loop.size() > step.size()) return {};
      v = found->second;
    } while (v != loop.front());
    if (loop.size() != step.size()) return {};
  }
  return loops;
}

// Drops vertices in the middle of an edge: those of two faces alone that lie on the line between
// their neighbours.
void drop_straight(std::vector<std::vector<int>>& loops, const std::vector<Vec3>& points) {
  std::vector<std::vector<int>> faces_of(points.size());
  for (std::size_t f = 0; f < loops.size(); ++f)
    for (const int v : loops[f]) faces_of[base::at(v)].push_back(static_cast<int>(f));
  for (std::size_t v = 0; v < points.size(); ++v) {
    if (faces_of[v].size() != 2) continue;
    const std::vector<int>& loop = loops[base::at(faces_of[v][0])];
    const std::size_t n = loop.size();
    const std::size_t i = static_cast<std::size_t>(
        std::find(loop.begin(), loop.end(), static_cast<int>(v)) - loop.begin());
    const Vec3 a = points[base::at(loop[(i + n - 1) % n])], b = points[base::at(loop[(i + 1) % n])];
    if ((points[v] - a).cross(b - a).norm() > model::least_thickness * (b - a).norm()) continue;
    for (const int f : faces_of[v]) std::erase(loops[base::at(f)], static_cast<int>(v));
  }
}

// ---- The polyhedron
// -----------------------------------------------------------------------------------------------

// Renumbers the vertices that are left; points are in lexicographic order, so vertices are, too.
Polyhedron assemble(std::vector<std::vector<int>> loops, const std::vector<Vec3>& points) {
  std::vector<int> number(points.size(), -1);
  for (const auto& loop : loops)
    for (const int v : loop) number[base::at(v)] = 0;
  Polyhedron p;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(p.vertices.size());
    p.vertices.push_back(points[i]);
  }
  for (auto& loop : loops) {
    for (int& v : loop) v = number[base::at(v)];
    std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  }
  std::sort(loops.begin(), loops.end());
  for (const auto& loop : loops) {
    Polyhedron::Face& face = p.faces.emplace_back();
    face.first = static_cast<int>(p.face_vertices.size());
    face.count = static_cast<int>(loop.size());
    p.face_vertices.insert(p.face_vertices.end(), loop.begin(), loop.end());
    // Newell's formula, from the first vertex.
    Vec3 twice_area = Vec3::Zero();
    const Vec3& base = p.vertices[base::at(loop[0])];
    for (std::size_t i = 1; i + 1 < loop.size(); ++i)
      twice_area +=
          (p.vertices[base::at(loop[i])] - base).cross(p.vertices[base::at(loop[i + 1])] - base);
    face.normal = twice_area.normalized();
  }
  return p;
}

// Centre of volume (E120), from the mean of the vertices.
Vec3 centre_of_volume(const Polyhedron& p) {
  Vec3 base = Vec3::Zero();
  for (const Vec3& v : p.vertices) base += v;
  base /= static_cast<double>(p.vertices.size());
  double volume = 0;
  Vec3 moment = Vec3::Zero();
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const std::span<const int> loop = p.loop(static_cast<int>(f));
    const Vec3 a = p.vertices[base::at(loop[0])] - base;
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
      const Vec3 b = p.vertices[base::at(loop[i])] - base,
                 c = p.vertices[base::at(loop[i + 1])] - base;
      const double six_volumes = a.dot(b.cross(c));
      volume += six_volumes;
      moment += 0.25 * six_volumes * (a + b + c);
    }
  }
  return base + moment / volume;
}

Result<Polyhedron> no_hull() {
  return model::shape_error("", ErrorCode::degenerate,
                            "the convex hull cannot be computed reliably", "",
                            "points of a clear solid", "remove points that nearly coincide");
}

}  // namespace

Result<Polyhedron> hull_polyhedron(std::span<const Vec3> given) try {
  if (given.size() < 4)
    return model::shape_error("", ErrorCode::wrong_size, "a hull needs at least four points",
                              fmt::format("{}", given.size()), "4 or more", "add points");
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!given[i].allFinite() || given[i].cwiseAbs().maxCoeff() > model::largest_magnitude)
      return model::shape_error(fmt::format("[{}]", i), ErrorCode::out_of_range,
                                "coordinates are not finite or out of range",
                                model::to_text(given[i]) + " m",
                                fmt::format("-{0} to {0} m", model::largest_magnitude),
                                "give finite coordinates in metres");
  const std::vector<Vec3> points = canonical(given);

  // To a box of unit size about the origin, by a power of two: only what is kept is decided there.
  Vec3 lo = points[0], hi = points[0];
  for (const Vec3& p : points) lo = lo.cwiseMin(p), hi = hi.cwiseMax(p);
  const double extent = (hi - lo).maxCoeff();
  if (const auto flat = model::flatness(points, extent, model::least_thickness)) return *flat;
  const double scale = 1 / power_of_two(extent);
  std::vector<Vec3> unit;
  for (const Vec3& p : points) unit.push_back(scale * (p - (0.5 * lo + 0.5 * hi)));

  std::vector<Facet> facets = run_qhull(unit);
  double volume = 0;
  for (const Facet& f : facets)
    for (std::size_t i = 1; i + 1 < f.loop.size(); ++i)
      volume += unit[base::at(f.loop[0])].dot(
          unit[base::at(f.loop[i])].cross(unit[base::at(f.loop[i + 1])]));
  if (volume < 0)
    for (Facet& f : facets) std::reverse(f.loop.begin(), f.loop.end());
  const std::map<DirectedEdge, int> along = facets_by_edge(facets);
  if (along.empty()) return no_hull();
  const int groups = group_coplanar(facets, along);
  std::vector<std::vector<int>> loops = borders(facets, along, groups);
  if (loops.size() < 4) return no_hull();
  drop_straight(loops, unit);
  std::size_t corners = 0;
  for (const auto& loop : loops) {
    if (loop.size() < 3) return no_hull();
    corners += loop.size();
  }

  Polyhedron p = assemble(std::move(loops), points);
  if (p.vertices.size() + p.faces.size() != corners / 2 + 2) return no_hull();
  // By Euler's formula there are more edges than vertices or faces.
  if (corners / 2 > most_features)
    return model::shape_error("", ErrorCode::too_many, "hull has too many edges",
                              fmt::format("{} vertices, {} edges, {} faces", p.vertices.size(),
                                          corners / 2, p.faces.size()),
                              fmt::format("at most {} of each", most_features),
                              "give a coarser shape, or several hulls");
  p.center = centre_of_volume(p);
  return finish_polyhedron(std::move(p));
} catch (...) {
  return fail(base::caught_error());
}

}  // namespace cairn
