// What the tests of scheme `hybrid` share.
#pragma once

#include <array>

#include "system/worlds.hpp"

namespace cairn::testing {

inline Simulator hybrid(const ModelDescription& description, const Hybrid& scheme = {}) {
  return simulator_of(description, scheme);
}

inline double energy(const Simulator& sim) {
  return sim.kinetic_energy() + sim.potential_energy();
}

// Son, Trinkle and Amato 2004, section 5: a solid ball thrown along a plane. Its bottom is 1 m
// above it.
inline ModelDescription ball(double friction, double restitution) {
  ModelDescription d = world(Vec3(0, 0, -g), friction, restitution);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
              moving("ball", Sphere{0.5}, 1, Vec3(0, 0, 1.5), Vec3(7, 0, 0))};
  return d;
}

// Four bodies above each other, each with an attitude, a velocity and a spin of its own.
inline void throw_bodies(Random& random, const std::array<Geometry, 4>& shapes,
                         ModelDescription& d) {
  for (int i = 0; i < 4; ++i) {
    d.bodies.push_back(moving("b" + std::to_string(i), shapes[static_cast<std::size_t>(i)], 1 + i,
                              Vec3(0.1 * i, 0.05 * i, 0.8 + 0.9 * i), random.vector(1),
                              random.vector(3)));
    d.bodies.back().orientation = exp_rotation(random.vector(1));
  }
}

}  // namespace cairn::testing
