// Takes steps that the verdict accepts: whole, divided for all bodies, or divided for the group of
// bodies that needs it (E307).
#pragma once

#include <vector>

#include "accept/stepper.hpp"
#include "base/union_find.hpp"

namespace cairn::accept {

class Driver {
 public:
  Driver(const Model& model, const SolverOptions& solver, const VerdictOptions& limits)
      : stepper_(model, solver, limits) {}

  // Advances the state by h and fills the report with its verdict. A step that is stopped leaves
  // the state as it was; after an interrupt the state is undefined.
  void step(const Setting& setting, double h, scheme::StepData& data, State& state,
            StepReport& report);

 private:
  bool find_group(const Model& model, const StepReport& report, const Judgement& judgement,
                  const State& after);
  void join_near(const Model& model, const State& after);
  bool step_apart(const Setting& setting, double h, const Judgement& first,
                  const scheme::StepData& data, State& state, StepReport& report);

  Stepper stepper_;
  State begin_;
  base::UnionFind sets_;
  std::vector<char> fails_;  // per body: it is in the group that is divided
};

}  // namespace cairn::accept
