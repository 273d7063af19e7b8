// check, mechanics (E420 to E423): how a body turns without torque, by extrapolation of the
// midpoint rule. Formulas of the judge, not of the engine.
#pragma once

#include "cairn/model.hpp"

namespace cairn::record {

struct FreeTurn {
  Quat R;
  Vec3 w;  // in the frame of the body [rad/s]
};

// From the rotation R with the angular velocity w over the time t.
FreeTurn free_turn(const Body& body, const Quat& R, const Vec3& w, double t);

// The angular velocity with which it turns from one rotation to another, next to `near`.
Vec3 leading_spin(const Body& body, const Quat& from, const Quat& to, const Vec3& near, double t);

// A step of scheme `trapezoidal`: half of the drift, the solved spin, the other half. `limited`:
// all of the drift after the solve.
struct KickedTurn {
  Vec3 w_half;  // before the solve, in the frame at half the step [rad/s]
  FreeTurn end;
};
KickedTurn kicked_turn(const Body& body, const Quat& R, const Vec3& w, const Vec3& w_solved,
                       double t, bool limited);

}  // namespace cairn::record
