// solve(): islands, one method on each, certificate. Reads the problem and a warm start, writes the
// solution.
#include <algorithm>
#include <cmath>

#include "cairn/solver.hpp"
#include "solve/automatic.hpp"
#include "solve/lemke.hpp"
#include "solve/newton.hpp"

namespace cairn {

const char* name(const SolverOptions& options) {
  static constexpr const char* names[] = {"auto", "nsgs", "newton", "lemke",
                                          "admm", "ipm",  "apgd",   "bb"};
  return names[options.index()];
}

double tolerance(const SolverOptions& options) {
  return std::visit([](const auto& o) { return o.tolerance; }, options);
}

struct SolverWorkspace::Buffers {
  Islands islands;
  Island island;
  std::vector<double> r, v;
  MethodBuffers methods;
};

SolverWorkspace::SolverWorkspace() : buffers_(std::make_unique<Buffers>()) {}
SolverWorkspace::~SolverWorkspace() = default;
SolverWorkspace::SolverWorkspace(SolverWorkspace&&) noexcept = default;
SolverWorkspace& SolverWorkspace::operator=(SolverWorkspace&&) noexcept = default;

Result<void> accepts(const SolverOptions& options, const Problem& problem) {
  if (std::holds_alternative<Nsgs>(options) && !problem.couplings.empty() &&
      problem.rows() > most_dense_rows)
    return fail({.path = "couplings",
                 .what = "nsgs takes coupled bodies with few constraints only, since W is dense",
                 .got = std::to_string(problem.rows()) + " rows",
                 .allowed = "up to " + std::to_string(most_dense_rows),
                 .fix = "use newton, admm, ipm or auto"});
  if (!std::holds_alternative<Lemke>(options)) return {};
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    if (!has_cone(c.law) || c.rows < 3 || c.facets > 0 || c.mu == 0) continue;
    return fail({.path = "constraints[" + std::to_string(i) + "]",
                 .what = "lemke cannot take an exact friction cone in space",
                 .got = "facets 0",
                 .allowed = "facets 3 to 64, or planar contacts",
                 .fix = "set facets (8 or 16), or use the solver auto"});
  }
  return {};
}

namespace {

// Warm start of an island: the given impulses, scaled, moved into the law's set.
void load(const Island& island, const Problem& problem, const VecX& lambda,
          std::vector<double>& r) {
  r.assign(static_cast<std::size_t>(island.rows), 0.0);
  for (const Group& g : island.groups) {
    double z[max_rows];
    for (int k = 0; k < g.rows; ++k)
      z[k] = g.d * lambda[problem.first_row[static_cast<std::size_t>(g.source)] + k];
    project(g.set, z, &r[static_cast<std::size_t>(g.first)]);
  }
}

void store(const Island& island, const Problem& problem, const std::vector<double>& r,
           const std::vector<double>& v, Solution& solution) {
  for (const Group& g : island.groups)
    for (int k = 0; k < g.rows; ++k)
      solution.lambda[problem.first_row[static_cast<std::size_t>(g.source)] + k] =
          r[static_cast<std::size_t>(g.first + k)] / g.d;
  for (std::size_t i = 0; i < island.bodies.size(); ++i)
    body_velocity(island, i, v.data(),
                  solution.v.data() +
                      problem.bodies[static_cast<std::size_t>(island.bodies[i].source)].first);
}

}  // namespace

void solve(const Problem& problem, const SolverOptions& options, SolverWorkspace& workspace,
           Solution& solution) {
  auto& b = workspace.buffers();
  if (solution.lambda.size() != problem.rows()) solution.lambda.setZero(problem.rows());
  solution.v.resize(problem.velocities());
  solution.iterations = solution.fallbacks = 0;
  solution.method = "none";
  find_islands(problem, b.islands);
  solution.islands = b.islands.count;
  for (int i = 0; i < b.islands.count; ++i) {
    make_island(problem, b.islands, i, b.island);
    load(b.island, problem, solution.lambda, b.r);
    if (b.island.groups.empty()) {
      b.v = b.island.v_free;
    } else {
      const MethodResult result = std::visit(
          [&](const auto& o) { return run_method(b.island, o, b.methods, b.r, b.v); }, options);
      solution.iterations += result.iteration.iterations;
      solution.fallbacks += result.fallback ? 1 : 0;
      solution.method = result.method;
    }
    store(b.island, problem, b.r, b.v, solution);
  }
  solution.certificate = certify(problem, solution.v, solution.lambda);
  solution.status = solution.certificate.within(tolerance(options)) ? SolveStatus::solved
                                                                    : SolveStatus::not_certified;
}

}  // namespace cairn
