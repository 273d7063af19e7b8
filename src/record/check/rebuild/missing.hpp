// check (E394): bodies that overlap have a contact between them.
#pragma once

#include "record/check/rebuild/place.hpp"

namespace cairn::record {

// Pairs whose overlap grew in the step, or that overlapped when it began, without a row between
// them in any of its problems.
void check_missing(const Scene& scene, const Overlaps& before, const Overlaps& after,
                   const TraceFrame& frame, const Complain& complain, Unverified& unverified);

}  // namespace cairn::record
