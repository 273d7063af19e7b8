// Scheme `trapezoidal`: the linearly implicit trapezoidal rule with events (Potra et al. 2006; E160
// to E182).
#pragma once

#include "scheme/euler/step_data.hpp"

namespace cairn::scheme {

// Advances the state by h and fills the report. A stopped step leaves the state as it was.
void advance(const Model& model, const Trapezoidal& options, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report);

}  // namespace cairn::scheme
