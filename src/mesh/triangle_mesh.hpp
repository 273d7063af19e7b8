// Triangle meshes as files hold them: nothing is assumed of their surface.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/math.hpp"

namespace cairn::mesh {

using Triangle = std::array<std::int32_t, 3>;  // points, counterclockwise seen from outside

struct TriangleMesh {
  // A part that the file names: the triangles from `first` up to those of the next group.
  struct Group {
    std::string name;
    std::int32_t first = 0;
  };

  std::vector<Vec3> points;  // [m]
  std::vector<Triangle> triangles;
  std::vector<Group> groups;  // in the order of `first`; those without triangles are left out

  const Vec3& point(std::int32_t i) const { return points[static_cast<std::size_t>(i)]; }
  std::array<Vec3, 3> corners(const Triangle& t) const {
    return {point(t[0]), point(t[1]), point(t[2])};
  }
};

struct Bounds {
  Vec3 lo = Vec3::Zero(), hi = Vec3::Zero();
  double diagonal() const { return (hi - lo).norm(); }
};
Bounds bounds_of(std::span<const Vec3> points);

// Cuts the polygon over `loop` into triangles that keep its sense of rotation. A loop that crosses
// itself becomes a fan.
void add_polygon(std::span<const std::int32_t> loop, const std::vector<Vec3>& points,
                 std::vector<Triangle>& out);

// For each point the number of the first one with the same coordinates. Files often repeat a point
// for every face.
std::vector<std::int32_t> first_equal(std::span<const Vec3> points);

// Each coordinate times its scale; mirrored triangles are turned, so that their outside stays
// outside.
TriangleMesh scaled(TriangleMesh mesh, const Vec3& scale);

// Without points that no triangle uses.
TriangleMesh compacted(const TriangleMesh& mesh);

// The triangles of one group, with their points alone.
TriangleMesh group_mesh(const TriangleMesh& mesh, std::size_t group);

}  // namespace cairn::mesh
