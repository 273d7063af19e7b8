// The parts of check_trace() that look at one frame; each returns its complaints as text.
#pragma once

#include <array>
#include <functional>
#include <map>

#include "cairn/model.hpp"
#include "cairn/trace.hpp"

namespace cairn::record {

using Complain = std::function<void(FindingCode, const std::string&)>;

// The state follows from the one before it by the velocities of the last solve.
void check_motion(const Model& model, const SchemeOptions& scheme, const State& before,
                  const TraceFrame& frame, const Complain& complain);

// The anchors of the state belong to contacts that stick, are those of the state before or the
// points of the contact, and are together (E441, E442).
void check_anchors(const Model& model, const SchemeOptions& scheme, const State& before,
                   const TraceFrame& frame, const Complain& complain);

// A step in parts: each is followed as a step of its own, and they make the step.
void check_divided(const Model& model, const SchemeOptions& scheme, const State& before,
                   const TraceFrame& frame, const Complain& complain);

// Kinetic and potential energies recomputed from the states, and the sum rule.
void check_ledger(const Model& model, const State& before, const TraceFrame& frame,
                  const Complain& complain);

// Largest penetration and joint error of the state, over all pairs of shapes.
// Returns the overlaps of the state by pairs of bodies [m].
using Overlaps = std::map<std::array<BodyId, 2>, double>;
Overlaps check_penetration(const Model& model, const TraceFrame& frame, const Complain& complain);
void check_impacts(const Model& model, const SchemeOptions& scheme, const TraceFrame& frame,
                   const Complain& complain);
void check_joints(const Model& model, const TraceFrame& frame, const Complain& complain);

// The first figure of a step that is not a finite number; empty: none.
std::string first_not_finite(const TraceFrame& frame);
// The first orientation or direction that is not of length one; empty: none.
std::string first_bad_unit(const TraceFrame& frame);

struct Energies {
  double kinetic = 0, potential = 0;  // [J]
  double size = 0;                    // sum of the magnitudes of all terms [J]
};
Energies energies(const Model& model, const State& state);

inline constexpr std::size_t max_checked_shapes =
    2000;  // all pairs of more than these take too long

}  // namespace cairn::record
