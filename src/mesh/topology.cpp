// Sorts the sides of all triangles into edges; integrates over tetrahedra.
#include "mesh/topology.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/union_find.hpp"
#include "cairn/check.hpp"

namespace cairn::mesh {
namespace {

struct Side {
  std::uint64_t key = 0;  // low, high
  std::int32_t triangle = 0;
  bool forward = false;
};

std::vector<Side> sorted_sides(const TriangleMesh& mesh, const std::vector<std::int32_t>& ids) {
  std::vector<Side> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    std::array<std::int32_t, 3> p{};
    for (std::size_t k = 0; k < 3; ++k) p[k] = ids[static_cast<std::size_t>(mesh.triangles[t][k])];
    if (p[0] == p[1] || p[1] == p[2] || p[2] == p[0]) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t a = p[k], b = p[(k + 1) % 3];
      const auto low = static_cast<std::uint64_t>(std::min(a, b)),
                 high = static_cast<std::uint64_t>(std::max(a, b));
      sides.push_back({low << 32 | high, static_cast<std::int32_t>(t), a < b});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.key != b.key ? a.key < b.key : a.triangle < b.triangle;
  });
  return sides;
}

}  // namespace

bool Topology::closed() const {
  return !edges.empty() && std::all_of(edges.begin(), edges.end(),
                                       [](const Edge& e) { return 2 * e.forward == e.count; });
}

bool Topology::manifold() const {
  return std::all_of(edges.begin(), edges.end(), [](const Edge& e) { return e.count <= 2; });
}

Topology topology_of(const TriangleMesh& mesh) {
  Topology out;
  out.ids = first_equal(mesh.points);
  const std::vector<Side> sides = sorted_sides(mesh, out.ids);
  base::UnionFind groups;
  groups.reset(mesh.triangles.size());
  out.component.assign(mesh.triangles.size(), -1);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Side& s = sides[i];
    out.component[static_cast<std::size_t>(s.triangle)] = 0;
    if (i == 0 || sides[i - 1].key != s.key)
      out.edges.push_back({static_cast<std::int32_t>(s.key >> 32),
                           static_cast<std::int32_t>(s.key & 0xffffffffu),
                           static_cast<std::int32_t>(i), 0, 0});
    Edge& edge = out.edges.back();
    ++edge.count;
    edge.forward += s.forward;
    out.uses.push_back({s.triangle, s.forward});
    groups.join(out.uses[static_cast<std::size_t>(edge.first)].triangle, s.triangle);
  }
  std::vector<std::int32_t> number(mesh.triangles.size(), -1);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (out.component[t] < 0) continue;
    std::int32_t& n = number[static_cast<std::size_t>(groups.root(static_cast<int>(t)))];
    if (n < 0) n = out.components++;
    out.component[t] = n;
  }
  return out;
}

// Solid angles of triangles: van Oosterom and Strackee 1983.
double winding(const TriangleMesh& mesh, const Topology& topology, std::int32_t component,
               const Vec3& p) {
  double sum = 0;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    if (topology.component[i] != component) continue;
    auto [a, b, c] = mesh.corners(mesh.triangles[i]);
    a -= p;
    b -= p;
    c -= p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)),
                          la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (4 * std::numbers::pi);
}

model::MassProperties mass_of(const TriangleMesh& mesh, double density) {
  const Bounds box = bounds_of(mesh.points);
  const Vec3 middle = 0.5 * box.lo + 0.5 * box.hi;
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = mesh.point(t[0]) - middle, b = mesh.point(t[1]) - middle,
               c = mesh.point(t[2]) - middle, s = a + b + c;
    const double V = a.dot(b.cross(c)) / 6;
    volume += V;
    first += V / 4 * s;
    second +=
        V / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  if (volume == 0) return {};
  const Vec3 center = first / volume;
  const Mat3 C = second - volume * center * center.transpose();
  return {density * volume, middle + center, density * (C.trace() * Mat3::Identity() - C)};
}

}  // namespace cairn::mesh
