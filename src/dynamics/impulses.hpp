// Impulses of the forces over a step of the trapezoidal rule, with exact derivatives (E160 to
// E163). Reads model, poses and velocities, writes generalised impulses and implicit rows.
#pragma once

#include <span>

#include "cairn/external_force.hpp"
#include "cairn/model.hpp"
#include "cairn/state.hpp"
#include "dynamics/springs.hpp"

namespace cairn::dynamics {

struct ForceImpulses {
  VecX potential;          // of gravity and springs: (h/2) [k(t) + k(t+h) + h k_q v] [N s, N m s]
  VecX applied;            // of forces given in time and external ones, likewise
  VecX viscous;            // of dampers with the velocities of the beginning (E162)
  double work_motion = 0;  // of bodies with prescribed motion through springs [J]
  std::vector<SpringRow> rows;     // of springs, at the beginning
  std::vector<SpringRow> dampers;  // at `middle`; `motion` is that of the whole step
  std::vector<Pose> middle;        // where the drift leads in half the step
  VecX v_middle;                   // velocities there [m/s, rad/s]
  double stiffest = 0;             // largest implicit term over the mass it acts on [-]

  // Of all forces, without implicit terms.
  auto sum() const { return potential + applied + viscous; }
};

// `poses` at the time t; prescribed bodies move to their poses at t + h. External forces are
// constant in the step, at a point that moves with the body. `damp_stiff`: (E178).
void evaluate_impulses(const Model& model, std::span<const Pose> poses, const VecX& v, double t,
                       double h, std::span<const ExternalForce> external, bool damp_stiff,
                       ForceImpulses& out);

}  // namespace cairn::dynamics
