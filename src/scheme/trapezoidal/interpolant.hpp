// The motion within a step as a cubic that meets positions and velocities at both ends (E171).
#pragma once

#include <span>
#include <vector>

#include "cairn/model.hpp"

namespace cairn::scheme {

// Where all bodies are at a time and how fast.
struct Phase {
  double t = 0;             // [s]
  std::vector<Pose> poses;  // of all bodies
  VecX v;                   // free velocities [m/s, rad/s]
};

// The phase at the time `from.t + tau`, 0 <= tau <= to.t - from.t. Prescribed bodies are where
// their motion takes them. Bodies marked in `no_torque` turn freely (E423).
void interpolate(const Model& model, const Phase& from, const Phase& to, double tau,
                 std::span<const char> no_torque, Phase& out);

// The same of body i alone; `out` has room for all, and the others in it are left as they are.
void interpolate(const Model& model, const Phase& from, const Phase& to, double tau,
                 std::span<const char> no_torque, std::size_t i, Phase& out);

// The phase after a time h in which no force acts (E420).
void drift_bodies(const Model& model, const Phase& from, double h, Phase& out);

// The phase after a time h with the constant velocities v; velocities of `out` are left alone.
void move_bodies(const Model& model, const Phase& from, const VecX& v, double h, Phase& out);

}  // namespace cairn::scheme
