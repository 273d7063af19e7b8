// What a query of the ratio metric costs for pairs of polyhedra in contact, against other programs'
// distance queries on the same pairs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cairn/polyhedron.hpp"

namespace cairn::bench {

// Another way to a penetration depth: made ready once for two bodies, then asked at poses.
struct DistanceRival {
  using Query = std::function<double(const Pose& X_WA, const Pose& X_WB)>;  // depth [m]
  std::string name;
  std::function<Query(const Polyhedron& a, const Polyhedron& b)> prepare;
};

struct DistanceCost {
  std::string shape;
  int facets = 0;                                  // of each body
  std::vector<std::pair<std::string, double>> us;  // CPU time a query by method
  double pivots_cold = 0, pivots_warm = 0;         // mean
  double evaluations_warm = 0;                     // facets looked at, mean
};

// Pairs of boxes, octahedra and geodesic hulls up to 1000 facets, each on paths of small steps
// between overlap and touching (r from 0.95 to 1); `seconds` reads a CPU clock.
std::vector<DistanceCost> distance_costs(const std::vector<DistanceRival>& rivals,
                                         double (*seconds)());

}  // namespace cairn::bench
