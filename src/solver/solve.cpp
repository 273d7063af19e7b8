// solve(): islands, one method on each, certificate. Reads the problem and a warm start, writes the
// solution.
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <numeric>

#include "cairn/solver.hpp"
#include "problem/certify.hpp"
#include "problem/conventions.hpp"
#include "solver/auto/automatic.hpp"
#include "solver/island/settle.hpp"
#include "solver/newton/newton.hpp"
#include "solver/pivot/lemke.hpp"
#include "solver/unguarded.hpp"

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
  Interrupt interrupt;
  WorkMeter* meter = nullptr;
  solver::StopSignal stop;
  solver::AttemptLog log;
  problem::Islands islands;
  std::vector<int> order;  // of the islands
  solver::Island island;
  std::vector<double> r, v;
  std::vector<double> best, radii;  // of islands with discs
  solver::MethodBuffers methods;
  problem::CertifyScratch certify;
};

SolverWorkspace::SolverWorkspace() : buffers_(std::make_unique<Buffers>()) {}
SolverWorkspace::~SolverWorkspace() = default;
SolverWorkspace::SolverWorkspace(SolverWorkspace&&) noexcept = default;
SolverWorkspace& SolverWorkspace::operator=(SolverWorkspace&&) noexcept = default;

void SolverWorkspace::set_interrupt(const Interrupt& interrupt) {
  buffers_->interrupt = interrupt;
}

void SolverWorkspace::set_meter(WorkMeter* meter) {
  buffers_->meter = meter;
}

Result<void> accepts(const SolverOptions& options, const Problem& problem) {
  if (std::holds_alternative<Nsgs>(options) && !problem.couplings.empty() &&
      problem.rows() > solver::most_dense_rows)
    return fail({.code = ErrorCode::unsupported,
                 .path = "couplings",
                 .what = "nsgs takes coupled bodies with few constraints only, since W is dense",
                 .got = std::to_string(problem.rows()) + " rows",
                 .allowed = "up to " + std::to_string(solver::most_dense_rows),
                 .fix = "use newton, admm, ipm or auto"});
  if (!std::holds_alternative<Lemke>(options)) return {};
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    if (c.law == Law::disc && c.rows == 2)
      return fail({.code = ErrorCode::unsupported,
                   .path = "constraints[" + std::to_string(i) + "]",
                   .what = "lemke cannot take rolling friction in space",
                   .got = "law disc with two rows",
                   .allowed = "one row: torsional friction, planar contacts",
                   .fix = "use the solver auto"});
    if (!has_cone(c.law) || c.rows < 3 || c.facets > 0 || c.section || c.mu == 0) continue;
    return fail({.code = ErrorCode::unsupported,
                 .path = "constraints[" + std::to_string(i) + "]",
                 .what = "lemke cannot take an exact friction cone in space",
                 .got = "facets 0",
                 .allowed = "facets 3 to 64, or planar contacts",
                 .fix = "set facets (8 or 16), or use the solver auto"});
  }
  return {};
}

}  // namespace cairn

