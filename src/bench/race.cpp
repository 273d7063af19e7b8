#include "bench/race.hpp"

#include <algorithm>
#include <cmath>

#include "bench/packing.hpp"
#include "problem/samples/sample_problems.hpp"

namespace cairn::bench {
namespace {

std::vector<double> masses(int count, double ratio) {
  std::vector<double> result;
  for (int i = 0; i < count; ++i)
    result.push_back(std::pow(ratio, static_cast<double>(i) / (count - 1)));
  return result;
}

Problem relaxed(Problem problem) {
  for (Constraint& c : problem.constraints)
    if (c.law == Law::coulomb) c.law = Law::coulomb_relaxed;
  return problem;
}

const Packing& packing() {
  static const Packing settled = settled_spheres(10, 80, 1, 1e-4);
  return settled;
}

struct Entry {
  const char* name;
  RaceCase (*make)();
};

constexpr problem::SampleSettings rest{.kick = 0}, kicked{};
const Entry entries[] = {
    {"stack10", [] { return RaceCase{.problem = problem::cube_stack(masses(10, 1), rest)}; }},
    {"stack10_ratio1e3",
     [] { return RaceCase{.problem = problem::cube_stack(masses(10, 1e3), rest)}; }},
    {"stack10_ratio1e6",
     [] { return RaceCase{.problem = problem::cube_stack(masses(10, 1e6), rest)}; }},
    {"stack10_kicked",
     [] { return RaceCase{.problem = problem::cube_stack(masses(10, 1), kicked)}; }},
    {"stack10_kicked_1e6",
     [] { return RaceCase{.problem = problem::cube_stack(masses(10, 1e6), kicked)}; }},
    {"stack100", [] { return RaceCase{.problem = problem::cube_stack(masses(100, 1), rest)}; }},
    {"stack100_kicked",
     [] { return RaceCase{.problem = problem::cube_stack(masses(100, 1), kicked)}; }},
    {"pyramid15", [] { return RaceCase{.problem = problem::cube_pyramid(15, rest)}; }},
    {"pyramid15_kicked", [] { return RaceCase{.problem = problem::cube_pyramid(15, kicked)}; }},
    {"chain100", [] { return RaceCase{.problem = problem::link_chain(100, false, kicked)}; }},
    {"chain1000", [] { return RaceCase{.problem = problem::link_chain(1000, false, kicked)}; }},
    {"chain50_floor", [] { return RaceCase{.problem = problem::link_chain(50, true, kicked)}; }},
    {"packing_cold", [] { return RaceCase{.problem = packing().problem, .dense = true}; }},
    {"packing_warm",
     [] { return RaceCase{.problem = packing().problem, .warm = packing().warm, .dense = true}; }},
    {"stack10_relaxed",
     [] { return RaceCase{.problem = relaxed(problem::cube_stack(masses(10, 1), kicked))}; }},
    {"pyramid15_relaxed",
     [] { return RaceCase{.problem = relaxed(problem::cube_pyramid(15, kicked))}; }},
    {"packing_relaxed",
     [] { return RaceCase{.problem = relaxed(packing().problem), .dense = true}; }},
};

// Work is bounded: so many iterations that first-order methods take about a second and a half.
int budget(const Problem& problem) {
  return std::clamp(static_cast<int>(3e7 / std::max(1, problem.rows())), 100, 20000);
}

// `dense`: a factorisation takes a second as well.
void limit(SolverOptions& options, int iterations, bool dense) {
  struct {
    int iterations;
    bool dense;
    void operator()(Auto& o) const {
      o.max_sweeps = std::min(o.max_sweeps, iterations);
      if (dense) o.max_iterations = 1;
    }
    void operator()(Nsgs& o) const { o.max_sweeps = iterations; }
    void operator()(Newton&) const {}
    void operator()(Lemke&) const {}
    void operator()(Ipm&) const {}
    void operator()(Admm& o) const { o.max_iterations = std::min(o.max_iterations, iterations); }
    void operator()(Apgd& o) const { o.max_iterations = iterations; }
    void operator()(Bb& o) const { o.max_iterations = iterations; }
  } visitor{iterations, dense};
  std::visit(visitor, options);
}

}  // namespace

std::vector<std::string> race_case_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

RaceCase race_case(const std::string& name) {
  for (const Entry& entry : entries) {
    if (name != entry.name) continue;
    RaceCase result = entry.make();
    result.name = name;
    return result;
  }
  CAIRN_CHECK(name.empty());  // not one of race_case_names()
  return {};
}

std::vector<RaceSolver> race_solvers() {
  return {{"auto", Auto{}, false},    {"nsgs", Nsgs{}, false},
          {"newton", Newton{}, true}, {"admm", Admm{}, true},
          {"ipm", Ipm{}, true},       {"apgd", Apgd{}, false},
          {"bb", Bb{}, false},        {"gs", Nsgs{.accelerate = false}, false}};
}

std::vector<RaceTarget> race_targets() {
  return {{"stack10", 1e-12, 0.6},          {"stack10_ratio1e3", 1e-12, 0.6},
          {"stack10_ratio1e6", 1e-12, 0.6}, {"stack100", 1e-8, 3},
          {"pyramid15", 1e-8, 6},           {"chain100", 1e-8, 1},
          {"chain1000", 1e-8, 10},          {"packing_warm", 1e-3, 5},
          {"packing_warm", 1e-4, 100},      {"packing_relaxed", 1e-4, 60}};
}

RaceTimes race(const RaceCase& contest, const RaceSolver& solver, double (*seconds)()) {
  RaceTimes times;
  SolverWorkspace workspace;
  Solution solution;
  for (std::size_t i = 0; i < race_levels.size(); ++i) {
    SolverOptions options = solver.options;
    std::visit([&](auto& o) { o.tolerance = race_levels[i]; }, options);
    limit(options, budget(contest.problem), contest.dense);
    RaceTime& time = times[i];
    time.run = true;
    // The first one warms the memory up; slow ones are measured once, quick ones often.
    double total = 0;
    for (int repeat = 0; repeat == 0 || total < (repeat < 6 ? 0.3 : 0.02); ++repeat) {
      solution.lambda = contest.warm;
      const double start = seconds();
      solve(contest.problem, options, workspace, solution);
      const double took = seconds() - start;
      time.ms = repeat == 0 ? 1e3 * took : std::min(time.ms, 1e3 * took);
      total += took;
    }
    time.solved = solution.status == SolveStatus::solved;
    time.residual = solution.certificate.worst;
    time.iterations = solution.iterations;
    if (!time.solved) break;
  }
  return times;
}

}  // namespace cairn::bench
