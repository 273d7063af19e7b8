// Joints, springs, applied forces and pairs without contact: all that names bodies.
#pragma once

#include <string>
#include <vector>

#include "cairn/model.hpp"
#include "model/checks.hpp"

namespace cairn::model {

// Resolves what the description says between bodies into `model`, whose bodies are complete and
// sorted. `poses` are the initial poses of the frames at the centres of mass. Returns the largest
// length of joints, springs and their anchors, as a scale for models whose shapes have no size [m].
double build_links(const ModelDescription& description, const std::vector<Pose>& poses,
                   Model& model, Checks& checks);

}  // namespace cairn::model