namespace cairn::solver {

namespace {

// Warm start of an island: the given impulses, scaled, moved into the law's set.
void load(const Island& island, const Problem& problem, const VecX& lambda,
          std::vector<double>& r) {
  r.assign(static_cast<std::size_t>(island.rows), 0.0);
  for (const Group& g : island.groups) {
    double z[max_rows];
    for (int k = 0; k < g.rows; ++k)
      z[k] = g.d * lambda[problem.first_row[static_cast<std::size_t>(g.source)] + k];
    // A disc has its radius from the impulses that are being loaded.
    if (g.tie >= 0)
      std::copy(z, z + g.rows, &r[static_cast<std::size_t>(g.first)]);
    else
      problem::project(g.set, z, &r[static_cast<std::size_t>(g.first)]);
  }
}

void store(const Island& island, const Problem& problem, const std::vector<double>& r,
           const std::vector<double>& v, Solution& solution) {
  for (const Group& g : island.groups)
    for (int k = 0; k < g.rows; ++k)
      solution.lambda[problem.first_row[static_cast<std::size_t>(g.source)] + k] =
          r[static_cast<std::size_t>(g.first + k)] / g.d;
  for (std::size_t i = 0; i < island.bodies.size(); ++i)
    if (const int source = island.bodies[i].source; source >= 0)
      body_velocity(island, i, v.data(),
                    solution.v.data() + problem.bodies[static_cast<std::size_t>(source)].first);
}

// `auto` logs its attempts itself.
MethodResult run(const Island& island, const SolverOptions& options, MethodBuffers& methods,
                 std::vector<double>& r, std::vector<double>& v) {
  const auto start = [&] {
    return std::visit([&](const auto& o) { return run_method(island, o, methods, r, v); }, options);
  };
  if (std::holds_alternative<Auto>(options) || !island.log) return start();
  velocities_from_impulses(island, r, v);
  const double before = residual(island, r, v), work = island.work();
  const MethodResult result = start();
  island.log->add(result.method, result.iteration.iterations, before, result.iteration.residual,
                  island.work() - work);
  return result;
}

// (E265): where the rounds do not settle, few sweeps a round, more where they gain nothing. How a
// face shares its load among its corners is not unique, and a method that finds another share in
// every round moves the bounds as much; sweeps stay near the impulses they start from.
void sweep_tied(const SolverOptions& options, double& least, SolverWorkspace::Buffers& b,
                MethodResult& total) {
  constexpr int fewest = 5, most = 320, all = 10000;
  const double enough = 0.5 * tolerance(options);  // the certificate may see a little more
  double last = std::numeric_limits<double>::infinity();
  b.r = b.best;
  if (least > enough) {
    total.fallback = true;
    total.method = "nsgs";
  }
  for (int sweeps = fewest, left = all; least > enough && left > 0 && !b.stop.stopped();
       left -= sweeps) {
    run(b.island, Nsgs{.tolerance = 0.1 * tolerance(options), .max_sweeps = sweeps}, b.methods, b.r,
        b.v);
    total.iteration.iterations += sweeps;
    follow_ties(b.island, b.r);
    velocities_from_impulses(b.island, b.r, b.v);
    const double now = residual(b.island, b.r, b.v);
    if (now < least) {
      least = now;
      b.best = b.r;
    }
    if (!(now < 0.9 * last)) sweeps = std::min(2 * sweeps, most);
    last = now;
  }
}

// (E243): the method with the radii that the impulses of the round before allow, until the law
// holds with its own. The radii go all the way, and less of it where that does not help, which
// damps what goes back and forth. `least` is the residual of b.best.
void rounds_of_radii(const SolverOptions& options, double& least, SolverWorkspace::Buffers& b,
                     MethodResult& total) {
  constexpr int most_rounds = 100, patience = 10;
  // Each round well below the tolerance, or what is left of it hides whether the radii settle.
  SolverOptions exact = options;
  std::visit([](auto& o) { o.tolerance *= 0.3; }, exact);
  double last = std::numeric_limits<double>::infinity(), share = 1;
  for (int round = 0, stalled = 0;; ++round) {
    b.radii.clear();
    for (const Group& g : b.island.groups) b.radii.push_back(g.set.hi);
    follow_ties(b.island, b.r);
    velocities_from_impulses(b.island, b.r, b.v);
    const double now = residual(b.island, b.r, b.v);
    stalled = now < 0.8 * least ? 0 : stalled + 1;
    if (now < least) {
      least = now;
      b.best = b.r;
    }
    const bool enough =
        b.stop.ask() || least <= 1e-14 || (least <= tolerance(options) && stalled > 1);
    if (enough || stalled > patience || round == most_rounds) break;
    if (round > 1 && !(now < 0.8 * last)) share = std::max(0.125, 0.5 * share);
    last = now;
    for (std::size_t i = 0; share < 1 && i < b.radii.size(); ++i)
      if (Group& g = b.island.groups[i]; g.tie >= 0)
        set_radius(b.radii[i] + share * (g.set.hi - b.radii[i]), g);
    const MethodResult result = run(b.island, exact, b.methods, b.r, b.v);
    total.iteration.iterations += result.iteration.iterations;
    total.fallback = total.fallback || result.fallback;
    total.method = result.method;
  }
}

MethodResult run_tied(const SolverOptions& options, SolverWorkspace::Buffers& b) {
  MethodResult total{{}, "warm", false};
  double least = std::numeric_limits<double>::infinity();
  rounds_of_radii(options, least, b, total);
  if (std::holds_alternative<Auto>(options)) {
    sweep_tied(options, least, b, total);
    // The impulses of the last step may lead to radii between which the rounds go back and forth.
    if (!(least <= tolerance(options)) && !b.stop.stopped()) {
      std::fill(b.r.begin(), b.r.end(), 0.0);
      rounds_of_radii(options, least, b, total);
      sweep_tied(options, least, b, total);
    }
  }
  b.r = b.best;
  velocities_from_impulses(b.island, b.r, b.v);
  return total;
}

// Islands with few constraints first: who interrupts a long solve waits for the largest.
void sort_by_size(const problem::Islands& islands, std::vector<int>& order) {
  const auto size = [&](int i) {
    const auto k = static_cast<std::size_t>(i);
    return islands.first_constraint[k + 1] - islands.first_constraint[k];
  };
  order.resize(static_cast<std::size_t>(islands.count));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int i, int j) { return std::pair(size(i), i) < std::pair(size(j), j); });
}

}  // namespace

