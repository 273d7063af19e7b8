// Schemes `euler`, one velocity-impulse complementarity problem per step (Anitescu 2003, Anitescu
// and Hart 2004; E30 to E37), and `relaxed`, the same under the convex relaxation of Coulomb's law
// (Anitescu and Hart 2004, Hart 2007; E90 to E93).
#pragma once

#include "scheme/euler/step_data.hpp"

namespace cairn::scheme {

struct FrictionRule {
  Law law = Law::coulomb;
  int corrections = 0;   // of scheme relaxed
  double tolerance = 0;  // residual of Coulomb's law at which they end [-]
};

// Either of the two schemes, by its options.
struct FirstOrder {
  FirstOrder(const Euler& o) : step(o) {}
  FirstOrder(const Relaxed& o);
  const Euler& step;
  FrictionRule friction = {};
};

// Advances the state by h and fills the report. A stopped step leaves the state as it was.
void advance(const Model& model, const FirstOrder& scheme, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report);

}  // namespace cairn::scheme
