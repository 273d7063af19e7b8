#include "bench/growth.hpp"

#include <cmath>

#include "cairn/solver.hpp"

namespace cairn::bench {

std::vector<int> growing_sides(int contacts) {
  constexpr double contacts_per_sphere = 3;
  std::vector<int> sides;
  for (double spheres = 125; contacts_per_sphere * spheres <= contacts; spheres *= 2)
    sides.push_back(static_cast<int>(std::lround(std::cbrt(spheres))));
  return sides;
}

Cost cost(const Packing& packing, double level, double (*seconds)()) {
  SolverWorkspace workspace;
  Solution solution;
  Cost result;
  for (int repeat = 0; repeat < 3; ++repeat) {  // the first one warms the memory up
    solution.lambda = packing.warm;
    const double start = seconds();
    solve(packing.problem, Auto{.tolerance = level}, workspace, solution);
    const double ms = 1e3 * (seconds() - start);
    result.ms = repeat == 0 ? ms : std::min(result.ms, ms);
    if (ms > 1e3) break;
  }
  result.bodies = static_cast<int>(packing.problem.bodies.size());
  result.contacts = static_cast<int>(packing.problem.constraints.size());
  result.level = level;
  result.solved = solution.status == SolveStatus::solved;
  result.residual = solution.certificate.worst;
  result.iterations = solution.iterations;
  return result;
}

std::vector<Cost> cost_of_decades(const Packing& packing, double (*seconds)()) {
  std::vector<Cost> costs;
  for (const double level : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
    costs.push_back(cost(packing, level, seconds));
    if (!costs.back().solved) break;
  }
  return costs;
}

Packing relaxed(const Packing& packing) {
  Packing result = packing;
  for (Constraint& c : result.problem.constraints)
    if (c.law == Law::coulomb) c.law = Law::coulomb_relaxed;
  return result;
}

}  // namespace cairn::bench
