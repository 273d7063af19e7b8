#include "solver/fallback/pyramids.hpp"

#include <algorithm>

namespace cairn::solver {
namespace {

constexpr int facets[] = {20, 32, 64, 12,
                          48};         // in the order of what they solved, then of their cost
constexpr double near_residual = 0.1;  // a residual from which steps may lead to the answer

}  // namespace

bool pyramids_take(const Island& island, const PyramidLimits& limits) {
  if (!island.inertia.rest.empty() || island.rows > limits.rows || limits.variables == 0)
    return false;
  if (std::any_of(island.groups.begin(), island.groups.end(),
                  [](const Group& g) { return g.set.law == Law::disc; }))
    return false;
  return std::any_of(island.groups.begin(), island.groups.end(), [](const Group& g) {
    return g.set.law == Law::coulomb && g.rows == 3 && g.set.mu > 0 && g.set.corners.empty();
  });
}

IterationResult solve_by_pyramids(const Island& island, const PyramidLimits& limits,
                                  PyramidBuffers& b, std::vector<double>& r,
                                  std::vector<double>& v) {
  velocities_from_impulses(island, r, v);
  IterationResult result{0, residual(island, r, v)};
  fill_delassus(island, b.least.W);
  std::vector<double>& trial = b.course;
  trial = r;
  auto take = [&](const IterationResult& found) {
    result.iterations += found.iterations;
    if (!(found.residual < result.residual)) return;
    result.residual = found.residual;
    r = trial;
  };
  take(least_steps(island, limits.tolerance, singular_pivots[0], b.least, trial, v));
  for (const int k : facets) {
    if (result.residual <= limits.tolerance || island.interrupted()) break;
    b.island = island;
    for (Group& g : b.island.groups)
      if (g.set.law == Law::coulomb && g.rows == 3 && g.set.corners.empty())
        g.set.corners = problem::regular_polygon(k);
    std::fill(trial.begin(), trial.end(), 0.0);
    const IterationResult pivoted = lemke(b.island,
                                          {.tolerance = std::min(1e-6, limits.tolerance),
                                           .draws = 3,
                                           .variables = limits.variables,
                                           .warm_pivots = 0},
                                          b.lemke, trial, v);
    result.iterations += pivoted.iterations;
    if (!(pivoted.residual <= near_residual)) continue;
    b.vertex = trial;
    for (const double singular : singular_pivots) {
      if (result.residual <= limits.tolerance) break;
      trial = b.vertex;
      take(least_steps(island, limits.tolerance, singular, b.least, trial, v));
    }
  }
  velocities_from_impulses(island, r, v);
  return result;
}

}  // namespace cairn::solver
