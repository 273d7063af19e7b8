// Two shapes on their paths: certified lower bounds of their gap over a stretch of both (E302,
// E303, E341). A wall is always the first of the two.
#pragma once

#include "collide/sweep/swept_shape.hpp"

namespace cairn::collide {

// Both shapes at one moment.
struct Moment {
  double tau = 0;
  const Placement *a = nullptr, *b = nullptr;
};

class PairPath {
 public:
  PairPath(const SweptShape& first, const SweptShape& second);

  // Two balls in space about their centres of mass, which are not at one place.
  bool central_balls() const;

  // A planar shape and a wall along its plane.
  bool never_meet() const { return never_meet_; }

  const SweptShape &a, &b;

  // Gap of the planes across the unit vector n, from A to B, that support the shapes, less what
  // paths bend and numbers round: no more than the gap [m].
  double separation(const Vec3& n, const Moment& at) const;

  // The same for all moments from `from` to `to` [m].
  double lower_bound(const Vec3& n, const Moment& from, const Moment& to) const;

  // The same where the separation along n at `known` is at hand; `other`: the other end of the
  // stretch, before or after it [m].
  double lower_bound_from(const Vec3& n, double separation_known, const Moment& known,
                          const Moment& other) const;

  // The balls about both centres of mass that hold the shapes do not meet on the whole path (E522).
  bool balls_stay_apart() const;

  // How fast the separation along n can fall, per unit of tau; at least zero [m].
  double closing_speed(const Vec3& n) const;

  // No overlap is deeper: half of the thickness of both along the thinner direction of either one.
  // Infinite for walls [m].
  double deepest_possible() const;

  double turns() const { return a.angle + b.angle; }  // [rad]
  double bend() const { return bend_; }               // of both, with the rounding [m]

 private:
  double separation_from_wall(const Moment& at) const;
  bool turning_wall() const { return a.solid.kind == Solid::Kind::wall && a.angle > 0; }

  double bend_ = 0;     // [m]
  double span_ = 0;     // turning wall: largest distance of B from its centre of mass [m]
  double stretch_ = 1;  // planar shape and wall: distance in the plane over that across the wall
  bool never_meet_ = false;
};

}  // namespace cairn::collide
