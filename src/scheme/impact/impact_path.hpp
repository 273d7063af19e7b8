// The impact of one contact, integrated over its normal impulse (Mirtich; E200 to E206): reads the
// contact's inverse mass and velocity, gives the impulse and what happened on the way.
#pragma once

#include "cairn/model.hpp"

namespace cairn::scheme {

inline constexpr int max_path_steps = 20000;  // the longest seen have a few hundred

struct ImpactInput {
  Mat3 W = Mat3::Zero();  // velocity per impulse along n, t1, t2; rows of directions in which
                          // nothing moves are zero [1/kg]
  Vec3 u = Vec3::Zero();  // velocity of b relative to a before the impact, u[0] < 0 [m/s]
  double mu = 0;          // [-]
  double e = 0;           // 0 to 1 [-]
  RestitutionLaw law = RestitutionLaw::stronge;
  // Friction about the contact (E260), turning as velocities at the unit of length; read only where
  // a bound is above zero.
  double torsion = 0, rolling = 0;  // bounds of the torques about n, and about t1 and t2 [-]
  Vec3 spin = Vec3::Zero();         // angular velocity of b relative to a about n, t1, t2 [m/s]
  Mat3 W_spin = Mat3::Zero();       // spin per torque impulse [1/kg]
  Mat3 W_mixed = Mat3::Zero();      // velocity along n, t1, t2 per torque impulse [1/kg]
};

struct ImpactOutcome {
  Vec3 impulse = Vec3::Zero();     // along n, t1, t2, on body b [N s]
  Vec3 u = Vec3::Zero();           // velocity after the impact [m/s]
  double compression_impulse = 0;  // normal impulse while the bodies approach [N s]
  double work_compression = 0;     // work of the normal impulse on the bodies meanwhile, <= 0 [J]
  double work_decompression = 0;   // and while they part, >= 0 [J]
  double work_friction = 0;        // of the tangential impulse and of the torques, <= 0 [J]
  Vec3 torque = Vec3::Zero();      // impulse about n, t1, t2, on body b [N s]
  Vec3 spin = Vec3::Zero();        // after the impact [m/s]
  int phases = 0;                  // of sliding, sticking and sliding again
  bool stuck = false;              // the impact ends without slip, held by friction
  bool reversed = false;  // it slides back, or again after the slip had stopped; out of the plane
                          // the slip turns around without a stop
  bool jammed = false;    // sliding drove the bodies into each other for a while
};

// Nothing happens where the bodies do not approach.
ImpactOutcome impact_path(const ImpactInput& in);

// The friction per normal impulse that keeps a slip, or a turn, at rest: `a` is what it would gain,
// `A` how it answers. Where `mu` does not hold it, the friction of the direction it starts in
// (E204).
struct HeldSlip {
  Eigen::Vector2d friction;
  bool holds = true;
};
HeldSlip hold_slip(const Eigen::Matrix2d& A, const Eigen::Vector2d& a, double mu);

}  // namespace cairn::scheme
