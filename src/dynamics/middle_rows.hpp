// Springs and dampers of the trapezoidal rule along their direction in the middle of the step: the
// impulse is a difference quotient of the energy, found by linearising it again (E460 to E464).
#pragma once

#include "dynamics/impulses.hpp"

namespace cairn::dynamics {

// The beginning of a step of length h.
struct MiddleMoment {
  const Model& model;
  std::span<const Pose> poses;
  const VecX& v;
  double t, h;
};

// Bodies that joints connect (E745): links.join(link_of(a), link_of(b)). Bodies that are not free
// are one.
int link_of(const Model& model, BodyId id);

// Adds the rows of a spring with its damper, linearised at the velocities of the beginning. False:
// it has no difference quotient. The largest implicit term over the mass goes into out.stiffest.
bool add_middle_spring(const MiddleMoment& m, std::size_t spring, bool damp_stiff,
                       ForceImpulses& out);

// Adds a damper without a spring. Returns the implicit term over the mass it acts on [-].
double add_middle_damper(const MiddleMoment& m, const Spring& spring, bool damp_stiff,
                         ForceImpulses& out);

// f without the springs whose lengths joints hold (E741), as they were linearised first.
void leave_out_held(const Model& model, const ForceImpulses& forces, VecX& f);

// The impulses that the laws ask for where the velocities v lead, `next` at t + h. Returns the
// largest difference from those of the linearisation, as a rate over its rounding [-].
double find_impulses(const MiddleMoment& m, std::span<const Pose> next, const VecX& v,
                     ForceImpulses& out);

// Linearises again at these impulses (E461, E464).
void linearise_again(const MiddleMoment& m, const VecX& v, ForceImpulses& out);

// What a spring adds to the energy over the step, the change of its own less the work of its
// impulse, and likewise a damper beside it, less what it takes; with the mean velocities `mean`
// (E462) [J].
double energy_defect(const MiddleMoment& m, std::span<const Pose> next, const VecX& mean,
                     const ForceImpulses& forces, const FollowedRow& row);

}  // namespace cairn::dynamics
