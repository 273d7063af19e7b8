#include "terminal/attempt.hpp"

#include <cmath>
#include <ctime>
#include <stdexcept>

#include "problem/reduced_view.hpp"

namespace cairn::app {
namespace {

double processor_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

template <class AnySolution>
void take_solution(const AnySolution& solution, Attempt& result) {
  if (solution.status == SolveStatus::internal_error) throw std::logic_error(solution.message);
  result.status = solution.status;
  result.certificate = solution.certificate;
  result.method = solution.method;
  result.iterations = solution.iterations;
  result.islands = solution.islands;
  result.fallbacks = solution.fallbacks;
  if constexpr (std::is_same_v<AnySolution, Solution>) {  // reduced problems keep no log
    result.work = solution.work;
    result.methods = solution.attempts;
    result.left_out = solution.attempts_left_out;
  }
  result.lambda = solution.lambda;
}

void run(const Problem& problem, const Interrupt& interrupt, Attempt& result) {
  SolverWorkspace workspace;
  workspace.set_interrupt(interrupt);
  Solution solution;
  cairn::solve(problem, result.solver, workspace, solution);
  take_solution(solution, result);
  result.v = solution.v;
  const int worst = result.certificate.worst_constraint;
  result.worst_row =
      worst < 0 ? "momentum balance" : problem.names[static_cast<std::size_t>(worst)];
}

void run(const ReducedProblem& problem, const Interrupt& interrupt, Attempt& result) {
  ReducedSolution solution;
  cairn::solve(problem, result.solver, solution, interrupt);
  take_solution(solution, result);
  result.w = solution.w;
  const int worst = result.certificate.worst_constraint;
  result.worst_row = worst < 0 ? "none" : problem::constraint_name(problem, worst);
}

}  // namespace

Attempt attempt(const problem::AnyProblem& problem, const SolverOptions& solver,
                const Interrupt& interrupt) {
  Attempt result;
  result.solver = solver;
  std::visit(
      [&](const auto& p) {
        const Result<void> accepted = accepts(solver, p);
        if (!accepted) {
          result.refusal = accepted.error().front().text();
          return;
        }
        const double start = processor_ms();
        run(p, interrupt, result);
        result.cpu_ms = processor_ms() - start;
      },
      problem);
  return result;
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

Json as_json(const Attempt& a) {
  Json json;
  json["status"] = a.refusal.empty() ? name(a.status) : "refused";
  json["solver"] = name(a.solver);
  json["tolerance"] = tolerance(a.solver);
  if (!a.refusal.empty()) {
    json["reason"] = a.refusal;
    return json;
  }
  json["method"] = a.method;
  json["iterations"] = a.iterations;
  json["islands"] = a.islands;
  json["fallbacks"] = a.fallbacks;
  json["cpu_ms"] = a.cpu_ms;
  json["certificate"] = {
      {"worst", a.certificate.worst}, {"row", a.worst_row}, {"finite", a.certificate.finite}};
  json["certificate"].update(residuals(a.certificate));
  if (a.methods.empty()) return json;
  json["work"] = a.work;
  json["attempts_left_out"] = a.left_out;
  for (const SolveAttempt& m : a.methods) {
    Json entry = {{"method", m.method}, {"island", m.island}, {"iterations", m.iterations}};
    if (std::isfinite(m.before))
      entry["before"] = m.before;  // of a start that was not judged: none
    if (std::isfinite(m.after)) entry["after"] = m.after;
    entry["work"] = m.work;
    json["attempts"].push_back(entry);
  }
  return json;
}

}  // namespace cairn::app
