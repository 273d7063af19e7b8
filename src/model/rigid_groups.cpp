// Keeps the ties as a graph and its components by union-find; a path is searched only where one is.
#include "model/rigid_groups.hpp"

#include <algorithm>
#include <numeric>

namespace cairn::model {

RigidGroups::RigidGroups(const Model& model) : node_(model.bodies.size() + 1) {
  std::iota(node_.begin(), node_.end(), std::size_t{0});
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].kind == BodyKind::fixed) node_[i + 1] = 0;
  ties_.resize(node_.size());
  sets_.reset(node_.size());
}

void RigidGroups::tie(BodyId a, BodyId b, std::size_t joint, const Vec3& gap) {
  const std::size_t i = node(a), j = node(b);
  ties_[i].push_back({j, joint, -gap});
  ties_[j].push_back({i, joint, gap});
  sets_.join(static_cast<int>(i), static_cast<int>(j));
}

// Breadth first: the shortest way names the fewest joints.
std::optional<RigidGroups::Path> RigidGroups::path(BodyId a, BodyId b) const {
  const std::size_t start = node(a), goal = node(b);
  if (sets_.root(static_cast<int>(start)) != sets_.root(static_cast<int>(goal)))
    return std::nullopt;
  std::vector<const Tie*> reached(node_.size(), nullptr);
  std::vector<std::size_t> from(node_.size(), node_.size()), queue = {start};
  from[start] = start;
  for (std::size_t k = 0; k < queue.size() && from[goal] == node_.size(); ++k)
    for (const Tie& tie : ties_[queue[k]]) {
      if (from[tie.node] != node_.size()) continue;
      from[tie.node] = queue[k];
      reached[tie.node] = &tie;
      queue.push_back(tie.node);
    }
  Path path;
  for (std::size_t i = goal; i != start; i = from[i]) {
    path.joints.push_back(reached[i]->joint);
    path.shift += reached[i]->shift;
  }
  std::reverse(path.joints.begin(), path.joints.end());
  return path;
}

}  // namespace cairn::model
