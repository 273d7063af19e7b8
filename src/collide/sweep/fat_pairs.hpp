// Pairs of boxes that move little from call to call. Holds boxes around them and the pairs of
// those; what it returns is what a fresh search would return.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "collide/broadphase.hpp"

namespace cairn::collide {

class FatPairs {
 public:
  struct Input {
    std::span<const Aabb> boxes;
    std::span<const Vec3> shifts;  // how far each box has come, for a guess where it goes [m]
    std::span<const int> body_of_box;
    std::span<const char> movable;
  };

  // As Broadphase::pairs. Boxes that have left their fat ones get new ones, which are compared with
  // all others; where these are many all pairs are searched. Allocates nothing once the buffers
  // have grown.
  void pairs(const Input& in, std::vector<std::pair<int, int>>& out);

 private:
  void fatten(const Input& in, std::size_t i);
  void find_left(const Input& in);
  void compare_left(const Input& in);

  std::vector<Aabb> fat_;                       // around the boxes
  std::vector<std::pair<int, int>> fat_pairs_;  // that overlap, sorted
  std::vector<std::pair<int, int>> fresh_, merged_;
  std::vector<char> left_;      // by box, 1: outside its fat box
  std::vector<int> left_list_;  // the same as numbers
  Broadphase broadphase_;
};

}  // namespace cairn::collide
