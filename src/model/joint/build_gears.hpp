// Gears of a model: which coordinates they couple, which bodies these move, and what whole turns
// add to their sums.
#pragma once

#include <string>
#include <vector>

#include "cairn/model.hpp"
#include "model/checks.hpp"

namespace cairn::model {

// A gear with the path of its faults.
struct PlacedGear {
  GearDescription gear;
  std::string path;
};

// Resolves gears into `model`, whose joints are complete and sorted. `poses`: at the start.
void build_gears(const std::vector<PlacedGear>& gears, const std::vector<Pose>& poses, Model& model,
                 Checks& checks);

}  // namespace cairn::model
