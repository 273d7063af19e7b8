// cairn run: loads a scene or a checkpoint, steps it to its end, records every step, tells the
// verdict.
#include <csignal>
#include <fmt/format.h>

#include "base/input_file.hpp"
#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "commands/commands.hpp"
#include "page/report.hpp"
#include "record/run/run.hpp"
#include "runs/file_access.hpp"
#include "runs/resume.hpp"
#include "runs/run_folder.hpp"
#include "runs/start_warnings.hpp"
#include "runs/step_plan.hpp"
#include "terminal/cpu_clock.hpp"
#include "terminal/input_file.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

constexpr std::size_t max_failed_problems = 3;
constexpr std::size_t most_force_lines = 20;
constexpr std::size_t largest_summary = std::size_t{1} << 30;  // [bytes]

std::string command_line(const RunOptions& options) {
  std::string line = "cairn run " + shell_word(options.scene);
  for (const std::string& assignment : options.assignments)
    line += " --set " + shell_word(assignment);
  for (const std::string& folder : options.allowed) line += " --allow-path " + shell_word(folder);
  line += import_words(options.import);
  if (options.intervals) line += " --intervals";
  return line;
}

// A run between its start, or its checkpoint, and its end.
struct Run {
  const Scene& scene;
  std::string folder;                             // empty: no files
  std::int64_t interval = 0;                      // steps from one checkpoint to the next; 0: none
  bool resumed = false;                           // begins at a checkpoint
  StepPlan steps = {};                            // of the whole run
  std::string early = {};                         // why it ended before its time; empty: it did not
  std::string fault = {};                         // the same, where that is a fault of ours
  std::vector<std::string> failed_problems = {};  // files

  bool keeps_checkpoints() const { return interval > 0 || resumed; }

  Result<void> save_failure(const StepReport& report) {
    if (report.status == StepStatus::certified || folder.empty() ||
        failed_problems.size() >= max_failed_problems)
      return {};
    const Result<std::string> file = save_failed_problem(*scene.model, report, folder);
    if (!file) return tl::unexpected(file.error());
    if (!file->empty()) failed_problems.push_back(*file);
    return {};
  }
};

// Takes the steps after `state`.
Result<void> step_to_the_end(const State& state, const RunOptions& options,
                             record::RunRecorder& recorder, Run& run) {
  const Scene& scene = run.scene;
  Simulator simulator(scene.model, state, scene.simulation.scheme, scene.simulation.solver,
                      scene.simulation.verdict);
  simulator.set_clock(thread_seconds);
  simulator.set_interrupt(on_signal());
  Progress progress(run.steps.steps, options.quiet || options.json);
  double worst = recorder.totals().worst.empty() ? 0 : recorder.totals().worst.front().certificate;
  for (std::int64_t n = recorder.totals().steps + 1; n <= run.steps.steps; ++n) {
    const StepReport& report = simulator.step(run.steps.length(n));
    // The trace ends with the step before: a step that was never taken has nothing to record.
    if (report.status == StepStatus::internal_error) {
      run.fault = fmt::format("step {}, t = {:.6g} s: {}", n, report.t, report.message);
      break;
    }
    if (report.status != StepStatus::interrupted) {  // else the run ends with the step before
      if (Result<void> done = recorder.record(report, simulator.state()); !done) return done;
      if (Result<void> done = run.save_failure(report); !done) return done;
      if (report.status == StepStatus::stopped || n == run.steps.steps) break;
      worst = std::max(worst, report.certificate);
      progress.show(n, report.t, report.active_contacts, worst);
    }
    const int signal = received_signal();
    if ((run.interval > 0 && n % run.interval == 0) || (signal != 0 && run.keeps_checkpoints()))
      if (Result<void> done = recorder.save_checkpoint(run.interval); !done) return done;
    if (signal != 0) {
      run.early = signal == SIGINT ? "interrupted by SIGINT" : "interrupted by SIGTERM";
      break;
    }
  }
  if (options.intervals && run.fault.empty()) recorder.record_forces(simulator.report());
  return {};
}

