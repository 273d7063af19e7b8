// Whether a frame belongs to its scene. A frame that passed the checksum may still name bodies that
// the scene does not have if someone forged the file, or put two files together.
#pragma once

#include "cairn/model.hpp"
#include "cairn/trace.hpp"

namespace cairn::record {

// The state has the model's bodies and velocities.
bool state_fits(const Model& model, const State& state);

// Every body, shape and joint that the problems and contacts of the step name exists.
bool ids_exist(const Model& model, const StepReport& report);

}  // namespace cairn::record
