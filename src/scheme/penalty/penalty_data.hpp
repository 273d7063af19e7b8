// Memory of scheme `penalty`, reused from step to step.
#pragma once

#include <vector>

#include "cairn/solution.hpp"
#include "problem/mass.hpp"

namespace cairn::scheme {

// A contact as a spring: the row its force acts along and what it does at some velocities, in the
// problem's units.
struct ContactSpring {
  int body[2] = {-1, -1};
  double row[2][max_velocities] = {};
  double gap = 0;      // at the end of the step, linearised or not [m]
  double offset = 0;   // of isolated islands: the gap without the velocity along the row (E407) [m]
  double motion = 0;   // velocity along the row by prescribed motion
  double impulse = 0;  // h gamma Phi_-^b
  double weight = 0;   // minus its derivative by the velocity along the row
};

struct PenaltyData {
  std::vector<ContactSpring> springs;  // beside the contacts
  std::vector<Contact> contacts;       // where the springs were taken
  std::vector<Pose> poses;             // where a trial leads
  Problem plain;                       // bodies and joints alone
  Problem linear;                      // a Newton step
  Solution step;
  problem::MassInverse mass;
  VecX v, v_free, v_trial, v_model, way, change, gradient, joint_impulses;
  VecX best_v, best_joint_impulses;
};

}  // namespace cairn::scheme
