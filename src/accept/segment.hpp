// The stretch between two knots of a path, as the swept test takes it (E302).
#pragma once

#include "cairn/model.hpp"
#include "collide/sweep/body_path.hpp"
#include "scheme/common/step_path.hpp"

namespace cairn::accept {

// Knots of the same time are a projection: straight, with the shorter turn.
void make_segment(const Model& model, const scheme::PathKnot& from, const scheme::PathKnot& to,
                  collide::PathSegment& segment);

}  // namespace cairn::accept
