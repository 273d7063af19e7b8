// Bodies of many polyhedra that meet in a plane: which pairs of their shapes lie so well inside the
// corners of the common patch that every contact of theirs is implied by those (E145). Reads
// placements and contacts.
#pragma once

#include <array>
#include <span>

#include "cairn/contact.hpp"
#include "collide/placed.hpp"

namespace cairn {

class PatchCover {
 public:
  static constexpr int directions = 8;  // in the plane, 45 degrees from one to the next
  // A shape seen along the normal.
  struct Footprint {
    std::array<double, directions> reach{};  // largest distance from the origin in each [m]
    double lowest = 0, highest = 0;          // along the normal [m]
  };
  using Region = std::array<double, directions>;

  void set_plane(const Vec3& n, const Vec3& along, const Vec3& origin);
  Footprint footprint(const Placed& shape) const;

  // What two footprints have in common, as seen from all directions.
  static Region common(const Footprint& a, const Footprint& b);
  static bool empty(const Region& region);

  // The corners of the contacts that have this normal. `length`, `gap`: what decides nothing [m].
  void set_corners(std::span<const Contact> contacts, double length, double gap);

  // Does a pair with this region, apart by `separation`, lie within the corners and no deeper?
  bool covers(const Region& region, double separation) const;

 private:
  struct Point {
    double x, y;
  };
  struct Side {
    double nx, ny, offset;  // inside: nx x + ny y <= offset
  };
  Vec3 n_ = Vec3::UnitZ(), origin_ = Vec3::Zero();
  std::array<Vec3, directions> d_{};
  std::vector<Point> points_, corners_;
  std::vector<Side> sides_;  // of the corners' polygon, moved out by what decides nothing
  double gap_ = 0;
  double highest_gap_ = 0;  // of the corners [m]
};

}  // namespace cairn
