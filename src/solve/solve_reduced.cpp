// solve() of reduced problems (E5): islands by the graph of W, one method on each, certificate.
#include <algorithm>
#include <cmath>

#include "cairn/solver.hpp"
#include "solve/automatic_reduced.hpp"

namespace cairn {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

using Impulses = std::vector<double>;

MethodResult run(const ReducedIsland& island, const Nsgs& o, ReducedBuffers& b, Impulses& r,
                 Impulses& u) {
  return {
      nsgs(island, {.tolerance = o.tolerance, .sweeps = o.max_sweeps, .accelerate = o.accelerate},
           b.nsgs, r, u),
      "nsgs", false};
}

MethodResult run(const ReducedIsland& island, const Newton& o, ReducedBuffers& b, Impulses& r,
                 Impulses& u) {
  return {newton(island, {.tolerance = o.tolerance, .factorisations = o.max_iterations, .rho = 1e3},
                 b.newton, r, u),
          "newton", false};
}

MethodResult run(const ReducedIsland& island, const Lemke& o, ReducedBuffers& b, Impulses& r,
                 Impulses& u) {
  const LemkeLimits limits{
      .tolerance = o.tolerance, .pivots = o.max_pivots, .draws = o.draws, .seed = o.seed};
  return {lemke(island, limits, b.lemke, r, u), "lemke", false};
}

MethodResult run(const ReducedIsland& island, const Admm& o, ReducedBuffers& b, Impulses& r,
                 Impulses& u) {
  b.coupling.attach(island);
  const IterationResult result =
      admm(b.coupling, {.tolerance = o.tolerance, .iterations = o.max_iterations}, b.admm, r);
  velocities_from_impulses(island, r, u);
  return {result, "admm", false};
}

MethodResult run(const ReducedIsland& island, const Ipm& o, ReducedBuffers& b, Impulses& r,
                 Impulses& u) {
  b.coupling.attach(island);
  const IterationResult first =
      ipm(b.coupling, {.tolerance = o.tolerance, .iterations = o.max_iterations}, b.ipm, r);
  velocities_from_impulses(island, r, u);
  if (first.residual <= o.tolerance || !o.polish) return {first, "ipm", false};
  IterationResult second = newton(
      island, {.tolerance = o.tolerance, .factorisations = o.max_iterations}, b.newton, r, u);
  second.iterations += first.iterations;
  return {second, "newton", false};
}

FirstOrderLimits limits(const auto& o) {
  return {.tolerance = o.tolerance, .iterations = o.max_iterations, .refresh = o.refresh};
}

MethodResult run(const ReducedIsland& island, const Apgd& o, ReducedBuffers& b, Impulses& r,
                 Impulses& u) {
  b.coupling.attach(island);
  const IterationResult result = apgd(b.coupling, limits(o), b.apgd, r);
  velocities_from_impulses(island, r, u);
  return {result, "apgd", false};
}

MethodResult run(const ReducedIsland& island, const Bb& o, ReducedBuffers& b, Impulses& r,
                 Impulses& u) {
  b.coupling.attach(island);
  const IterationResult result = bb(b.coupling, limits(o), b.bb, r);
  velocities_from_impulses(island, r, u);
  return {result, "bb", false};
}

MethodResult run(const ReducedIsland& island, const Auto& o, ReducedBuffers& b, Impulses& r,
                 Impulses& u) {
  return automatic(island, o, b, r, u);
}

}  // namespace

Result<void> accepts(const SolverOptions& options, const ReducedProblem& problem) {
  if (!std::holds_alternative<Lemke>(options)) return {};
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    LocalConstraint g;
    g.set = law_set(problem.constraints[i]);
    g.rows = g.set.rows;
    if (is_linear(g)) continue;
    return fail({.path = "constraints[" + std::to_string(i) + "]",
                 .what = "lemke cannot take an exact friction cone in space",
                 .got = "facets 0",
                 .allowed = "facets 3 to 64, or planar contacts",
                 .fix = "set facets (8 or 16), or use the solver auto"});
  }
  return {};
}

void solve(const ReducedProblem& problem, const SolverOptions& options, ReducedSolution& solution) {
  if (solution.lambda.size() != problem.rows()) solution.lambda.setZero(problem.rows());
  solution.iterations = solution.fallbacks = 0;
  solution.method = "none";
  const std::vector<double> d = row_scales(problem);
  const ReducedIslands islands = find_islands(problem);
  solution.islands = islands.count;
  bool ray = false;
  ReducedIsland island;
  ReducedBuffers buffers;
  Impulses r, u;
  for (int i = 0; i < islands.count; ++i) {
    make_island(problem, islands, d, i, island);
    // The warm start, scaled and moved into the law's set.
    r.assign(at(island.rows), 0.0);
    for (const ReducedGroup& g : island.groups) {
      double z[max_rows];
      for (int k = 0; k < g.rows; ++k)
        z[k] = g.d * solution.lambda[problem.first_row[at(g.source)] + k];
      project(g.set, z, &r[at(g.first)]);
    }
    const MethodResult result =
        std::visit([&](const auto& o) { return run(island, o, buffers, r, u); }, options);
    solution.iterations += result.iteration.iterations;
    solution.fallbacks += result.fallback ? 1 : 0;
    ray = ray || (result.iteration.ray && !(result.iteration.residual <= tolerance(options)));
    if (island.scale > 0) solution.method = result.method;
    for (const ReducedGroup& g : island.groups)
      for (int k = 0; k < g.rows; ++k)
        solution.lambda[problem.first_row[at(g.source)] + k] = r[at(g.first + k)] / g.d;
  }
  constraint_velocities(problem, solution.lambda, solution.w);
  solution.certificate = certify(problem, solution.lambda);
  solution.status = solution.certificate.within(tolerance(options)) ? SolveStatus::solved
                    : ray                                           ? SolveStatus::ray
                                                                    : SolveStatus::not_certified;
}

}  // namespace cairn
