// Exact friction along the proximal path (E64 to E66): every constraint is a spring about an
// impulse that nearly solves the problem. With soft springs the answer is easy; they are made
// stiffer and stiffer, the curve of answers is followed from corner to corner of the law, and where
// it turns back the springs that make it do so are softened about the impulses reached. For
// packings and piles of any size, where everything else stalls.
#pragma once

#include "linear/anderson.hpp"
#include "solver/fallback/updated_factor.hpp"
#include "solver/sweep/nsgs.hpp"

namespace cairn::solver {

struct ProximalPathLimits {
  double tolerance = 1e-8;
  int factorisations = 20000;
  double products = 1e300;  // of blocks, in all of them
};

struct ProximalPathBuffers {
  ProximalLaw law;
  UpdatedFactor factor;
  ProximalLaw kept_law;
  std::vector<double> kept_v;
  linear::Anderson anderson;
  std::vector<double> F, change, trial;       // per velocity
  std::vector<double> tangent, step, across;  // per velocity
  std::vector<double> last_step;              // the same of the step before
  std::vector<double> point, move;            // velocities and t
  std::vector<double> stiffness;              // before a step
  std::vector<double> best, centre, ahead_v;  // impulses; velocities of the ones offered
};

inline bool proximal_path_takes(const Island& island) {
  return ProximalLaw::takes(island);
}

// Starts from r; leaves the better of it and the best impulses found.
IterationResult follow_proximal_path(const Island& island, const ProximalPathLimits& limits,
                                     ProximalPathBuffers& buffers, std::vector<double>& r,
                                     std::vector<double>& v);

}  // namespace cairn::solver
