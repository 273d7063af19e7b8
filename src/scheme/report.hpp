// What every scheme does with its report.
#pragma once

#include "cairn/simulator.hpp"
#include "cairn/state.hpp"

namespace cairn {

// Nothing of the step before is left but memory.
void clear(StepReport& report, const State& state, double h);

// The worst certificate of all solves decides on the step, those of the projections included.
void judge(StepReport& report);

}  // namespace cairn