std::string run_verdict(const Scene& scene, const record::RunTotals& totals,
                        const record::RunOutcome& outcome) {
  std::string worst = "no problem had to be solved";
  if (!totals.worst.empty())
    worst = fmt::format("worst residual {:.2e} in step {} at {}", totals.worst.front().certificate,
                        totals.worst.front().step, printable(totals.worst.front().row));
  const double limit = tolerance(scene.simulation.solver);
  switch (outcome.status) {
    case record::RunStatus::ok:
      return fmt::format("accepted: every step in solve, motion and energy; {}, tolerance {:.0e}\n",
                         worst, limit);
    case record::RunStatus::uncertified:
      return fmt::format("NOT CERTIFIED: {} of {} steps miss the tolerance {:.0e}, {}\n",
                         totals.uncertified_steps, totals.steps, limit, worst);
    case record::RunStatus::not_accepted:
      return fmt::format("NOT ACCEPTED: {} of {} steps exceed a limit of the verdict; {}\n",
                         totals.verdict.failed_steps, totals.steps, worst);
    case record::RunStatus::stopped:
      break;
  }
  return fmt::format("STOPPED after {} steps: {}; {}\n", totals.steps, printable(totals.message),
                     worst);
}

std::string verdict_lines(const record::VerdictTotals& v) {
  std::string text;
  auto part = [&](const char* title, const record::VerdictPartTotals& p) {
    if (p.failed_steps == 0) return;
    text += fmt::format("{:<12} NOT OK in {} steps; step {}: {}\n", title, p.failed_steps, p.step,
                        printable(p.sentence));
  };
  part("solve", v.solve);
  part("motion", v.motion);
  part("energy", v.energy);
  if (v.divided_steps > 0)
    text += fmt::format("divided      {} steps, into {} parts at most, {} advances in all\n",
                        v.divided_steps, v.parts_max, v.attempts);
  return text;
}

std::string expectation_lines(const record::RunOutcome& outcome) {
  if (outcome.expect.empty()) return "";
  std::size_t met = 0;
  std::string missed;
  for (const record::ExpectationResult& each : outcome.expect) {
    met += each.ok ? 1 : 0;
    if (!each.ok)
      missed += fmt::format("  NOT MET    {} {}, got {:.6g}\n", printable(each.quantity),
                            each.bound, each.value);
  }
  return fmt::format("expected     {} of {} met\n", met, outcome.expect.size()) + missed;
}

std::string force_lines(const record::ForceTable& table) {
  if (!table.refusal.empty()) return fmt::format("forces       {}\n", table.refusal);
  std::string text = fmt::format("forces       of the last step: rank {} of {} active rows, {}\n",
                                 table.rank, table.rows, table.unique ? "unique" : "not unique");
  const std::size_t shown = std::min(table.contacts.size(), most_force_lines);
  for (const record::ForceTable::Row& row : std::span(table.contacts).first(shown))
    text += fmt::format("  {:<30} {:>11.6g} <= {:>11.6g} <= {:>11.6g} N\n", printable(row.name),
                        row.lo, row.here, row.hi);
  if (shown < table.contacts.size())
    text += fmt::format("  ... and {} more: see the report and the summary\n",
                        table.contacts.size() - shown);
  for (const std::string& jammed : table.jammed)
    text += fmt::format("  not pointed: {}\n", printable(jammed));
  return text;
}

