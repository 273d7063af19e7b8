// Complementary pivoting on the mixed LCP of Anitescu 2003, (4.11), velocities and bilateral
// impulses as free variables (E43). For planar contacts Coulomb's law is this LCP; in space it
// needs a pyramid.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/pivot/pivoting.hpp"
#include "solver/sweep/nsgs.hpp"

namespace cairn::solver {

struct LemkeBuffers {
  std::vector<char> included;       // groups that take part
  std::vector<char> start;          // basis to start from
  std::vector<int> first_variable;  // of the groups: free variable or pair
  std::vector<double> root, trial, next, centre;
  PairedSystem system;
  PathBuffers path;
};

struct LemkeLimits {
  double tolerance = 1e-8;
  int pivots = 20000;
  int draws = 10;
  std::uint64_t seed = 1;
  int variables = 20000;  // largest LCP that is tried
  int warm_pivots = 300;  // of paths that start from the basis that r suggests; 0: none does
  double aim = 1e-14;     // proximal steps go on until here
};

// Can Lemke take this group? (exact spatial cones it cannot)
bool lemke_takes(const Group& g);

// Starts from r and leaves the better of r and the solution found.
IterationResult lemke(const Island& island, const LemkeLimits& limits, LemkeBuffers& buffers,
                      std::vector<double>& r, std::vector<double>& v);

}  // namespace cairn::solver
