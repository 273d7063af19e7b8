// cairn solve: one problem file of any format, one solver or all, the certificate of the answer.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/suggestion.hpp"
#include "cairn/options.hpp"
#include "commands/commands.hpp"
#include "commands/impulse_analysis.hpp"
#include "problem/reduced_view.hpp"
#include "record/run/files.hpp"
#include "terminal/attempt.hpp"
#include "terminal/input_file.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

Error solve_usage(ErrorCode code, const std::string& what, const std::string& got,
                  const std::string& allowed, const std::string& fix = "") {
  Error error;
  error.kind = ErrorKind::usage;
  error.code = code;
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

// The solver of that name, or all of them.
Result<std::vector<SolverOptions>> solvers_named(const std::string& solver) {
  const auto solvers = all_solvers(std::make_index_sequence<std::variant_size_v<SolverOptions>>());
  if (solver == "all") return solvers;
  std::vector<std::string_view> names;
  std::string list;
  for (const SolverOptions& each : solvers) {
    if (solver == name(each)) return std::vector{each};
    names.emplace_back(name(each));
    list += std::string(name(each)) + ", ";
  }
  names.emplace_back("all");
  return fail(solve_usage(ErrorCode::unknown_choice, "unknown solver", solver, list + "all",
                          base::did_you_mean(solver, names)));
}

Result<std::vector<SolverOptions>> chosen_solvers(const SolveOptions& options) {
  Result<std::vector<SolverOptions>> solvers = solvers_named(options.solver);
  if (!solvers || !options.tolerance) return solvers;
  const double x = *options.tolerance;
  if (!(x > tolerance_range.lo && x <= tolerance_range.hi))
    return fail(
        solve_usage(ErrorCode::out_of_range, "--tolerance out of range", fmt::format("{}", x),
                    fmt::format("above {}, at most {}", tolerance_range.lo, tolerance_range.hi)));
  for (SolverOptions& solver : *solvers)
    std::visit([x](auto& each) { each.tolerance = x; }, solver);
  return solvers;
}

std::string sizes(const Problem& p) {
  return fmt::format("{} bodies, {} velocities, {} constraints, {} rows", p.bodies.size(),
                     p.velocities(), p.constraints.size(), p.rows());
}

std::string sizes(const ReducedProblem& p) {
  return fmt::format("{} constraints, {} rows, {} blocks of W", p.constraints.size(), p.rows(),
                     p.blocks.size());
}

// The answer itself, in the problem's units.
void add_answer(const problem::AnyProblem& problem, const Attempt& a, Json& json) {
  if (const auto* full = std::get_if<Problem>(&problem)) {
    const Units& u = full->units;
    json["units"] = {{"mass", u.mass}, {"length", u.length}, {"time", u.time}};
    json["v"] = std::vector<double>(a.v.begin(), a.v.end());
  }
  Json& impulses = json["constraints"] = Json::array();
  std::visit(
      [&](const auto& p) {
        for (std::size_t i = 0; i < p.constraints.size(); ++i) {
          const auto part = [&](const VecX& x) {
            const double* first = x.data() + p.first_row[i];
            return std::vector<double>(first, first + p.constraints[i].rows);
          };
          Json entry = {{"name", constraint_name(problem, i)}, {"lambda", part(a.lambda)}};
          if (a.w.size() > 0) entry["w"] = part(a.w);
          impulses.push_back(entry);
        }
      },
      problem);
}

std::string solve_verdict(const Attempt& a) {
  if (a.certified()) return "certified";
  if (a.status == SolveStatus::interrupted) return "NOT CERTIFIED (interrupted)";
  return a.status == SolveStatus::ray ? "NOT CERTIFIED (rays only)" : "NOT CERTIFIED";
}

std::string attempt_text(const problem::ProblemFile& input, const Attempt& a) {
  std::string text =
      fmt::format("{}: worst residual {:.2e} at {}, tolerance {:.0e}\n", solve_verdict(a),
                  a.certificate.worst, printable(a.worst_row), tolerance(a.solver));
  text += fmt::format("problem      {}: {}\n", input.format,
                      std::visit([](const auto& p) { return sizes(p); }, input.problem));
  text += fmt::format(
      "solver       {}, last method {}, {} iterations, {} islands, {} fallbacks, {:.3g} ms\n",
      name(a.solver), a.method, a.iterations, a.islands, a.fallbacks, a.cpu_ms);
  const Json list = residuals(a.certificate);
  for (const auto& item : list.items())
    text += fmt::format("  {:<16} {:.2e}\n", item.key(), item.value().get<double>());
  return text;
}

// One line per solver.
std::string table(const problem::ProblemFile& input, const std::vector<Attempt>& attempts) {
  std::string text = fmt::format("problem  {}: {}\n", input.format,
                                 std::visit([](const auto& p) { return sizes(p); }, input.problem));
  text += fmt::format("{:<8} {:<12} {:>10} {:>10} {:>11} {:>15} {:>9} {:>9} {:>9}\n", "solver",
                      "status", "iterations", "cpu ms", "natural map", "complementarity", "cone",
                      "equality", "worst");
  for (const Attempt& a : attempts) {
    if (!a.refusal.empty()) {
      text += fmt::format("{:<8} {:<12} {}\n", name(a.solver), "refused", a.refusal);
      continue;
    }
    const Certificate& c = a.certificate;
    text += fmt::format(
        "{:<8} {:<12} {:>10} {:>10.3f} {:>11.2e} {:>15.2e} {:>9.2e} {:>9.2e} {:>9.2e}\n",
        name(a.solver), name(a.status), a.iterations, a.cpu_ms, c.natural_map, c.complementarity,
        c.cone, c.equality, c.worst);
  }
  return text;
}

int answer_all(const SolveOptions& options, const problem::ProblemFile& input,
               const std::vector<SolverOptions>& solvers) {
  std::vector<Attempt> attempts;
  for (const SolverOptions& solver : solvers)
    if (received_signal() == 0) attempts.push_back(attempt(input.problem, solver, on_signal()));
  Json json = {{"problem", options.problem}, {"format", input.format}};
  for (const Attempt& a : attempts) json["solvers"].push_back(as_json(a));
  print(options.json ? text(json) : table(input, attempts));
  if (received_signal() != 0) return exit_signal + received_signal();
  const bool any =
      std::any_of(attempts.begin(), attempts.end(), [](const Attempt& a) { return a.certified(); });
  return any ? exit_ok : exit_failed;
}

}  // namespace