std::string result_lines(const Run& run, const record::RunTotals& totals,
                         const record::RunOutcome& outcome) {
  const Scene& scene = run.scene;
  std::string text = run_verdict(scene, totals, outcome) + verdict_lines(totals.verdict);
  text += fmt::format("steps        {} of {}, {:.6g} s each\n", totals.steps, run.steps.steps,
                      run.steps.h);
  text += fmt::format("penetration  max {:.2e} m, final {:.2e} m\n",
                      totals.figures.largest.penetration, totals.figures.last.penetration);
  if (!scene.model->joints.empty())
    text += fmt::format("joints       {}\n", printable(to_text(*scene.model, totals.joint_rank)));
  if (!scene.model->joints.empty())
    text += fmt::format("joint error  max {:.2e} m, final {:.2e} m\n",
                        totals.figures.largest.joint_error, totals.figures.last.joint_error);
  if (std::holds_alternative<Penalty>(scene.simulation.scheme))
    text += fmt::format("springs      {} Newton steps in all, contacts overlap\n",
                        totals.figures.sum.nonlinear_iterations);
  else if (totals.figures.sum.nonlinear_iterations > 0)
    text +=
        fmt::format("nonlinear    {} linearisations, {} steps did not contract, {:.2e} m left\n",
                    totals.figures.sum.nonlinear_iterations, totals.figures.sum.nonlinear_fallback,
                    totals.figures.largest.nonlinear_residual);
  if (std::holds_alternative<Relaxed>(scene.simulation.scheme))
    text += fmt::format(
        "friction     law {}, not exact Coulomb: its residual is {:.2e} at worst, in step {}\n",
        name(Law::coulomb_relaxed), totals.figures.largest.coulomb_residual,
        totals.coulomb_residual_step);
  if (std::holds_alternative<Hybrid>(scene.simulation.scheme)) {
    text += fmt::format("events       {} collisions, {} contacts become steady, {} open\n",
                        totals.figures.sum.collisions, totals.events[6], totals.events[3]);
    if (totals.events[4] > 0)
      text += fmt::format(
          "             {} times impacts accumulate; what is left of them has no restitution\n",
          totals.events[4]);
  }
  if (std::holds_alternative<Trapezoidal>(scene.simulation.scheme)) {
    text += fmt::format("events       {} collisions, {} to rest, {} to slide, {} open\n",
                        totals.figures.sum.collisions, totals.events[1], totals.events[2],
                        totals.events[3]);
    if (totals.events[5] > 0)
      text += fmt::format("             {} changes of the facet that carries friction\n",
                          totals.events[5]);
    if (totals.events[4] > 0)
      text += fmt::format(
          "             in {} steps events accumulate; the rest of these steps is taken without "
          "them, at first order\n",
          totals.events[4]);
    if (totals.figures.largest.error_estimate > 0)
      text += fmt::format("accuracy     largest estimated error of a step {:.2e} m, {} parts\n",
                          totals.figures.largest.error_estimate, totals.figures.largest.parts);
  }
  if (totals.figures.sum.contact_projections > 0)
    text +=
        fmt::format("overlaps     {} solves to open them, worst residual {:.2e}, {} uncertified\n",
                    totals.figures.sum.contact_projections,
                    totals.figures.largest.contact_projection_certificate,
                    totals.figures.sum.uncertified_projections);
  text += fmt::format("energy       initial {:.6g} J, final {:.6g} J, largest rise {:.2e} J\n",
                      totals.energy_initial, totals.energy_final, totals.max_rise);
  text += fmt::format("contacts     max {}, final {}\n", totals.figures.largest.active_contacts,
                      totals.figures.last.active_contacts);
  text += fmt::format("time         {:.3g} ms per step (mean), {:.3g} s in all\n",
                      totals.cpu_ms_mean(), totals.cpu_seconds);
  if (totals.forces) text += force_lines(*totals.forces);
  for (const std::string& jammed : totals.jammed)
    text += fmt::format("jamming      {}\n", printable(jammed));
  text += expectation_lines(outcome);
  for (const std::string& file : run.failed_problems)
    text += fmt::format("unsolved     {}\n", printable(file));
  if (!run.folder.empty())
    text += fmt::format("report       {}\n", printable(run.folder + "/report.html"));
  if (!run.early.empty() && run.keeps_checkpoints())
    text += fmt::format("go on with   cairn run --resume {}\n", printable(shell_word(run.folder)));
  return text;
}

int run_exit_code(const record::RunOutcome& outcome, const Run& run) {
  if (!run.fault.empty()) return exit_bug;
  if (!run.early.empty()) return exit_signal + received_signal();
  return outcome.status == record::RunStatus::ok && outcome.expectations_met() ? exit_ok
                                                                               : exit_failed;
}

