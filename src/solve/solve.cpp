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

MethodResult run(const Island& island, const Nsgs& o, MethodBuffers& b, std::vector<double>& r,
                 std::vector<double>& v) {
  return {
      nsgs(island, {.tolerance = o.tolerance, .sweeps = o.max_sweeps, .accelerate = o.accelerate},
           b.nsgs, r, v),
      "nsgs", false};
}

MethodResult run(const Island& island, const Newton& o, MethodBuffers& b, std::vector<double>& r,
                 std::vector<double>& v) {
  return {newton(island, {.tolerance = o.tolerance, .factorisations = o.max_iterations, .rho = 1e3},
                 b.newton, r, v),
          "newton", false};
}

MethodResult run(const Island& island, const Lemke& o, MethodBuffers& b, std::vector<double>& r,
                 std::vector<double>& v) {
  const LemkeLimits limits{
      .tolerance = o.tolerance, .pivots = o.max_pivots, .draws = o.draws, .seed = o.seed};
  return {lemke(island, limits, b.lemke, r, v), "lemke", false};
}

MethodResult run(const Island& island, const Admm& o, MethodBuffers& b, std::vector<double>& r,
                 std::vector<double>& v) {
  b.coupling.attach(island);
  const IterationResult result =
      admm(b.coupling, {.tolerance = o.tolerance, .iterations = o.max_iterations}, b.admm, r);
  velocities_from_impulses(island, r, v);
  return {result, "admm", false};
}

MethodResult run(const Island& island, const Ipm& o, MethodBuffers& b, std::vector<double>& r,
                 std::vector<double>& v) {
  b.coupling.attach(island);
  const IterationResult first =
      ipm(b.coupling, {.tolerance = o.tolerance, .iterations = o.max_iterations}, b.ipm, r);
  velocities_from_impulses(island, r, v);
  if (first.residual <= o.tolerance || !o.polish) return {first, "ipm", false};
  IterationResult second = newton(
      island, {.tolerance = o.tolerance, .factorisations = o.max_iterations}, b.newton, r, v);
  second.iterations += first.iterations;
  return {second, "newton", false};
}

MethodResult run(const Island& island, const Apgd& o, MethodBuffers& b, std::vector<double>& r,
                 std::vector<double>& v) {
  b.coupling.attach(island);
  const FirstOrderLimits limits{
      .tolerance = o.tolerance, .iterations = o.max_iterations, .refresh = o.refresh};
  const IterationResult result = apgd(b.coupling, limits, b.apgd, r);
  velocities_from_impulses(island, r, v);
  return {result, "apgd", false};
}

MethodResult run(const Island& island, const Bb& o, MethodBuffers& b, std::vector<double>& r,
                 std::vector<double>& v) {
  b.coupling.attach(island);
  const FirstOrderLimits limits{
      .tolerance = o.tolerance, .iterations = o.max_iterations, .refresh = o.refresh};
  const IterationResult result = bb(b.coupling, limits, b.bb, r);
  velocities_from_impulses(island, r, v);
  return {result, "bb", false};
}

MethodResult run(const Island& island, const Auto& o, MethodBuffers& b, std::vector<double>& r,
                 std::vector<double>& v) {
  return automatic(island, o, b, r, v);
}

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
      const MethodResult result =
          std::visit([&](const auto& o) { return run(b.island, o, b.methods, b.r, b.v); }, options);
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
