// Bodies of many polyhedra that meet in a plane: which pairs of their shapes lie so well inside the
// corners of the common patch that every contact of theirs is implied by those (E145). Reads
// placements and contacts.
#pragma once

#include <array>
#include <span>

#include "cairn/contact.hpp"
#include "collide/placed.hpp"

namespace cairn::collide {

class PatchCover {
 public:
  static constexpr int directions = 8;  // in the plane, 45 degrees from one to the next
  // Height along the normal as a function of the place in the plane [m].
  struct Plane {
    double height = 0, x = 0, y = 0;
    double at(double px, double py) const { return height + x * px + y * py; }
  };
  // A shape seen along the normal.
  struct Footprint {
    std::array<double, directions> reach{};  // largest distance from the origin in each [m]
    Plane top, bottom;                       // faces that are most along and against the normal
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
  bool covers(const Region& region, const Plane& separation) const;

 private:
  struct Point {
    double x, y, gap;
  };
  void fit_gaps();
  struct Side {
    double nx, ny, offset;  // inside: nx x + ny y <= offset
  };
  Vec3 n_ = Vec3::UnitZ(), origin_ = Vec3::Zero();
  std::array<Vec3, directions> d_{};
  std::vector<Point> points_, corners_;
  std::vector<Side> sides_;  // of the corners' polygon, moved out by what decides nothing
  double gap_ = 0;
  Plane gaps_;  // of the corners, or above them
};

}  // namespace cairn::collide