int solve(const SolveOptions& options) {
  if (options.solver == "all" && asks_for_analysis(options))
    return report({solve_usage(
        ErrorCode::conflict, "the impulses of one solver can be analysed, not of all",
        "--solver all", "one solver with --rank, --least-norm, --intervals, --jamming")});
  const Result<std::vector<SolverOptions>> solvers = chosen_solvers(options);
  if (!solvers) return report(solvers.error());
  const Result<void> input = check_input(options.problem, "problem file");
  if (!input) return report(input.error());
  if (!options.write.empty())
    if (const Result<void> kept =
            record::check_input_is_kept(options.problem, options.write, "problem");
        !kept)
      return report(kept.error());
  const Result<problem::ProblemFile> file = problem::read_any_problem(options.problem);
  if (!file) return report(file.error());
  if (!options.write.empty()) {
    const Result<void> written = problem::write_any_problem(file->problem, options.write);
    if (!written) return report(written.error());
  }
  watch_signals();
  if (options.solver == "all") return answer_all(options, *file, *solvers);

  const SolverOptions& solver = solvers->front();
  const Result<void> accepted =
      std::visit([&](const auto& p) { return accepts(solver, p); }, file->problem);
  if (!accepted) return report(accepted.error());
  Attempt a = attempt(file->problem, solver, on_signal());
  // Nothing is to be said of impulses that nobody waited for.
  const bool interrupted = a.status == SolveStatus::interrupted;
  const ImpulseAnalysis analysis =
      interrupted ? ImpulseAnalysis{} : analyse(file->problem, options, a);
  if (options.json) {
    Json json = {{"problem", options.problem}, {"format", file->format}};
    json.update(as_json(a));
    add_answer(file->problem, a, json);
    add_analysis(file->problem, analysis, json);
    print(text(json));
  } else {
    print(attempt_text(*file, a) + as_text(file->problem, analysis));
  }
  if (interrupted) return exit_signal + received_signal();
  if (!analysis.errors.empty()) return report(analysis.errors);
  return a.certified() ? exit_ok : exit_failed;
}

}  // namespace cairn::app
