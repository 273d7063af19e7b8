// cairn run: loads a scene, steps it to its end, records every step, tells the verdict.
#include <csignal>
#include <ctime>
#include <fmt/format.h>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "commands.hpp"
#include "input_file.hpp"
#include "interrupt.hpp"
#include "record/run.hpp"
#include "run_folder.hpp"
#include "step_plan.hpp"
#include "terminal.hpp"

namespace cairn::app {
namespace {

constexpr std::size_t max_failed_problems = 3;

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A word that a shell reads as one word.
std::string shell_word(const std::string& word) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=+:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_line(const RunOptions& options) {
  std::string line = "cairn run " + shell_word(options.scene);
  for (const std::string& assignment : options.assignments)
    line += " --set " + shell_word(assignment);
  return line;
}

// What the loop leaves behind beside the recording.
struct LoopEnd {
  std::string early;                         // why it ended before its time; empty: it did not
  std::vector<std::string> failed_problems;  // files
};

Result<LoopEnd> step_to_the_end(const Scene& scene, const StepPlan& steps,
                                const RunOptions& options, RunRecorder& recorder) {
  Simulator simulator(scene.model, *scene.initial, scene.simulation.scheme,
                      scene.simulation.solver);
  simulator.set_clock(thread_seconds);
  Progress progress(steps.steps, options.quiet || options.json);
  LoopEnd end;
  double worst = 0;
  for (std::int64_t n = 1; n <= steps.steps; ++n) {
    const StepReport& report = simulator.step(steps.length(n));
    const Result<void> recorded = recorder.record(report, simulator.state());
    if (!recorded) return tl::unexpected(recorded.error());
    if (report.status != StepStatus::certified && !options.out.empty() &&
        end.failed_problems.size() < max_failed_problems) {
      const Result<std::string> file = save_failed_problem(*scene.model, report, options.out);
      if (!file) return tl::unexpected(file.error());
      if (!file->empty()) end.failed_problems.push_back(*file);
    }
    if (report.status == StepStatus::stopped) break;
    worst = std::max(worst, report.certificate);
    progress.show(n, report.t, report.active_contacts, worst);
    if (received_signal() != 0 && n < steps.steps) {
      end.early = received_signal() == SIGINT ? "interrupted by SIGINT" : "interrupted by SIGTERM";
      break;
    }
  }
  return end;
}

std::string verdict(const Scene& scene, const RunTotals& totals, const RunOutcome& outcome) {
  std::string worst = "no problem had to be solved";
  if (!totals.worst.empty())
    worst = fmt::format("worst residual {:.2e} in step {} at {}", totals.worst.front().certificate,
                        totals.worst.front().step, printable(totals.worst.front().row));
  const double limit = tolerance(scene.simulation.solver);
  switch (outcome.status) {
    case RunStatus::ok:
      return fmt::format("certified: {}, tolerance {:.0e}\n", worst, limit);
    case RunStatus::uncertified:
      return fmt::format("NOT CERTIFIED: {} of {} steps miss the tolerance {:.0e}, {}\n",
                         totals.uncertified_steps, totals.steps, limit, worst);
    case RunStatus::stopped:
      break;
  }
  return fmt::format("STOPPED after {} steps: {}; {}\n", totals.steps, printable(totals.message),
                     worst);
}

std::string expectation_lines(const RunOutcome& outcome) {
  if (outcome.expect.empty()) return "";
  std::size_t met = 0;
  std::string missed;
  for (const ExpectationResult& each : outcome.expect) {
    met += each.ok ? 1 : 0;
    if (!each.ok)
      missed += fmt::format("  NOT MET    {} {}, got {:.6g}\n", printable(each.quantity),
                            each.bound, each.value);
  }
  return fmt::format("expected     {} of {} met\n", met, outcome.expect.size()) + missed;
}

std::string result_lines(const Scene& scene, const StepPlan& steps, const RunTotals& totals,
                         const RunOutcome& outcome, const LoopEnd& end, const std::string& out) {
  std::string text = verdict(scene, totals, outcome);
  text += fmt::format("steps        {} of {}, {:.6g} s each\n", totals.steps, steps.steps, steps.h);
  text += fmt::format("penetration  max {:.2e} m, final {:.2e} m\n", totals.penetration_max,
                      totals.penetration_final);
  if (!scene.model->joints.empty())
    text += fmt::format("joint error  max {:.2e} m, final {:.2e} m\n", totals.joint_error_max,
                        totals.joint_error_final);
  text += fmt::format("energy       initial {:.6g} J, final {:.6g} J, largest rise {:.2e} J\n",
                      totals.energy_initial, totals.energy_final, totals.max_rise);
  text +=
      fmt::format("contacts     max {}, final {}\n", totals.contacts_max, totals.contacts_final);
  text += fmt::format("time         {:.3g} ms per step (mean), {:.3g} s in all\n",
                      totals.cpu_ms_mean(), totals.cpu_seconds);
  text += expectation_lines(outcome);
  for (const std::string& file : end.failed_problems)
    text += fmt::format("unsolved     {}\n", printable(file));
  if (!out.empty()) text += fmt::format("report       {}\n", printable(out + "/report.html"));
  return text;
}

int exit_code(const RunOutcome& outcome, const LoopEnd& end) {
  if (!end.early.empty()) return exit_signal + received_signal();
  return outcome.status == RunStatus::ok && outcome.expectations_met() ? exit_ok : exit_failed;
}

}  // namespace

int run(const RunOptions& options) {
  // All that can be wrong before the first step.
  const Result<void> input = check_input(options.scene, "scene file");
  if (!input) return report(input.error());
  const Result<Scene> scene = load_scene(options.scene, options.assignments);
  if (!scene) return report(scene.error());
  const StepPlan steps = plan_steps(scene->simulation.step, scene->simulation.duration);
  if (!options.out.empty()) {
    const Result<void> folder = prepare_folder(options.out);
    if (!folder) return report(folder.error());
  }
  Result<RunRecorder> recorder = RunRecorder::create(*scene, {options.out, command_line(options)});
  if (!recorder) return report(recorder.error());
  if (!options.quiet)
    for (const std::string& warning : scene->warnings) warn("warning: " + printable(warning));

  watch_signals();
  const Result<LoopEnd> end = step_to_the_end(*scene, steps, options, *recorder);
  if (!end) return report(end.error());
  const Result<RunOutcome> outcome = recorder->finish(end->early);
  if (!outcome) return report(outcome.error());
  print(options.json
            ? outcome->summary
            : result_lines(*scene, steps, recorder->totals(), *outcome, *end, options.out));
  return exit_code(*outcome, *end);
}

}  // namespace cairn::app
