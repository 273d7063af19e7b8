// Steps of one model or group of bodies, in parts where need be (E307, E308).
#pragma once

#include <variant>
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
  const bool& interrupted;     // set while a solve runs: the step ends as soon as it can
  Interrupt interrupt = {};    // what sets it
  WorkMeter* meter = nullptr;  // of the step
  // No part is divided again (E732).
  bool out_of_budget() const { return meter && meter->beyond(share_for_parts); }
  // Schemes that look for events do so up to here.
  bool events_spent() const { return meter && meter->beyond(scheme::share_for_events); }
  static constexpr double share_for_parts = 0.9;
  // Where a body would pass through another one, which ends the run (E732).
  bool far_out_of_budget() const { return meter && meter->beyond(2); }
  // Steps of scheme `trapezoidal` pose a problem at every event, and other ones in parts: where a
  // solve misses the tolerance they are taken again as well (E667).
  bool poses_other_problems() const { return std::holds_alternative<Trapezoidal>(scheme); }
};

class Stepper {
 public:
  Stepper(const Model& model, const SolverOptions& solver, const VerdictOptions& limits)
      : judge_(model, solver, limits) {}

  // Takes the step, or a part of it of a nominal length, in one piece by the scheme `with`. One
  // that is stopped is not judged and leaves the state as it was.
  Judgement advance(const Setting& setting, const SchemeOptions& with, double length,
                    double nominal, scheme::StepData& data, State& state, StepReport& report);

  // Takes a step that failed as a whole, with the judgement `first`, from `begin` in parts. A step
  // that is stopped leaves the state at its beginning; after an interrupt it is undefined.
  void divide(const Setting& setting, double h, const State& begin, const Judgement& first,
              scheme::StepData& data, State& state, StepReport& report);

  // The energy part of the verdict on a step that was put together of several.
  void judge_energy(const Setting& setting, double h, const State& begin, const State& state,
                    std::span<const ExternalForce> external, StepReport& report);

 private:
  void stop(const State& begin, double h, const Judgement& judgement, State& state,
            StepReport& report);

  Judge judge_;
  State before_;  // the part at hand
  StepReport part_;
  scheme::StepPath no_path_;
  std::vector<double> pending_;  // lengths of the parts to come, the next one last [s]
};

// Whether a part or step needs no division: good, or beyond help.
bool stands(const Setting& setting, const Judgement& judgement, const StepReport& report);

// What only the parts of a step together tell: its certificate and its contacts.
void close_report(StepReport& report);

}  // namespace cairn::accept
