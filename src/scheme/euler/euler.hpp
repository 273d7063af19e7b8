// Schemes `euler`, one velocity-impulse complementarity problem per step (Anitescu 2003, Anitescu
// and Hart 2004; E30 to E37), and `relaxed`, the same under the convex relaxation of Coulomb's law
// (Anitescu and Hart 2004, Hart 2007; E90 to E93).
#pragma once

#include "scheme/euler/step_data.hpp"

namespace cairn::scheme {

// Advances the state by h and fills the report. A stopped step leaves the state as it was.
void advance(const Model& model, const Euler& options, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report);
void advance(const Model& model, const Relaxed& options, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report);

}  // namespace cairn::scheme
