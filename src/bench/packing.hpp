// A settled packing of spheres as a problem: two consecutive steps of our own simulator, so that
// the second has a warm start.
#pragma once

#include <cstdint>

#include "cairn/problem.hpp"

namespace cairn::bench {

struct Packing {
  Problem problem;  // of the last step
  VecX warm;        // impulses of the step before it, by contact, turned into the new frames
};

// side^3 spheres of random size on a floor between walls, dropped from a loose lattice; the last
// two steps are solved to the tolerance.
Packing settled_spheres(int side, int steps, std::uint64_t seed, double tolerance);

}  // namespace cairn::bench
