// Adds the report of a part of a step to that of the whole.
#pragma once

#include "cairn/simulator.hpp"

namespace cairn::accept {

// Nothing has been taken yet. CPU times and the count of discarded solves are kept.
void begin_whole(const State& state, double h, StepReport& whole);

// Adds a part that follows those in `whole` in time. Solves are moved out of `part`. `t`: at its
// beginning; `state`: at its end.
void append_part(const Model& model, double t, const State& state, StepReport& part,
                 StepReport& whole);

// A step that was taken as a whole, as one part.
void make_one_part(const Model& model, double t, const State& state, StepReport& report);

// Adds the step of a group of bodies to those of others over the same time. `group` has parts.
void append_group(StepReport& group, StepReport& whole);

}  // namespace cairn::accept
