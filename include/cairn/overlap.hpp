// Bodies that are inside each other, for warnings before a run.
#pragma once

#include <vector>

#include "cairn/model.hpp"
#include "cairn/scheme.hpp"
#include "cairn/state.hpp"

namespace cairn {

struct Overlap {
  BodyId body_a{}, body_b{};
  double depth = 0;  // of the deepest of their contacts [m]
  double speed = 0;  // the largest at which steps will open it [m/s]
};

// Pairs that overlap by more than a hundredth of the smaller body's radius, the deepest first. What
// is less comes from rounded numbers in a scene and is nothing to warn of. `h` is the step to be
// taken [s].
std::vector<Overlap> deep_overlaps(const Model& model, const State& state,
                                   const SchemeOptions& scheme, double h);

}  // namespace cairn