// From the first step or the checkpoint to the verdict; all that can be wrong before it is found.
int go(const RunOptions& options, const State& state, record::RunRecorder& recorder, Run& run) {
  if (!options.quiet)
    for (const std::string& note : run.scene.notes) warn("note: " + printable(note));
  if (!options.quiet)
    for (const auto& list : {run.scene.warnings, recorder.warnings()})
      for (const std::string& warning : list) warn("warning: " + printable(warning));
  watch_signals();
  const Result<void> stepped = step_to_the_end(state, options, recorder, run);
  if (!stepped) return report(stepped.error());
  const Result<record::RunOutcome> outcome =
      recorder.finish(run.fault.empty() ? run.early : run.fault);
  if (!outcome) return report(outcome.error());
  if (!run.fault.empty()) {
    warn("error: " + printable(run.scene.file + ": " + run.fault));
    if (!run.folder.empty())
      warn("the steps before it are in " + printable(run.folder + "/trace.cairn"));
  }
  print(options.json ? outcome->summary : result_lines(run, recorder.totals(), *outcome));
  return run_exit_code(*outcome, run);
}

int say_finished(const RunOptions& options) {
  if (!options.json) {
    print(fmt::format("finished: the run in {} has all its steps, nothing to resume\n",
                      printable(options.resume)));
    return exit_ok;
  }
  const Result<std::string> summary =
      base::read_input(options.resume + "/summary.json", largest_summary);
  if (!summary) return report(summary.error());
  print(*summary);
  return exit_ok;
}

StepPlan plan(const Scene& scene) {
  return plan_steps(scene.simulation.step, scene.simulation.duration);
}

int resume(const RunOptions& options) {
  if (!options.scene.empty())
    if (const Result<void> kept = check_scene_is_kept(options.scene, options.resume); !kept)
      return report(kept.error());
  Result<std::optional<Unfinished>> found = find_unfinished(options);
  if (!found) return report(found.error());
  if (!*found) return say_finished(options);
  if (const Result<void> start = add_start_warnings((*found)->scene); !start)
    return report(start.error());
  const auto& [scene, checkpoint] = **found;
  Run run{.scene = scene,
          .folder = options.resume,
          .interval = options.checkpoint > 0 ? options.checkpoint : checkpoint.run.interval,
          .resumed = true,
          .steps = plan(scene)};
  Result<record::RunRecorder> recorder = record::RunRecorder::resume(
      scene, {run.folder, checkpoint.run.command, page::run_page}, checkpoint,
      [&](const StepReport& step) { return run.save_failure(step); });
  if (!recorder) return report(recorder.error());
  return go(options, checkpoint.state, *recorder, run);
}

}  // namespace

int run(const RunOptions& options) {
  if (!options.resume.empty()) return resume(options);
  const Result<void> input = check_input(options.scene, "scene file");
  if (!input) return report(input.error());
  Result<Scene> scene =
      load_scene(options.scene, options.assignments, options.import, file_access(options.allowed));
  if (!scene) return report(scene.error());
  if (const Result<void> start = add_start_warnings(*scene); !start) return report(start.error());
  Run run{.scene = *scene,
          .folder = options.out,
          .interval = options.checkpoint,
          .steps = plan(*scene)};
  if (!run.folder.empty()) {
    const Result<void> folder = check_folder(run.folder);
    if (!folder) return report(folder.error());
    const Result<void> kept = check_scene_is_kept(options.scene, run.folder);
    if (!kept) return report(kept.error());
  }
  Result<record::RunRecorder> recorder =
      record::RunRecorder::create(*scene, {run.folder, command_line(options), page::run_page});
  if (!recorder) return report(recorder.error());
  if (!run.folder.empty()) remove_failed_problems(run.folder);
  // Step 0 counts: a run that is killed in its first steps can be resumed.
  if (run.interval > 0) {
    const Result<void> saved = recorder->save_checkpoint(run.interval);
    if (!saved) return report(saved.error());
  }
  return go(options, *scene->initial, *recorder, run);
}

}  // namespace cairn::app
