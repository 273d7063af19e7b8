// cairn solve: one problem file, one solver, the certificate of the answer.
#include <fmt/format.h>
#include <type_traits>
#include <utility>

#include "base/suggestion.hpp"
#include "cairn/options.hpp"
#include "cairn/solver.hpp"
#include "commands.hpp"
#include "input_file.hpp"
#include "json.hpp"
#include "problem/problem_file.hpp"
#include "terminal.hpp"

namespace cairn::app {
namespace {

Error usage(const std::string& what, const std::string& got, const std::string& allowed,
            const std::string& fix = "") {
  Error error;
  error.kind = ErrorKind::usage;
  error.what = what;
  error.got = got;
  error.allowed = allowed;
  error.fix = fix;
  return error;
}

// All solvers with their defaults, in the order of the variant.
template <std::size_t... i>
std::vector<SolverOptions> all_solvers(std::index_sequence<i...>) {
  return {SolverOptions(std::variant_alternative_t<i, SolverOptions>{})...};
}

Result<SolverOptions> solver_named(const std::string& solver) {
  const auto solvers = all_solvers(std::make_index_sequence<std::variant_size_v<SolverOptions>>());
  std::vector<std::string_view> names;
  std::string list;
  for (const SolverOptions& each : solvers) {
    if (solver == name(each)) return each;
    names.emplace_back(name(each));
    list += (list.empty() ? "" : ", ") + std::string(name(each));
  }
  return fail(usage("unknown solver", solver, list, did_you_mean(solver, names)));
}

Result<SolverOptions> chosen_solver(const SolveOptions& options) {
  Result<SolverOptions> solver = solver_named(options.solver);
  if (!solver || !options.tolerance) return solver;
  const double x = *options.tolerance;
  if (!(x > tolerance_range.lo && x <= tolerance_range.hi))
    return fail(usage("--tolerance out of range", fmt::format("{}", x),
                      fmt::format("above {}, at most {}", tolerance_range.lo, tolerance_range.hi)));
  std::visit([x](auto& each) { each.tolerance = x; }, *solver);
  return solver;
}

const char* row_name(const Problem& problem, int constraint) {
  if (constraint < 0) return "momentum balance";
  return problem.names[static_cast<std::size_t>(constraint)].c_str();
}

Json residuals(const Certificate& c) {
  return {{"momentum", c.momentum},
          {"equality", c.equality},
          {"gap_velocity", c.gap_velocity},
          {"normal_impulse", c.normal_impulse},
          {"complementarity", c.complementarity},
          {"cone", c.cone},
          {"natural_map", c.natural_map}};
}

Json as_json(const SolveOptions& options, const Problem& problem, const SolverOptions& solver,
             const Solution& solution) {
  const Certificate& c = solution.certificate;
  const Units& u = problem.units;
  Json json;
  json["problem"] = options.problem;
  json["solver"] = name(solver);
  json["tolerance"] = tolerance(solver);
  json["status"] = c.within(tolerance(solver)) ? "certified" : "uncertified";
  json["certificate"] = {
      {"worst", c.worst}, {"row", row_name(problem, c.worst_constraint)}, {"finite", c.finite}};
  json["certificate"]["residuals"] = residuals(c);
  json["method"] = solution.method;
  json["iterations"] = solution.iterations;
  json["islands"] = solution.islands;
  json["fallbacks"] = solution.fallbacks;
  json["units"] = {{"mass", u.mass}, {"length", u.length}, {"time", u.time}};
  json["v"] = std::vector<double>(solution.v.begin(), solution.v.end());
  Json& impulses = json["constraints"] = Json::array();
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const double* first = solution.lambda.data() + problem.first_row[i];
    const std::vector<double> lambda(first, first + problem.constraints[i].rows);
    impulses.push_back({{"name", problem.names[i]}, {"lambda", lambda}});
  }
  return json;
}

std::string as_text(const Problem& problem, const SolverOptions& solver, const Solution& solution) {
  const Certificate& c = solution.certificate;
  std::string text =
      fmt::format("{}: worst residual {:.2e} at {}, tolerance {:.0e}\n",
                  c.within(tolerance(solver)) ? "certified" : "NOT CERTIFIED", c.worst,
                  printable(row_name(problem, c.worst_constraint)), tolerance(solver));
  text += fmt::format("problem      {} bodies, {} velocities, {} constraints, {} rows\n",
                      problem.bodies.size(), problem.velocities(), problem.constraints.size(),
                      problem.rows());
  text += fmt::format("solver       {}, last method {}, {} iterations, {} islands, {} fallbacks\n",
                      name(solver), solution.method, solution.iterations, solution.islands,
                      solution.fallbacks);
  const Json list = residuals(c);
  for (const auto& item : list.items())
    text += fmt::format("  {:<16} {:.2e}\n", item.key(), item.value().get<double>());
  return text;
}

}  // namespace

int solve(const SolveOptions& options) {
  const Result<SolverOptions> solver = chosen_solver(options);
  if (!solver) return report(solver.error());
  const Result<void> input = check_input(options.problem, "problem file");
  if (!input) return report(input.error());
  const Result<Problem> problem = read_problem(options.problem);
  if (!problem) return report(problem.error());
  const Result<void> accepted = accepts(*solver, *problem);
  if (!accepted) return report(accepted.error());

  SolverWorkspace workspace;
  Solution solution;
  cairn::solve(*problem, *solver, workspace, solution);
  print(options.json ? text(as_json(options, *problem, *solver, solution))
                     : as_text(*problem, *solver, solution));
  return solution.certificate.within(tolerance(*solver)) ? exit_ok : exit_failed;
}

}  // namespace cairn::app
