// How the cost of a packing of spheres grows with its size and with the accuracy asked for: `auto`
// on one step of a settled packing from the warm start of the step before.
#pragma once

#include <vector>

#include "bench/packing.hpp"

namespace cairn::bench {

struct Cost {
  int bodies = 0;
  int contacts = 0;     // rows of contact that the step looks at
  double level = 0;     // tolerance
  bool solved = false;  // says the certificate
  double residual = 0;  // worst scaled residual
  int iterations = 0;
  double ms = 0;  // CPU time of solve(), the certificate included
};

// Spheres along an edge of the cube that falls: some 3 contacts a sphere, at most `contacts`.
std::vector<int> growing_sides(int contacts);

// One solve to `level`; `seconds` reads a CPU clock.
Cost cost(const Packing& packing, double level, double (*seconds)());

// From 1e-1 downwards by decades, until one is missed, to 1e-8 at the most.
std::vector<Cost> cost_of_decades(const Packing& packing, double (*seconds)());

// The same packing under the relaxed law.
Packing relaxed(const Packing& packing);

}  // namespace cairn::bench
