// Forces on the free velocities and the energies they belong to. Reads model and state, writes
// generalised forces.
#pragma once

#include <vector>

#include "cairn/model.hpp"
#include "cairn/state.hpp"
#include "dynamics/springs.hpp"

namespace cairn::dynamics {

struct Forces {
  VecX potential;                       // gravity and springs [N, N m]
  VecX applied;                         // forces given in time, external forces [N, N m]
  SpringRows springs;                   // implicit terms of springs and dampers (E360)
  VecX drive;                           // impulses of prescribed anchors through these terms
                                        // [N s, N m s]; empty where there are none
  std::vector<ExternalForce> external;  // an input: set by the caller of the simulator
};

// Gravity, forces given in time and external forces at a state; no springs.
void evaluate_loads(const Model& model, const State& state, Forces& forces);

// Adds springs and dampers at the beginning of a step of length h (E360); h serves the implicit
// weights and the mean velocity of prescribed bodies.
void add_springs(const Model& model, const State& state, double h, Forces& forces);

// Both, at the beginning of a step of length h.
void evaluate_forces(const Model& model, const State& state, double h, Forces& forces);

// Velocities after h without constraints and without the implicit terms, (E30): v + M^-1 (h
// (potential + applied) + drive). The gyroscopic torque is that of the drift (E420).
void free_velocities(const Model& model, const State& state, const Forces& forces, double h,
                     VecX& v_free);

double kinetic_energy(const Model& model, const VecX& v);                     // [J]
double potential_energy(const Model& model, const std::vector<Pose>& poses);  // [J]

// 1/2 |a - b|^2 in the mass metric of one body; a, b: its free velocities [J].
// v += M^-1 impulse, of all bodies.
void add_impulse(const Model& model, const VecX& impulse, VecX& v);

double mass_norm(const Body& body, const double* a, const double* b);

}  // namespace cairn::dynamics
