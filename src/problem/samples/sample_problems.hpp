// Problems of known shape for tests and benchmarks: stacks and pyramids of cubes, chains of links.
// One step of gravity on bodies at rest, if wanted with a random kick to every velocity, so that
// nothing is symmetric by chance and much slides.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cairn/problem.hpp"

namespace cairn::problem {

struct SampleSettings {
  Law law = Law::coulomb;  // of the contacts: coulomb or coulomb_relaxed
  double mu = 0.5;         // [-]
  int facets = 0;
  double kick = 0.1;  // at the most, as a share of what gravity does in the step
  std::uint64_t seed = 1;
};

// Unit cubes on top of each other, four contacts below each.
Problem cube_stack(std::span<const double> masses, const SampleSettings& settings);

// A wall of unit cubes, one less in each row; an upper cube has four contacts with each of the two
// below it. 15 rows: 120 cubes, 900 contacts.
Problem cube_pyramid(int rows, const SampleSettings& settings);

// Rods of unit length in a row, tied by ball joints: the first to the world, or, on the floor, none
// to the world and two contacts below each.
Problem link_chain(int links, bool on_floor, const SampleSettings& settings);

}  // namespace cairn::problem
