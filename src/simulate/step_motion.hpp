// Motion of a body at the end of a step, bodies with prescribed motion included.
#pragma once

#include "cairn/simulator.hpp"

namespace cairn::simulate {

// body_motion(), but a body with prescribed motion has the mean velocity of the step of length h
// that took its centre-of-mass frame from `before` to the state: what its contacts feel (E31).
BodyMotion step_motion(const Model& model, const State& state, BodyId body, const Pose& before,
                       double h);

}  // namespace cairn::simulate
