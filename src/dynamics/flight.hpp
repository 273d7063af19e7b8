// Bodies that turn freely: their motion to rounding, however long (E208, E420 to E422).
#pragma once

#include "cairn/model.hpp"

namespace cairn::dynamics {

// The body's pose after the time t from `start` with its free velocities v; `v_end`, where it is
// not null, takes its velocities then.
Pose fly(const Body& body, const Vec3& gravity, const Pose& start, const double* v, double t,
         double* v_end);

// The body's pose after the time t without any force (E420): straight on with its velocities v, the
// rotation that of Euler's equations, which keeps angular momentum and energy. `v_end` as above.
// With equal moments of inertia this is advanced(), and v_end is v.
Pose drift(const Body& body, const Pose& start, const double* v, double t, double* v_end);

// It turns about all axes, with the same moment of inertia about each.
bool turns_evenly(const Body& body);

}  // namespace cairn::dynamics
