// Broadphase: a tree by median splits, rebuilt in every call and compared with itself.
#include "collide/broadphase.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/conventions.hpp"

namespace cairn::collide {
namespace {

constexpr int leaf_size = 4;

Aabb hull(const Aabb& a, const Aabb& b) {
  return {a.lo.cwiseMin(b.lo), a.hi.cwiseMax(b.hi)};
}

}  // namespace

// The axis with the largest spread of middles among those along which every box is finite; -1 if
// all are equal or there is no such axis.
int Broadphase::split_axis(int first, int count) const {
  CAIRN_DCHECK(count > 0, count);
  CAIRN_DCHECK(first >= 0 && static_cast<std::size_t>(first + count) <= order_.size(), first,
               count);
  int best = -1;
  double widest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    double lo = std::numeric_limits<double>::infinity(), hi = -lo;
    bool finite = true;
    for (int k = first; k < first + count && finite; ++k) {
      const double middle =
          middles_[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])][axis];
      finite = !std::isnan(middle);
      lo = std::min(lo, middle);
      hi = std::max(hi, middle);
    }
    if (finite && hi - lo > widest) best = axis, widest = hi - lo;
  }
  return best;
}

int Broadphase::build(const Input& in, int first, int count) {
  CAIRN_DCHECK(count > 0, count);
  CAIRN_DCHECK(first >= 0 && static_cast<std::size_t>(first + count) <= order_.size(), first,
               count);
  const int self = static_cast<int>(nodes_.size());
  nodes_.push_back({});
  Node node{.box = in.boxes[static_cast<std::size_t>(order_[static_cast<std::size_t>(first)])],
            .first = first,
            .count = count};
  if (count <= leaf_size) {
    for (int k = first; k < first + count; ++k) {
      const auto i = static_cast<std::size_t>(order_[static_cast<std::size_t>(k)]);
      node.box = hull(node.box, in.boxes[i]);
      node.movable = node.movable || in.movable[i];
    }
  } else {
    // Equal middles are split by number, so that the tree is balanced whatever the boxes are.
    const int axis = split_axis(first, count), half = count / 2;
    const auto begin = order_.begin() + first;
    std::nth_element(begin, begin + half, begin + count, [&](int i, int j) {
      if (axis < 0) return i < j;
      const double mi = middles_[static_cast<std::size_t>(i)][axis];
      const double mj = middles_[static_cast<std::size_t>(j)][axis];
      return mi != mj ? mi < mj : i < j;
    });
    const auto left = static_cast<std::size_t>(build(in, first, half));
    node.right = build(in, first + half, count - half);
    const auto right = static_cast<std::size_t>(node.right);
    node.box = hull(nodes_[left].box, nodes_[right].box);
    node.movable = nodes_[left].movable || nodes_[right].movable;
  }
  nodes_[static_cast<std::size_t>(self)] = node;
  return self;
}

void Broadphase::meet(const Input& in, int i, int j, std::vector<std::pair<int, int>>& out) {
  CAIRN_DCHECK(i != j, i);
  CAIRN_DCHECK(base::is_index(i, in.boxes.size()), i);
  CAIRN_DCHECK(base::is_index(j, in.boxes.size()), j);
  const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
  if (in.body_of_box[a] == in.body_of_box[b] || !(in.movable[a] || in.movable[b])) return;
  ++comparisons_;
  if (overlap(in.boxes[a], in.boxes[b])) out.push_back(std::minmax(i, j));
}

// Compares the tree with itself: a pair of nodes that overlap is replaced by the pairs of their
// children.
void Broadphase::query(const Input& in, std::vector<std::pair<int, int>>& out) {
  pending_.assign(1, {0, 0});
  while (!pending_.empty()) {
    const auto [ia, ib] = pending_.back();
    pending_.pop_back();
    const Node &a = nodes_[static_cast<std::size_t>(ia)], &b = nodes_[static_cast<std::size_t>(ib)];
    if (!(a.movable || b.movable)) continue;
    if (ia == ib) {
      if (a.right) {
        pending_.push_back({ia + 1, ia + 1});
        pending_.push_back({a.right, a.right});
        pending_.push_back({ia + 1, a.right});
        continue;
      }
      for (int k = a.first; k < a.first + a.count; ++k)
        for (int l = a.first; l < k; ++l)
          meet(in, order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(l)], out);
      continue;
    }
    ++comparisons_;
    if (!overlap(a.box, b.box)) continue;
    if (!a.right && !b.right) {
      for (int k = a.first; k < a.first + a.count; ++k)
        for (int l = b.first; l < b.first + b.count; ++l)
          meet(in, order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(l)], out);
    } else if (a.right && (!b.right || a.count >= b.count)) {
      pending_.push_back({ia + 1, ib});
      pending_.push_back({a.right, ib});
    } else {
      pending_.push_back({ia, ib + 1});
      pending_.push_back({ia, b.right});
    }
  }
}

void Broadphase::pairs(std::span<const Aabb> boxes, std::span<const int> body_of_box,
                       std::span<const char> movable, std::vector<std::pair<int, int>>& out) {
  CAIRN_DCHECK(boxes.size() == body_of_box.size(), boxes.size(), body_of_box.size());
  CAIRN_DCHECK(boxes.size() == movable.size(), boxes.size(), movable.size());
  const Input in{boxes, body_of_box, movable};
  out.clear();
  order_.clear();
  unbounded_.clear();
  nodes_.clear();
  middles_.resize(boxes.size());
  comparisons_ = 0;

  // A box without any finite axis says nothing about where it is: it stays out of the tree.
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Aabb& box = boxes[i];
    bool placed = false;
    for (int axis = 0; axis < 3; ++axis) {
      const bool finite = std::isfinite(box.lo[axis]) && std::isfinite(box.hi[axis]);
      middles_[i][axis] = finite ? 0.5 * box.lo[axis] + 0.5 * box.hi[axis]
                                 : std::numeric_limits<double>::quiet_NaN();
      placed = placed || finite;
    }
    (placed ? order_ : unbounded_).push_back(static_cast<int>(i));
  }

  for (std::size_t k = 0; k < unbounded_.size(); ++k) {
    for (const int j : order_) meet(in, unbounded_[k], j, out);
    for (std::size_t l = 0; l < k; ++l) meet(in, unbounded_[k], unbounded_[l], out);
  }
  if (!order_.empty()) {
    build(in, 0, static_cast<int>(order_.size()));
    query(in, out);
  }
  std::sort(out.begin(), out.end());
}

}  // namespace cairn::collide
