// The impact of one contact, integrated over its normal impulse (Mirtich; E200 to E206): reads the
// contact's inverse mass and velocity, gives the impulse and what happened on the way.
#pragma once

#include "cairn/model.hpp"

namespace cairn {

struct ImpactInput {
  Mat3 W = Mat3::Zero();  // velocity per impulse along n, t1, t2; rows of directions in which
                          // nothing moves are zero [1/kg]
  Vec3 u = Vec3::Zero();  // velocity of b relative to a before the impact, u[0] < 0 [m/s]
  double mu = 0;          // [-]
  double e = 0;           // 0 to 1 [-]
  RestitutionLaw law = RestitutionLaw::stronge;
};

struct ImpactOutcome {
  Vec3 impulse = Vec3::Zero();     // along n, t1, t2, on body b [N s]
  Vec3 u = Vec3::Zero();           // velocity after the impact [m/s]
  double compression_impulse = 0;  // normal impulse while the bodies approach [N s]
  double work_compression = 0;     // work of the normal impulse on the bodies meanwhile, <= 0 [J]
  double work_decompression = 0;   // and while they part, >= 0 [J]
  double work_friction = 0;        // of the tangential impulse, <= 0 [J]
  int phases = 0;                  // of sliding, sticking and sliding again
  bool stuck = false;              // the impact ends without slip, held by friction
  bool reversed = false;  // it slides back, or again after the slip had stopped; out of the plane
                          // the slip turns around without a stop
  bool jammed = false;    // sliding drove the bodies into each other for a while
};

// Nothing happens where the bodies do not approach.
ImpactOutcome impact_path(const ImpactInput& in);

}  // namespace cairn
