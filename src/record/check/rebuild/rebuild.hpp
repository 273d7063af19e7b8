// check, tying a recording to its scene (E381 to E394): each frame is compared with problems that
// are built from the scene and the recorded states by formulas of the judge.
#pragma once

#include <optional>

#include "record/check/rebuild/place.hpp"

namespace cairn::record {

// Everything of a frame that follows from the scene, the state before it and its solves. Returns
// the energy that projections put in (E712), where it is known [J].
std::optional<double> check_rebuilt(const Scene& scene, const State& before,
                                    const TraceFrame& frame, const Complain& complain,
                                    Unverified& unverified);

// ---- Parts of it

// Solves and energies of one segment.
void check_segment(const Segment& segment, SegmentOutcome& out);
// An impact at one moment, from its compression to the solve that ends it; returns the number of
// its last solve.
std::size_t check_impact(const Segment& segment, std::size_t compression, SegmentOutcome& out);
void check_trapezoidal(const Segment& segment, const Trapezoidal& options, SegmentOutcome& out);
void check_hybrid(const Segment& segment, const Hybrid& options, SegmentOutcome& out);
void check_penalty(const Segment& segment, const Penalty& options, SegmentOutcome& out);

// The terms of the ledger against the energies of the segments (E390). What is not known apart
// (SegmentOutcome) is compared as a sum.
struct KnownTerms {
  bool friction = true, impacts = true;
};
void compare_ledger(const Model& model, const Ledger& recorded, const Ledger& flows,
                    KnownTerms known, const State& before, const TraceFrame& frame,
                    const Complain& complain);

// Reported contacts against the solves (E391), remembered impulses (E392), counts (E393).
void compare_reported(std::span<const Segment> segments, std::span<const SegmentOutcome> outcomes,
                      const TraceFrame& frame, const Complain& complain, Unverified& unverified);
void compare_memory(std::span<const Segment> segments, std::span<const SegmentOutcome> outcomes,
                    const State& before, const State& followed, const TraceFrame& frame,
                    const Complain& complain, Unverified& unverified);
// Reports of impacts and speeds of collisions, from the velocities before and after (E710, E711).
void compare_impacts(std::span<const Segment> segments, std::span<const SegmentOutcome> outcomes,
                     const StepReport& report, const Complain& complain);
// Of scheme hybrid: contacts with an impulse at the end are steady, others have a row (E524).
void compare_steady(std::span<const Segment> segments, std::span<const SegmentOutcome> outcomes,
                    const State& before, const State& after, const Complain& complain,
                    Unverified& unverified);
void compare_counts(const Scene& scene, std::span<const Segment> segments,
                    std::span<const SegmentOutcome> outcomes, const TraceFrame& frame,
                    const Complain& complain, Unverified& unverified);

// Options of the first-order step by which a part of a scheme with events is taken (E308).
Euler first_order_options(const SchemeOptions& scheme);

}  // namespace cairn::record
