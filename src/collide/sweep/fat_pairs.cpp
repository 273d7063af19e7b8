#include "collide/sweep/fat_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"

namespace cairn::collide {
namespace {

constexpr double fat_margin = 0.05;  // of the extent [-]
constexpr double fat_ahead = 6;      // of the last shift, where it goes on [-]
constexpr double fat_aside = 1;      // of the last shift, in all directions [-]

// A search among n boxes takes about as long as comparing so many of them with all.
double worth_a_search(std::size_t n) {
  return 24 * std::log2(static_cast<double>(n) + 1);
}

// How many pairs there are depends on the calls before: room for as many again.
void leave_room(std::size_t count, std::vector<std::pair<int, int>>& list) {
  if (list.capacity() < count + count / 2 + 64) list.reserve(2 * count + 128);
}

bool contains(const Aabb& outer, const Aabb& inner) {
  return (inner.lo.array() >= outer.lo.array()).all() &&
         (inner.hi.array() <= outer.hi.array()).all();
}

}  // namespace

void FatPairs::fatten(const Input& in, std::size_t i) {
  fat_[i] = in.boxes[i];
  const double aside = fat_aside * in.shifts[i].cwiseAbs().maxCoeff();
  for (int k = 0; k < 3; ++k) {
    const double extent = fat_[i].hi[k] - fat_[i].lo[k], shift = in.shifts[i][k];
    if (!std::isfinite(extent)) continue;
    fat_[i].lo[k] -= fat_margin * extent + aside + fat_ahead * std::max(0.0, -shift);
    fat_[i].hi[k] += fat_margin * extent + aside + fat_ahead * std::max(0.0, shift);
  }
}

void FatPairs::find_left(const Input& in) {
  left_.assign(in.boxes.size(), 0);
  left_list_.clear();
  left_list_.reserve(in.boxes.size());
  for (std::size_t i = 0; i < in.boxes.size(); ++i) {
    if (contains(fat_[i], in.boxes[i])) continue;
    left_[i] = 1;
    left_list_.push_back(static_cast<int>(i));
  }
}

void FatPairs::compare_left(const Input& in) {
  for (const int i : left_list_) fatten(in, static_cast<std::size_t>(i));
  fresh_.clear();
  for (const int i : left_list_) {
    const auto a = static_cast<std::size_t>(i);
    for (std::size_t b = 0; b < fat_.size(); ++b) {
      if (in.body_of_box[a] == in.body_of_box[b] || !(in.movable[a] || in.movable[b])) continue;
      if (left_[b] && b < a) continue;  // listed from the other side
      if (overlap(fat_[a], fat_[b])) fresh_.push_back(std::minmax(i, static_cast<int>(b)));
    }
  }
  std::sort(fresh_.begin(), fresh_.end());
  std::erase_if(fat_pairs_, [&](const std::pair<int, int>& pair) {
    return left_[static_cast<std::size_t>(pair.first)] ||
           left_[static_cast<std::size_t>(pair.second)];
  });
  merged_.resize(fat_pairs_.size() + fresh_.size());
  std::merge(fat_pairs_.begin(), fat_pairs_.end(), fresh_.begin(), fresh_.end(), merged_.begin());
  std::swap(fat_pairs_, merged_);
}

void FatPairs::pairs(const Input& in, std::vector<std::pair<int, int>>& out) {
  CAIRN_DCHECK(in.shifts.size() == in.boxes.size(), in.shifts.size(), in.boxes.size());
  const bool known = fat_.size() == in.boxes.size();
  if (known) find_left(in);
  if (!known || static_cast<double>(left_list_.size()) > worth_a_search(in.boxes.size())) {
    fat_.resize(in.boxes.size());
    for (std::size_t i = 0; i < fat_.size(); ++i) fatten(in, i);
    broadphase_.pairs(fat_, in.body_of_box, in.movable, fat_pairs_);
    for (auto* list : {&fat_pairs_, &fresh_, &merged_}) leave_room(fat_pairs_.size(), *list);
  } else if (!left_list_.empty()) {
    compare_left(in);
  }
  out.clear();
  for (const auto& [i, k] : fat_pairs_)
    if (overlap(in.boxes[static_cast<std::size_t>(i)], in.boxes[static_cast<std::size_t>(k)]))
      out.emplace_back(i, k);
}

}  // namespace cairn::collide
