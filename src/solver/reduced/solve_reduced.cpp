// solve() of reduced problems (E5): islands by the graph of W, one method on each, certificate.
#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "cairn/solver.hpp"
#include "problem/conventions.hpp"
#include "solver/reduced/automatic_reduced.hpp"

namespace cairn {
namespace {

using Impulses = std::vector<double>;

}  // namespace

Result<void> accepts(const SolverOptions& options, const ReducedProblem& problem) {
  if (!std::holds_alternative<Lemke>(options)) return {};
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    solver::LocalConstraint g;
    g.set = problem::law_set(problem.constraints[i]);
    g.rows = g.set.rows;
    if (solver::is_linear(g)) continue;
    return fail({.code = ErrorCode::unsupported,
                 .path = "constraints[" + std::to_string(i) + "]",
                 .what = "lemke cannot take an exact friction cone in space",
                 .got = "facets 0",
                 .allowed = "facets 3 to 64, or planar contacts",
                 .fix = "set facets (8 or 16), or use the solver auto"});
  }
  return {};
}

namespace {

void solve_unguarded(const ReducedProblem& problem, const SolverOptions& options,
                     const Interrupt& interrupt, ReducedSolution& solution) {
  problem::dcheck_reduced(problem);
  if (solution.lambda.size() != problem.rows()) solution.lambda.setZero(problem.rows());
  solution.iterations = solution.fallbacks = 0;
  solution.method = "none";
  const std::vector<double> d = problem::row_scales(problem);
  const problem::ReducedIslands islands = problem::find_islands(problem);
  solution.islands = islands.count;
  bool ray = false;
  solver::StopSignal stop;
  stop.begin(interrupt, nullptr, 0);
  solver::ReducedIsland island;
  island.stop = &stop;
  solver::ReducedBuffers buffers;
  Impulses r, u;
  for (int i = 0; i < islands.count; ++i) {
    solver::make_island(problem, islands, d, i, island);
    // The warm start, scaled and moved into the law's set.
    r.assign(base::at(island.rows), 0.0);
    for (const solver::ReducedGroup& g : island.groups) {
      double z[max_rows];
      for (int k = 0; k < g.rows; ++k)
        z[k] = g.d * solution.lambda[problem.first_row[base::at(g.source)] + k];
      problem::project(g.set, z, &r[base::at(g.first)]);
    }
    const solver::MethodResult result = std::visit(
        [&](const auto& o) { return solver::run_method(island, o, buffers, r, u); }, options);
    solution.iterations += result.iteration.iterations;
    solution.fallbacks += result.fallback ? 1 : 0;
    ray = ray || (result.iteration.ray && !(result.iteration.residual <= tolerance(options)));
    if (island.scale > 0) solution.method = result.method;
    for (const solver::ReducedGroup& g : island.groups)
      for (int k = 0; k < g.rows; ++k)
        solution.lambda[problem.first_row[base::at(g.source)] + k] = r[base::at(g.first + k)] / g.d;
  }
  problem::constraint_velocities(problem, solution.lambda, solution.w);
  solution.certificate = certify(problem, solution.lambda);
  solution.status = solution.certificate.within(tolerance(options)) ? SolveStatus::solved
                    : stop.stopped()                                ? SolveStatus::interrupted
                    : ray                                           ? SolveStatus::ray
                                                                    : SolveStatus::not_certified;
}

}  // namespace

void solve(const ReducedProblem& problem, const SolverOptions& options, ReducedSolution& solution,
           const Interrupt& interrupt) {
  const VecX start = solution.lambda;
  solution.message.clear();
  try {
    solve_unguarded(problem, options, interrupt, solution);
  } catch (const std::exception& fault) {
    solution = {};
    solution.lambda = start;
    if (dynamic_cast<const std::bad_alloc*>(&fault)) throw;
    solution.status = SolveStatus::internal_error;
    solution.message = fault.what();
  }
}

}  // namespace cairn
