// check, figures of the motion of a step that its verdict rests on (E702). Read states, write
// overlaps and momenta.
#pragma once

#include <optional>

#include "cairn/scene.hpp"
#include "record/check/check.hpp"

namespace cairn::record {

struct MotionFigures {
  bool overlaps_known = true;                // false: there are too many shapes
  bool moved = false;                        // a body is not where it was
  double overlap = 0;                        // deepest at the end, of the smaller inner radius [-]
  double on_the_way = 0;                     // deepest at moments in between, likewise [-]
  double overlap_rounding = 0;               // of both [-]
  double momentum = 0, momentum_others = 0;  // of islands that are judged, and of others (E305) [-]
  std::optional<double> projected;           // energy that projections put in (E712) [J]
};

// Overlaps at the end of a step, and on the way where that is its chord.
void measure_overlaps(const Model& model, const SchemeOptions& scheme, const State& before,
                      const TraceFrame& frame, MotionFigures& out);

// Momenta of isolated islands.
void measure_momenta(const Model& model, const State& before, const TraceFrame& frame,
                     MotionFigures& out);

// The recorded verdict against figures recomputed.
void check_verdict(const Scene& scene, const State& before, const TraceFrame& frame,
                   const MotionFigures& found, const Complain& complain);

}  // namespace cairn::record
