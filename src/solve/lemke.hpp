// Complementary pivoting on the LCP of paper 000, (4.11), with v and the bilateral impulses
// eliminated (E43). For planar contacts Coulomb's law is this LCP; in space it needs a pyramid.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/nsgs.hpp"

namespace cairn {

struct LemkeBuffers {
  std::vector<char> included;  // groups that take part
  std::vector<double> W, q;    // dense, rows of the included groups
  std::vector<double> tableau, row, trial, r_c;
  std::vector<int> rows, bilateral, order, basic, nonbasic, first_variable;
  std::vector<double> eliminated;  // rows of eliminated bilateral impulses
};

struct LemkeLimits {
  double tolerance = 1e-8;
  int pivots = 20000;
  int draws = 10;
  std::uint64_t seed = 1;
  int variables = 20000;  // largest LCP that is tried
};

// Can Lemke take this group? (exact spatial cones it cannot)
bool lemke_takes(const Group& g);

// Starts from r (which tells the contacts that matter) and leaves the better of r and the solution
// found.
IterationResult lemke(const Island& island, const LemkeLimits& limits, LemkeBuffers& buffers,
                      std::vector<double>& r, std::vector<double>& v);

}  // namespace cairn
