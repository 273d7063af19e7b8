// Scheme `penalty`: contacts are springs (Anitescu 2003, section II; E250 to E255).
#pragma once

#include "scheme/euler/step_data.hpp"

namespace cairn::scheme {

// Advances the state by h and fills the report. A stopped step leaves the state as it was.
void advance(const Model& model, const Penalty& options, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report);

}  // namespace cairn::scheme
