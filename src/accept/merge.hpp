// Adds the report of a part of a step to that of the whole.
#pragma once

#include "cairn/simulator.hpp"

namespace cairn::accept {

// Nothing has been taken yet.
void begin_whole(const State& state, double h, StepReport& whole);

// Solves are moved out of `part`. `state`: at the end of the part.
void append_part(const Model& model, double t, const State& state, StepReport& part,
                 StepReport& whole);

}  // namespace cairn::accept
