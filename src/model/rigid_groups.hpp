// Bodies that fixed joints make one: where a second joint between two of them asks for another
// place, no motion can close both.
#pragma once

#include <optional>
#include <vector>

#include "base/union_find.hpp"
#include "cairn/model.hpp"

namespace cairn::model {

class RigidGroups {
 public:
  // A way through fixed joints from one body to another.
  struct Path {
    std::vector<std::size_t> joints;  // as given to tie()
    Vec3 shift = Vec3::Zero();        // that closing them moves the second body by, from the first
  };

  explicit RigidGroups(const Model& model);

  // Nothing if the bodies are not held by fixed joints to each other.
  std::optional<Path> path(BodyId a, BodyId b) const;

  // A fixed joint; gap: from its anchor on a to its anchor on b at the start [m].
  void tie(BodyId a, BodyId b, std::size_t joint, const Vec3& gap);

 private:
  struct Tie {
    std::size_t node, joint;
    Vec3 shift;
  };
  std::size_t node(BodyId id) const { return node_[static_cast<std::size_t>(id) + 1]; }

  std::vector<std::size_t> node_;  // of the world, then of each body; fixed bodies are the world
  std::vector<std::vector<Tie>> ties_;  // of each node
  mutable base::UnionFind sets_;        // nodes that are tied
};

}  // namespace cairn::model
