// The contact filter of Potra et al. 2006: of contacts that share a plane only the corners of their
// patch are kept, since these span the same wrenches (E145).
#pragma once

#include <span>
#include <vector>

#include "cairn/contact.hpp"
#include "cairn/model.hpp"

namespace cairn::collide {

class PatchFilter {
 public:
  // Marks in `keep` (as long as `contacts`, which belong to one pair of bodies and are sorted by
  // key) every contact that is not implied by others.
  void mark(const Model& model, std::span<const Contact> contacts, std::vector<char>& keep);

  static bool same_normals(const Vec3& m, const Vec3& n);
  static constexpr double same_place = 4e-7;  // of the radius: two points that are one [-]
  static constexpr double same_gap = 1e-10;   // of the radius: depth that decides nothing [-]

 private:
  struct Spot {
    double x, y;  // in the plane [m]
    double gap;   // [m]
    int contact;  // -1: another spot in the same place stands for this one
  };
  void filter_group(double size, std::vector<char>& keep);
  void find_corners(double tolerance);
  bool implied(const Spot& spot, double length, double gap) const;

  std::vector<char> grouped_;
  std::vector<Spot> spots_, corners_;
};

}  // namespace cairn::collide
