// Polygons to triangles, equal points, scaling, parts of a mesh.
#include "mesh/triangle_mesh.hpp"

#include <algorithm>
#include <bit>

#include "cairn/check.hpp"

namespace cairn::mesh {
namespace {

// Longer loops that are not star-shaped about their first corner become a fan as well: cutting off
// ears takes the square of their number.
constexpr std::size_t most_ears = 2000;

// Twice the vector area of a loop.
Vec3 loop_area(std::span<const std::int32_t> loop, const std::vector<Vec3>& points) {
  const Vec3 origin = points[static_cast<std::size_t>(loop[0])];
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 1; i + 1 < loop.size(); ++i)
    sum += (points[static_cast<std::size_t>(loop[i])] - origin)
               .cross(points[static_cast<std::size_t>(loop[i + 1])] - origin);
  return sum;
}

std::uint64_t hash_of(const Vec3& p) {
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  for (const double x : p) {
    h ^= std::bit_cast<std::uint64_t>(x + 0.0);  // -0 is 0
    h *= 0xbf58476d1ce4e5b9u;
    h ^= h >> 31;
  }
  return h;
}

}  // namespace

Bounds bounds_of(std::span<const Vec3> points) {
  if (points.empty()) return {};
  Bounds b{points[0], points[0]};
  for (const Vec3& p : points) {
    b.lo = b.lo.cwiseMin(p);
    b.hi = b.hi.cwiseMax(p);
  }
  return b;
}

void add_polygon(std::span<const std::int32_t> loop, const std::vector<Vec3>& points,
                 std::vector<Triangle>& out) {
  if (loop.size() == 3) {
    out.push_back({loop[0], loop[1], loop[2]});
    return;
  }
  const auto at = [&](std::int32_t i) -> const Vec3& {
    return points[static_cast<std::size_t>(i)];
  };
  const Vec3 normal = loop_area(loop, points);
  // Twice the area of a triangle, seen along the normal.
  const auto area = [&](std::int32_t a, std::int32_t b, std::int32_t c) {
    return (at(b) - at(a)).cross(at(c) - at(a)).dot(normal);
  };
  bool star = true;
  for (std::size_t i = 1; i + 1 < loop.size() && star; ++i)
    star = area(loop[0], loop[i], loop[i + 1]) >= 0;
  std::vector<std::int32_t> rest(loop.begin(), loop.end());
  while (!star && rest.size() > 3 && rest.size() <= most_ears) {
    // An ear turns left and holds no other corner.
    bool found = false;
    for (std::size_t i = 0; i < rest.size() && !found; ++i) {
      const std::size_t n = rest.size();
      const std::int32_t a = rest[(i + n - 1) % n], b = rest[i], c = rest[(i + 1) % n];
      if (!(area(a, b, c) > 0)) continue;
      const bool empty = std::none_of(rest.begin(), rest.end(), [&](std::int32_t p) {
        return p != a && p != b && p != c && area(a, b, p) >= 0 && area(b, c, p) >= 0 &&
               area(c, a, p) >= 0;
      });
      if (!empty) continue;
      out.push_back({a, b, c});
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      found = true;
    }
    if (!found) break;
  }
  for (std::size_t i = 1; i + 1 < rest.size(); ++i) out.push_back({rest[0], rest[i], rest[i + 1]});
}

std::vector<std::int32_t> first_equal(std::span<const Vec3> points) {
  CAIRN_CHECK(points.size() < std::size_t{1} << 30);
  const std::size_t slots = std::bit_ceil(2 * points.size() + 1);
  std::vector<std::int32_t> table(slots, -1), ids(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::size_t slot = hash_of(points[i]) & (slots - 1);
    while (table[slot] >= 0 && points[static_cast<std::size_t>(table[slot])] != points[i])
      slot = (slot + 1) & (slots - 1);
    if (table[slot] < 0) table[slot] = static_cast<std::int32_t>(i);
    ids[i] = table[slot];
  }
  return ids;
}

TriangleMesh scaled(TriangleMesh mesh, const Vec3& scale) {
  for (Vec3& p : mesh.points) p = p.cwiseProduct(scale);
  if (scale.prod() < 0)
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

TriangleMesh compacted(const TriangleMesh& mesh) {
  TriangleMesh out;
  out.groups = mesh.groups;
  std::vector<std::int32_t> number(mesh.points.size(), -1);
  for (Triangle t : mesh.triangles) {
    for (std::int32_t& i : t) {
      std::int32_t& n = number[static_cast<std::size_t>(i)];
      if (n < 0) {
        n = static_cast<std::int32_t>(out.points.size());
        out.points.push_back(mesh.point(i));
      }
      i = n;
    }
    out.triangles.push_back(t);
  }
  return out;
}

TriangleMesh group_mesh(const TriangleMesh& mesh, std::size_t group) {
  TriangleMesh part;
  part.points = mesh.points;
  const auto first = mesh.triangles.begin() + mesh.groups[group].first;
  const auto last = group + 1 < mesh.groups.size()
                        ? mesh.triangles.begin() + mesh.groups[group + 1].first
                        : mesh.triangles.end();
  part.triangles.assign(first, last);
  return compacted(part);
}

}  // namespace cairn::mesh
