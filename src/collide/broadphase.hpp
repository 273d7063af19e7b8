// Pairs of shapes that may touch: axis-aligned bounds and a tree over them. Reads boxes, writes
// pairs of indices.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "cairn/math.hpp"
#include "cairn/shape.hpp"

namespace cairn::collide {

// Closed box in W; a side may lie at infinity [m].
struct Aabb {
  Vec3 lo = Vec3::Zero(), hi = Vec3::Zero();
};

inline bool overlap(const Aabb& a, const Aabb& b) {
  return (a.lo.array() <= b.hi.array()).all() && (b.lo.array() <= a.hi.array()).all();
}

// Smallest box around the shape. Planar shapes are infinite along z of S. A halfspace fills space,
// unless its normal is an axis: then it ends at its plane.
Aabb bounds(const Geometry& geometry, const Pose& X_WS);

// Holds scratch memory only; the result depends on the arguments alone.
class Broadphase {
 public:
  // Replaces `out` by all pairs (i, j), i < j, of boxes that overlap and belong to different bodies
  // at least one of which is movable, in lexicographic order. body_of_box[i] and movable[i] (can
  // the body of the box move?) belong to box i. O(n log n + pairs) for scattered boxes; allocates
  // nothing once the buffers have grown.
  void pairs(std::span<const Aabb> boxes, std::span<const int> body_of_box,
             std::span<const char> movable, std::vector<std::pair<int, int>>& out);

  // Comparisons of two boxes in the last call, of nodes and of leaves.
  std::size_t comparisons() const { return comparisons_; }

 private:
  struct Node {
    Aabb box;
    int first = 0, count = 0;  // range of order_ below the node
    int right = 0;             // second child, the first one is the next node; 0: a leaf
    bool movable = false;      // any box below the node is
  };
  struct Input {
    std::span<const Aabb> boxes;
    std::span<const int> body_of_box;
    std::span<const char> movable;
  };

  int build(const Input& in, int first, int count);
  int split_axis(int first, int count) const;
  void meet(const Input& in, int i, int j, std::vector<std::pair<int, int>>& out);
  void query(const Input& in, std::vector<std::pair<int, int>>& out);

  std::vector<int> order_;                    // boxes in the tree, grouped by leaf
  std::vector<int> unbounded_;                // boxes outside the tree
  std::vector<Vec3> middles_;                 // of all boxes; not a number along infinite axes [m]
  std::vector<Node> nodes_;                   // root first, then depth first
  std::vector<std::pair<int, int>> pending_;  // pairs of nodes to compare
  std::size_t comparisons_ = 0;
};

}  // namespace cairn::collide
