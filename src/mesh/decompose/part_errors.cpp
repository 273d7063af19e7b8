// Branch and bound over the faces of the part (E931): distances change no faster than places, and
// the distance from one triangle of the mesh, a convex set, is largest at a corner.
#include "mesh/decompose/part_errors.hpp"

#include <algorithm>
#include <queue>

namespace cairn::mesh {
namespace {

struct Patch {
  std::array<Vec3, 3> corners;
  double bound = 0;
  bool operator<(const Patch& other) const { return bound < other.bound; }
};

}  // namespace

double distance_out_of(const Polyhedron& part, const SurfaceTree& solid, double accuracy,
                       double enough) {
  double reached = 0;  // by some point
  double settled = 0;  // largest bound of patches that need no closer look
  std::priority_queue<Patch> queue;
  const auto add = [&](const std::array<Vec3, 3>& t) {
    const Vec3 middle = (t[0] + t[1] + t[2]) / 3;
    double radius = 0;
    for (const Vec3& c : t) radius = std::max(radius, (c - middle).norm());
    const double distance = solid.signed_distance(middle);
    reached = std::max(reached, distance);
    double bound = distance + radius;
    if (bound > reached) bound = std::min(bound, solid.distance_of_nearest_triangle(middle, t));
    if (bound > std::max(reached + accuracy, enough))
      queue.push({t, bound});
    else
      settled = std::max(settled, bound);
  };
  for (std::size_t f = 0; f < part.faces.size(); ++f) {
    const std::span<const int> loop = part.loop(static_cast<int>(f));
    const auto at = [&](std::size_t i) { return part.vertices[static_cast<std::size_t>(loop[i])]; };
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) add({at(0), at(i), at(i + 1)});
  }
  while (!queue.empty()) {
    const Patch top = queue.top();
    if (top.bound <= std::max(reached + accuracy, enough)) return std::max(settled, top.bound);
    queue.pop();
    // Halves the longest side.
    std::size_t longest = 0;
    for (std::size_t k = 1; k < 3; ++k)
      if ((top.corners[(k + 1) % 3] - top.corners[k]).squaredNorm() >
          (top.corners[(longest + 1) % 3] - top.corners[longest]).squaredNorm())
        longest = k;
    const Vec3 &a = top.corners[longest], &b = top.corners[(longest + 1) % 3],
               &c = top.corners[(longest + 2) % 3];
    const Vec3 middle = 0.5 * (a + b);
    add({a, middle, c});
    add({middle, b, c});
  }
  return std::max(reached, settled);
}

}  // namespace cairn::mesh
