// A body on which nothing but gravity acts (E208): its motion to rounding, however long.
#pragma once

#include "cairn/model.hpp"

namespace cairn::dynamics {

// The body's pose after the time t from `start` with its free velocities v; `v_end`, where it is
// not null, takes its velocities then.
Pose fly(const Body& body, const Vec3& gravity, const Pose& start, const double* v, double t,
         double* v_end);

// It turns about all axes, with the same moment of inertia about each.
bool turns_evenly(const Body& body);

}  // namespace cairn::dynamics
