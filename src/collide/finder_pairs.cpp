// Which pairs of shapes a finder looks at: those whose bounds overlap.
#include <algorithm>

#include "collide/finder.hpp"
#include "model/conventions.hpp"

namespace cairn::collide {

void ContactFinder::place_boxes(const Model& model, std::span<const Pose> poses,
                                std::span<const Reach> reach) {
  CAIRN_DCHECK(poses.size() == model.bodies.size(), poses.size());
  CAIRN_DCHECK(reach.empty() || reach.size() == model.bodies.size(), reach.size());
  CAIRN_DCHECK(body_of_shape_.size() == model.shapes.size(), body_of_shape_.size());
  CAIRN_DCHECK(base::are_rotations(poses));
  boxes_.clear();
  for (const Shape& shape : model.shapes) {
    Aabb box = bounds(shape.geometry, poses[index(shape.body)] * shape.X_CS);
    const Vec3 margin = Vec3::Constant(reach.empty() ? 0 : reach[index(shape.body)].shift);
    box.lo -= margin;
    box.hi += margin;
    boxes_.push_back(box);
  }
}

void ContactFinder::erase_no_contact(const Model& model, std::size_t from) {
  const auto excluded = [&](const std::pair<int, int>& pair) {
    const BodyId a = model.shapes[static_cast<std::size_t>(pair.first)].body,
                 b = model.shapes[static_cast<std::size_t>(pair.second)].body;
    return std::binary_search(model.no_contact.begin(), model.no_contact.end(), std::array{a, b});
  };
  const auto first = pairs_.begin() + static_cast<std::ptrdiff_t>(from);
  pairs_.erase(std::remove_if(first, pairs_.end(), excluded), pairs_.end());
}

// Pairs of shapes of different bodies whose bounds, grown by the reach, overlap.
void ContactFinder::near_pairs(const Model& model, std::span<const Pose> poses,
                               std::span<const Reach> reach) {
  place_boxes(model, poses, reach);
  broadphase_.pairs(boxes_, body_of_shape_, movable_, pairs_);
  erase_no_contact(model, 0);
}

// The same without a reach. Two shapes inside their grown boxes of the last find() overlap only if
// these do; a few shapes that have left theirs are compared with all others.
void ContactFinder::overlapping_pairs(const Model& model, std::span<const Pose> poses) {
  constexpr std::size_t most_left = 8;
  if (grown_.size() != model.shapes.size()) return near_pairs(model, poses, {});
  place_boxes(model, poses, {});
  left_.assign(boxes_.size(), 0);
  left_list_.clear();
  left_list_.reserve(boxes_.size());
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    const bool inside = (boxes_[i].lo.array() >= grown_[i].lo.array()).all() &&
                        (boxes_[i].hi.array() <= grown_[i].hi.array()).all();
    if (inside) continue;
    left_[i] = 1;
    left_list_.push_back(static_cast<int>(i));
  }
  if (left_list_.size() > most_left) {
    broadphase_.pairs(boxes_, body_of_shape_, movable_, pairs_);
    return erase_no_contact(model, 0);
  }
  const auto meet = [&](std::size_t i, std::size_t j) { return overlap(boxes_[i], boxes_[j]); };
  pairs_.clear();
  for (const auto& [i, j] : grown_pairs_) {
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    if (!left_[a] && !left_[b] && meet(a, b)) pairs_.emplace_back(i, j);
  }
  if (left_list_.empty()) return;
  const std::size_t known = pairs_.size();
  for (const int i : left_list_) {
    const auto a = static_cast<std::size_t>(i);
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
      if (body_of_shape_[a] == body_of_shape_[b] || !(movable_[a] || movable_[b])) continue;
      if (left_[b] && b < a) continue;  // listed from the other side
      if (meet(a, b)) pairs_.push_back(std::minmax(i, static_cast<int>(b)));
    }
  }
  erase_no_contact(model, known);
  std::sort(pairs_.begin(), pairs_.end());
}

}  // namespace cairn::collide
