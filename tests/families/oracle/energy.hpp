// Energy, momentum and joint errors from poses and velocities, with formulas of their own.
#pragma once

#include "families/trial.hpp"

namespace cairn::families {

struct Energies {
  double kinetic = 0, potential = 0;  // [J]
  double moving = 0;                  // sum m (|v| + h |g|)^2 / 2 + w.I w / 2 (E306) [J]
  double total() const { return kinetic + potential; }
};
Energies energies_of(const World& world, const State& state, double h);

struct Momenta {
  double mass = 0;               // of all dynamic bodies [kg]
  Vec3 center = Vec3::Zero();    // of mass [m]
  Vec3 velocity = Vec3::Zero();  // of it [m/s]
  Vec3 angular = Vec3::Zero();   // about it [kg m^2/s]
  double angular_scale = 0;      // sum |r x m v| + |I w|
};
Momenta momenta_of(const World& world, const State& state);

// Largest distance of the anchors of a ball, revolute or fixed joint, or change of length of a
// distance joint, of the smaller radius of its bodies; prismatic joints: off their axis.
double joint_error(const World& world, const std::vector<Pose>& X_WC);

// Watches the energy of a passive system: its largest rise above an earlier value, of the energy
// that moved in all steps so far.
struct EnergyWatch {
  double least = 0, moved = 0;
  void operator()(const Moment& m, Outcome& out);
};

}  // namespace cairn::families
