// Whether the contact forces that are shown of a step are what they are marked as (E626): with the
// motion of the step, within the laws, the shortest; and unique where they are said to be.
#pragma once

#include "record/check/check.hpp"
#include "record/check/rebuild/place.hpp"

namespace cairn::record {

void check_forces(const Model& model, const StepReport& report, const ShownForces& forces,
                  const Complain& complain, Unverified& unverified);

}  // namespace cairn::record