Certificate certify(SolverWorkspace& workspace, const Problem& problem, const VecX& v,
                    const VecX& lambda) {
  return problem::certify_with(workspace.buffers().certify, problem, v, lambda);
}

void solve_unguarded(const Problem& problem, const SolverOptions& options,
                     SolverWorkspace& workspace, Solution& solution) {
  problem::dcheck_problem(problem);
  auto& b = workspace.buffers();
  if (solution.lambda.size() != problem.rows()) solution.lambda.setZero(problem.rows());
  solution.v.resize(problem.velocities());
  solution.iterations = solution.fallbacks = 0;
  solution.method = "none";
  b.stop.begin(b.interrupt, b.meter, problem.constraints.size());
  b.log.begin(solution.attempts);
  b.island.stop = &b.stop;
  b.island.log = &b.log;
  b.island.tolerance = tolerance(options);
  problem::find_islands(problem, b.islands);
  solution.islands = b.islands.count;
  sort_by_size(b.islands, b.order);
  b.methods.island = 0;
  for (const int i : b.order) {
    make_island(problem, b.islands, i, b.island);
    load(b.island, problem, solution.lambda, b.r);
    if (b.island.groups.empty()) {
      b.v = b.island.v_free;
    } else {
      const MethodResult result =
          b.island.tied ? run_tied(options, b) : run(b.island, options, b.methods, b.r, b.v);
      solution.iterations += result.iteration.iterations;
      solution.fallbacks += result.fallback ? 1 : 0;
      solution.method = result.method;
      b.log.end_island();
      settle(b.island, b.r, b.v);
      ++b.methods.island;
    }
    store(b.island, problem, b.r, b.v, solution);
  }
  solution.certificate = certify(workspace, problem, solution.v, solution.lambda);
  solution.status = solution.certificate.within(tolerance(options)) ? SolveStatus::solved
                    : b.stop.stopped() && !b.stop.out_of_budget()   ? SolveStatus::interrupted
                                                                    : SolveStatus::not_certified;
  solution.work = b.stop.work();
  solution.out_of_budget = b.stop.out_of_budget();
  solution.attempts_left_out = b.log.left_out();
  problem::dcheck_solution(problem, solution, tolerance(options));
}

}  // namespace cairn::solver

namespace cairn {

void solve(const Problem& problem, const SolverOptions& options, SolverWorkspace& workspace,
           Solution& solution) {
  const VecX start = solution.lambda;
  solution.message.clear();
  try {
    solver::solve_unguarded(problem, options, workspace, solution);
  } catch (const std::exception& fault) {
    // The buffers may be half written: the next solve begins with new ones.
    const Interrupt interrupt = workspace.buffers().interrupt;
    WorkMeter* meter = workspace.buffers().meter;
    workspace = SolverWorkspace();
    workspace.set_interrupt(interrupt);
    workspace.set_meter(meter);
    solution = {};
    solution.lambda = start;
    if (dynamic_cast<const std::bad_alloc*>(&fault)) throw;
    solution.status = SolveStatus::internal_error;
    solution.message = fault.what();
  }
}

}  // namespace cairn
