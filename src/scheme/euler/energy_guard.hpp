// What the energy guards of a step (E35) and of an impact (E227) share: restitution is reduced,
// group of bodies by group, until no group has gained energy by it.
#pragma once

#include <algorithm>

#include "cairn/simulator.hpp"
#include "problem/islands.hpp"

namespace cairn::scheme {

inline constexpr int max_guard_rounds = 6;      // before a group loses its restitution altogether
inline constexpr double guard_reduction = 0.7;  // share that is kept from one round to the next
inline constexpr double no_gain = 1e-12;  // of the kinetic energy, as after a perfect bounce [-]

// Less restitution for a group that gains energy. `chord`: where the chord of the energy between
// the plastic answer and the one with full restitution meets the bound. The energy is convex
// between the two, so that this is safe as far as the answer stays near the segment between them.
// After the first time `factor` of the share is kept.
inline void reduce_share(bool first, double chord, double factor, double& share,
                         StepReport& report) {
  if (first) ++report.guard_corrections;
  share = first ? chord : factor * share;
  report.guard_factor = std::min(report.guard_factor, share);
}

// Kinetic energy of the bodies of an island, in the units of the problem.
double island_kinetic(const Problem& problem, const problem::Islands& islands, int island,
                      const VecX& v);

}  // namespace cairn::scheme
