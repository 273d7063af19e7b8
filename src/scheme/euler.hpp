// Scheme `euler`: one velocity-impulse complementarity problem per step (papers 000 and 001; E30 to
// E37).
#pragma once

#include "scheme/step_data.hpp"

namespace cairn {

// Advances the state by h and fills the report. A stopped step leaves the state as it was.
void advance(const Model& model, const Euler& options, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report);

}  // namespace cairn
