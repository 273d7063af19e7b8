// Nearest points and crossings of a triangle surface, by a tree of boxes.
#pragma once

#include <functional>
#include <vector>

#include "mesh/triangle_mesh.hpp"

namespace cairn::mesh {

class SurfaceTree {
 public:
  // Keeps a copy of what it needs of the mesh. Triangles without area are left out.
  explicit SurfaceTree(const TriangleMesh& mesh);

  bool empty() const { return triangles_.empty(); }

  // Distance to the surface [m].
  double distance(const Vec3& p) const;
  // The same, negative inside a closed surface (E931).
  double signed_distance(const Vec3& p) const;
  // The largest distance of three points from the triangle of the surface that is nearest to `p`:
  // of all points between the three from the surface at most.
  double distance_of_nearest_triangle(const Vec3& p, const std::array<Vec3, 3>& corners) const;
  // Pairs of triangles that cross each other and have no point in common; at most `most`.
  std::vector<std::pair<std::int32_t, std::int32_t>> crossings(std::size_t most) const;

 private:
  struct Node {
    Vec3 lo, hi;
    std::int32_t first = 0, count = 0;  // of a leaf: its triangles; else count is 0
    std::int32_t right = 0;             // child; the left one follows its parent
  };
  struct Nearest {
    double squared = 0;
    std::int32_t triangle = -1;
    int feature = 0;  // 0: inside; 1 to 3: corner; 4 to 6: side behind that corner
    Vec3 point = Vec3::Zero();
  };

  std::int32_t build(std::int32_t first, std::int32_t last, const std::vector<Vec3>& middles);
  Nearest nearest(const Vec3& p) const;
  const Vec3& corner(std::int32_t t, int k) const {
    return points_[static_cast<std::size_t>(
        triangles_[static_cast<std::size_t>(t)][static_cast<std::size_t>(k)])];
  }

  std::vector<Vec3> points_;
  std::vector<Triangle> triangles_;   // in the order of the leaves, equal points as one
  std::vector<std::int32_t> source_;  // number in the mesh
  std::vector<Node> nodes_;
  std::vector<Vec3> normals_;                      // of triangles, unit length
  std::vector<Vec3> corner_normals_;               // of points: sum weighted by angle
  std::vector<std::array<Vec3, 3>> side_normals_;  // sum of both triangles
};

}  // namespace cairn::mesh
