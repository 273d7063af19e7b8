// Conservative advancement with E302 on every stride (E303): how deep a pair can overlap on its
// path, and up to where it stays within a limit.
#pragma once

#include "collide/sweep/separating_direction.hpp"

namespace cairn::collide {

struct Advance {
  double depth = 0;  // upper bound over the whole path [m]
  double tau = 1;    // the depth is within the limit up to here
  double easy = 1;   // and within half of it up to here
  int looks = 0;     // placements that were looked at
};

// `limit` > 0. The work is bounded by a number of placements that grows with the turns.
Advance advance(const PairPath& pair, double limit, DirectionFinder& directions);

}  // namespace cairn::collide
