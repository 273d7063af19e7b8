// Keeps the record of a run. Files have the name NAME.part until they are complete.
#include "record/run.hpp"

#include <algorithm>
#include <optional>

#include "cairn/trace.hpp"
#include "record/check.hpp"
#include "record/files.hpp"
#include "record/report.hpp"
#include "record/table.hpp"

namespace cairn {

struct RunRecorder::Run {
  const Scene& scene;
  RunFiles files;
  RunTotals totals;
  Stills stills;
  State state;  // the last one
  std::optional<TraceWriter> trace;
  std::optional<StepTable> table;

  std::string path(const char* name) const { return files.folder + "/" + name; }

  Result<void> open_files() {
    if (Result<void> done = make_folder(files.folder); !done) return done;
    Result<TraceWriter> writer = TraceWriter::create(path("trace.cairn.part"), scene.resolved);
    if (!writer) return tl::unexpected(writer.error());
    trace = std::move(*writer);
    Result<StepTable> steps = StepTable::create(path("steps.csv"));
    if (!steps) return tl::unexpected(steps.error());
    table = std::move(*steps);
    return trace->append_initial(state);
  }

  Result<void> close_files(const RunOutcome& outcome) {
    if (Result<void> done = trace->finish(); !done) return done;
    if (Result<void> done = rename_file(path("trace.cairn.part"), path("trace.cairn")); !done)
      return done;
    if (Result<void> done = table->finish(); !done) return done;
    const std::string html = report_html({.scene = scene,
                                          .totals = totals,
                                          .stills = stills,
                                          .state = state,
                                          .expect = outcome.expect,
                                          .command = files.command});
    if (Result<void> done = write_file(path("report.html"), html); !done) return done;
    return write_file(path("summary.json"), outcome.summary);
  }
};

bool RunOutcome::expectations_met() const {
  return std::all_of(expect.begin(), expect.end(), [](const ExpectationResult& e) { return e.ok; });
}

RunRecorder::RunRecorder(std::unique_ptr<Run> run) : run_(std::move(run)) {}
RunRecorder::~RunRecorder() = default;
RunRecorder::RunRecorder(RunRecorder&&) noexcept = default;
RunRecorder& RunRecorder::operator=(RunRecorder&&) noexcept = default;
const RunTotals& RunRecorder::totals() const {
  return run_->totals;
}

Result<RunRecorder> RunRecorder::create(const Scene& scene, const RunFiles& files) {
  auto run = std::unique_ptr<Run>(new Run{.scene = scene,
                                          .files = files,
                                          .totals = {},
                                          .stills = {},
                                          .state = *scene.initial,
                                          .trace = {},
                                          .table = {}});
  const Energies start = energies(*scene.model, run->state);
  run->totals.energy_initial = run->totals.energy_final = start.kinetic + start.potential;
  const auto known =
      evaluate(scene.expect, summary_json(scene, run->totals, run->state, {}), scene.file);
  if (!known) return tl::unexpected(known.error());
  if (!files.folder.empty())
    if (Result<void> done = run->open_files(); !done) return tl::unexpected(done.error());
  run->stills.add(run->state.step, run->state.t, 0, run->state.poses, {});
  return RunRecorder(std::move(run));
}

Result<void> RunRecorder::record(const StepReport& report, const State& state) {
  add_step(*run_->scene.model, report, run_->totals);
  run_->state = state;
  if (report.status != StepStatus::stopped)
    run_->stills.add(state.step, state.t, report.h, state.poses, report.contacts);
  if (!run_->trace) return {};
  if (Result<void> done = run_->trace->append(report, state); !done) return done;
  return run_->table->append(report);
}

Result<RunOutcome> RunRecorder::finish(const std::string& ended_early) {
  Run& run = *run_;
  if (!ended_early.empty() && !run.totals.stopped) {
    run.totals.stopped = true;
    run.totals.message = ended_early;
  }
  RunOutcome outcome;
  outcome.status = run.totals.status();
  auto expect = evaluate(run.scene.expect, summary_json(run.scene, run.totals, run.state, {}),
                         run.scene.file);
  if (!expect) return tl::unexpected(expect.error());
  outcome.expect = std::move(*expect);
  outcome.summary = summary_json(run.scene, run.totals, run.state, outcome.expect);
  if (run.trace)
    if (Result<void> done = run.close_files(outcome); !done) return tl::unexpected(done.error());
  return outcome;
}

}  // namespace cairn
