// Scheme `hybrid`: exact flight and impulse integration while bodies bounce, a complementarity
// problem for steady contact (Son, Trinkle and Amato 2004; E200 to E217).
#pragma once

#include "scheme/euler/step_data.hpp"

namespace cairn::scheme {

// Advances the state by h and fills the report. A stopped step leaves the state as it was.
void advance(const Model& model, const Hybrid& options, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report);

}  // namespace cairn::scheme
