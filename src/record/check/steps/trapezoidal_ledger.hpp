// check, rebuilding problems: energies of the parts of a step of `trapezoidal` (E180, E181).
#pragma once

#include "record/check/rebuild/balance.hpp"
#include "record/check/rebuild/rows.hpp"

namespace cairn::record {

// Constant terms of a row as velocities [m/s].
struct TrapezoidalTerms {
  double motion = 0, correction = 0;
};

// A smooth part, whole or up to a collision in it.
void add_smooth_flows(const Segment& s, const Trapezoidal& o, std::size_t solve, const Place& place,
                      const Balance& balance, const std::vector<TrapezoidalTerms>& terms,
                      bool mean_form, bool limited, SegmentOutcome& result);

// Contacts that are held for a moment; `motions` of prescribed bodies beside rows.contacts.
void add_hold_flows(const Segment& s, const SolveRecord& record, const Place& place,
                    const MatchedRows& rows, const std::vector<Vec3>& motions,
                    SegmentOutcome& result);

}  // namespace cairn::record
