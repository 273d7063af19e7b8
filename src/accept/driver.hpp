// Takes steps that the verdict accepts (E307, E308): a step that fails in motion or energy is taken
// again in parts.
#pragma once

#include <vector>

#include "accept/judge.hpp"
#include "scheme/euler/step_data.hpp"

namespace cairn::accept {

// What every advance of a step is given beside the state.
struct Setting {
  const Model& model;
  const SchemeOptions& scheme;
  const SolverOptions& solver;
  const VerdictOptions& limits;
  double (*clock)() = nullptr;
  const bool& interrupted;  // set while a solve runs: the step ends as soon as it can
};

class Driver {
 public:
  Driver(const Model& model, const SolverOptions& solver, const VerdictOptions& limits);

  // Advances the state by h and fills the report with its verdict. A step that is stopped leaves
  // the state as it was; after an interrupt the state is undefined.
  void step(const Setting& setting, double h, scheme::StepData& data, State& state,
            StepReport& report);

 private:
  Judgement advance(const Setting& setting, double length, double nominal, scheme::StepData& data,
                    State& state, StepReport& report);
  void divide(const Setting& setting, double h, const Judgement& first, scheme::StepData& data,
              State& state, StepReport& report);
  void finish(const Setting& setting, double h, const scheme::StepData& data, const State& state,
              StepReport& report);

  Judge judge_;
  State begin_, before_;  // of the step, of the part at hand
  StepReport part_;
  std::vector<double> pending_;  // lengths of the parts to come, the next one last [s]
};

}  // namespace cairn::accept
