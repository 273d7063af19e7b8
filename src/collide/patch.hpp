// The contact filter of paper 003: of contacts that share a plane only the corners of their patch
// are kept, since these span the same wrenches (E145).
#pragma once

#include <span>
#include <vector>

#include "cairn/contact.hpp"

namespace cairn {

class PatchFilter {
 public:
  // Marks in `keep` (as long as `contacts`, which belong to one pair of bodies and are sorted by
  // key) every contact that is not implied by others. `size` is the smaller body's radius [m].
  void mark(std::span<const Contact> contacts, double size, std::vector<char>& keep);

 private:
  struct Spot {
    double x, y;  // in the plane [m]
    double gap;   // [m]
    int contact;
  };
  void filter_group(double size, std::vector<char>& keep);
  void find_corners(double tolerance);
  bool implied(const Spot& spot, double length, double gap) const;

  std::vector<char> grouped_;
  std::vector<Spot> spots_, corners_;
};

}  // namespace cairn
