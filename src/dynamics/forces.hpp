// Forces on the free velocities and the energies they belong to. Reads model and state, writes
// generalised forces.
#pragma once

#include <vector>

#include "cairn/external_force.hpp"
#include "cairn/model.hpp"
#include "cairn/state.hpp"

namespace cairn::dynamics {

struct Forces {
  VecX potential;                       // gravity and springs [N, N m]
  VecX applied;                         // dampers, forces given in time, external forces [N, N m]
  std::vector<ExternalForce> external;  // an input: set by the caller of the simulator
  double work_motion =
      0;  // of bodies with prescribed motion through springs and dampers within the step [J]
};

// Forces at the beginning of a step of length h; h serves the mean velocity of prescribed bodies.
void evaluate_forces(const Model& model, const State& state, double h, Forces& forces);

// Velocities after h without constraints, (E30): v + h M^-1 (potential + applied), the gyroscopic
// torque implicit.
void free_velocities(const Model& model, const State& state, const Forces& forces, double h,
                     VecX& v_free);

double kinetic_energy(const Model& model, const VecX& v);                     // [J]
double potential_energy(const Model& model, const std::vector<Pose>& poses);  // [J]

// Energy of one spring [J].
double spring_energy(const Spring& spring, const std::vector<Pose>& poses);

// 1/2 |a - b|^2 in the mass metric of one body; a, b: its free velocities [J].
double mass_norm(const Body& body, const double* a, const double* b);

}  // namespace cairn::dynamics
