// Forgeries: honest recordings of random scenes, which check must confirm, and the same with one
// field changed, which it must not.
#pragma once

#include <functional>

#include "families/random.hpp"
#include "families/trial.hpp"

namespace cairn::families {

// One number, flag or list of a recorded step, and a change of it that matters physically.
struct Forgery {
  std::string field;
  std::function<void(StepReport&, State&)> change;
};

// All fields of a step that has them, without those that no recording can prove (CPU times,
// iterations and names of methods, attempts).
std::vector<Forgery> forgeries_of(const StepReport& report, const State& state, const Model& model,
                                  Random& random);

struct ForgeryResult {
  Json json;
  std::vector<std::string> broken;  // promises
};

// Cases of settings: short recordings of scenes of all families in turn, under all schemes.
ForgeryResult run_forgeries(const Settings& settings);

}  // namespace cairn::families
