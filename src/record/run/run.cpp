// Keeps the record of a run. Files have the name NAME.part until they are complete.
#include "record/run/run.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

#include "base/boundary.hpp"
#include "cairn/trace.hpp"
#include "record/check/check.hpp"
#include "record/run/files.hpp"
#include "record/run/folder_lock.hpp"
#include "record/run/table.hpp"
#include "record/trace/checkpoint.hpp"
#include "record/trace/fits.hpp"

namespace cairn::record {

namespace {

constexpr double large_recording = 1e9;   // that is warned of [bytes]
constexpr double bytes_of_figures = 800;  // of a step

}  // namespace

struct RunRecorder::Run {
  const Scene& scene;
  RunFiles files;
  RunTotals totals;
  RunPage page;     // empty without files
  State state;      // the last one
  FolderLock lock;  // from before the first file is touched to the end of the recorder
  std::optional<TraceWriter> trace;
  std::optional<StepTable> table;
  ForceDisplay display;

  RecordOptions record_options() const {
    RecordOptions options = scene.simulation.record;
    if (options.resolution == 0) options.resolution = 0x1p-20 * scene.model->length_unit;
    return options;
  }

  std::int64_t planned_steps() const {
    return static_cast<std::int64_t>(
        std::ceil(scene.simulation.duration / scene.simulation.step - 1e-9));
  }

  // Piles take the most of all scenes per step and body, about this.
  double estimated_bytes() const {
    if (files.folder.empty()) return 0;
    constexpr double of_a_body[] = {20, 150, 3000};  // by level [bytes]
    const SimulationSettings& s = scene.simulation;
    const auto bodies = static_cast<double>(scene.model->bodies.size());
    const double share =
        std::min(1.0 / s.record.every, s.record.interval > 0 ? s.step / s.record.interval : 1.0);
    const double whole = of_a_body[static_cast<std::size_t>(s.record.level)];
    return s.duration / s.step *
           (bytes_of_figures + (share * whole + (1 - share) * of_a_body[0]) * bodies);
  }

  // Forces are computed for the page alone: readers of the trace compute theirs (E620). Frames of
  // level `states` keep which were not unique, because contacts are not in the file.
  const ShownForces& forces_of(const StepReport& report, bool last) {
    static const ShownForces none;
    return page.shows_next && (last || page.shows_next()) ? display.of(report) : none;
  }

  std::string path(const char* name) const { return files.folder + "/" + name; }

  void begin() {
    totals.joint_rank = joint_rank(*scene.model, state);
    totals.start = start_projection(*scene.model, scene.description, *scene.initial);
    const Energies start = energies(*scene.model, state);
    totals.energy_initial = totals.energy_final = start.kinetic + start.potential;
    if (files.folder.empty()) return;
    if (files.page) page = files.page(scene, files.command);
  }

  void add(const StepReport& report, const State& after, const ShownForces& forces) {
    CAIRN_DCHECK(after.poses.size() == scene.model->bodies.size(), after.poses.size());
    CAIRN_DCHECK(after.v.size() == scene.model->velocities, after.v.size());
    CAIRN_DCHECK(report.failed() || report.step == after.step, report.step, after.step);
    CAIRN_DCHECK(report.status != StepStatus::internal_error);
    add_step(*scene.model, report, totals);
    add_forces(forces, totals);
    if (page.add) page.add(report, after, forces);
    state = after;
  }

  Result<void> remove_checkpoint() const {
    std::error_code code;
    std::filesystem::remove(path(checkpoint_file), code);
    if (!code) return {};
    errno = code.value();
    return io_failure(path(checkpoint_file), "remove");
  }

  // Files that a killed run has left half written. The folder is locked: they are nobody's.
  void remove_leftovers() const {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(files.folder, ignored)) {
      const std::string name = entry.path().filename().string();
      for (const std::string whole : {checkpoint_file, "report.html", "summary.json"})
        if (name.starts_with(whole + ".part")) std::filesystem::remove(entry.path(), ignored);
    }
  }

  Result<void> lock_folder() {
    Result<FolderLock> taken = FolderLock::take(files.folder);
    if (!taken) return tl::unexpected(taken.error());
    lock = std::move(*taken);
    return {};
  }

  Result<void> open_files() {
    if (Result<void> done = make_folder(files.folder); !done) return done;
    if (Result<void> done = lock_folder(); !done) return done;
    Result<TraceWriter> writer =
        TraceWriter::create(path("trace.cairn.part"), scene.resolved, record_options());
    if (!writer) return tl::unexpected(writer.error());
    trace = std::move(*writer);
    remove_leftovers();
    Result<void> done = remove_checkpoint();  // it is of an earlier run
    if (done) done = open_table();
    if (done) done = trace->append_initial(state);
    std::error_code ignored;  // a trace without frames is of no use
    if (!done) std::filesystem::remove(path("trace.cairn.part"), ignored);
    return done;
  }

  Result<void> open_table() {
    Result<StepTable> steps = StepTable::create(path("steps.csv"));
    if (!steps) return tl::unexpected(steps.error());
    table = std::move(*steps);
    return {};
  }

  // The trace under the name it has while it is written. An interrupted run has closed it.
  Result<void> reopen_trace() {
    const std::string part = path("trace.cairn.part"), whole = path("trace.cairn");
    std::error_code ignored;
    if (!std::filesystem::exists(part, ignored) && std::filesystem::exists(whole, ignored))
      if (Result<void> done = rename_file(whole, part); !done) return done;
    Result<TraceWriter> writer = TraceWriter::resume(part, record_options());
    if (!writer) return tl::unexpected(writer.error());
    trace = std::move(*writer);
    remove_leftovers();
    return {};
  }

  tl::unexpected<Errors> trace_fault(ErrorCode code, const std::string& what) const {
    Error error;
    error.code = code;
    error.file = path("trace.cairn.part");
    error.what = what;
    error.fix = "run the scene again from its start";
    return fail(error);
  }

  Result<void> replay(const Checkpoint& checkpoint, const Replayed& replayed) {
    Result<TraceReader> reader = TraceReader::open(path("trace.cairn.part"));
    if (!reader) return tl::unexpected(reader.error());
    if (reader->header().scene != scene.resolved)
      return trace_fault(ErrorCode::mismatch, "the trace is of another scene than the checkpoint");
    TraceFrame frame;
    for (std::int64_t n = 0; n <= checkpoint.steps; ++n) {
      const TraceEvent event = reader->next(frame);
      if (event != TraceEvent::frame)
        return trace_fault(
            event == TraceEvent::corrupt ? ErrorCode::damaged : ErrorCode::mismatch,
            fmt::format(
                "the trace holds {} of the {} steps of the checkpoint{}",
                std::max<std::int64_t>(0, n - 1), checkpoint.steps,
                event == TraceEvent::corrupt ? ", then it is damaged: " + reader->reason() : ""));
      const bool follows = frame.report.failed() || frame.report.step == frame.state.step;
      if (!follows || !state_fits(*scene.model, frame.state) ||
          !ids_exist(*scene.model, frame.report))
        return trace_fault(ErrorCode::mismatch,
                           fmt::format("step {} of the trace does not fit the scene", n));
      if (n == 0) continue;  // the initial state
      for (std::size_t i = 0; i < frame.methods.size(); ++i)
        frame.report.solves[i].solution.method = frame.methods[i].c_str();
      const bool last = frame.report.step == planned_steps();
      add(frame.report, frame.state, frame.whole ? forces_of(frame.report, last) : frame.forces);
      if (Result<void> done = table->append(frame.report); !done) return done;
      if (Result<void> done = replayed(frame.report); !done) return done;
    }
    if (frame.state_hash != hash(checkpoint.state) || totals.steps != checkpoint.steps)
      return trace_fault(
          ErrorCode::mismatch,
          fmt::format(
              "the state after step {} is not that of the checkpoint: they are of different runs",
              checkpoint.steps));
    return trace->keep(*reader, checkpoint.state);
  }

  Result<void> close_files(const RunOutcome& outcome) {
    if (Result<void> done = trace->finish(); !done) return done;
    if (Result<void> done = rename_file(path("trace.cairn.part"), path("trace.cairn")); !done)
      return done;
    if (Result<void> done = table->finish(); !done) return done;
    if (page.html) {
      const std::string html = page.html(totals, state, outcome.expect);
      if (Result<void> done = write_file(path("report.html"), html); !done) return done;
    }
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

std::vector<std::string> RunRecorder::warnings() const {
  std::vector<std::string> warnings;
  if (!run_->lock.supported())
    warnings.push_back(
        run_->files.folder +
        ": the file system has no locks; a second run into this folder would not be refused");
  if (const double bytes = run_->estimated_bytes(); bytes > large_recording)
    warnings.push_back(fmt::format(
        "the recording may take {:.1f} GB; option simulation.record.every records "
        "every N-th step, simulation.record.level: \"states\" takes about 20 bytes a body "
        "and step",
        1e-9 * bytes));
  return warnings;
}

Result<std::unique_ptr<RunRecorder::Run>> RunRecorder::begin(const Scene& scene,
                                                             const RunFiles& files) {
  auto run = std::unique_ptr<Run>(new Run{.scene = scene,
                                          .files = files,
                                          .totals = {},
                                          .page = {},
                                          .state = *scene.initial,
                                          .lock = {},
                                          .trace = {},
                                          .table = {},
                                          .display = ForceDisplay(scene.simulation.forces)});
  run->begin();
  const auto known =
      evaluate(scene.expect, summary_json(scene, run->totals, run->state, {}), scene.file);
  if (!known) return tl::unexpected(known.error());
  return run;
}

Result<RunRecorder> RunRecorder::create(const Scene& scene, const RunFiles& files) try {
  Result<std::unique_ptr<Run>> run = begin(scene, files);
  if (!run) return tl::unexpected(run.error());
  if (!files.folder.empty())
    if (Result<void> done = (*run)->open_files(); !done) return tl::unexpected(done.error());
  return RunRecorder(std::move(*run));
} catch (...) {
  return fail(base::caught_error());
}

Result<RunRecorder> RunRecorder::resume(const Scene& scene, const RunFiles& files,
                                        const Checkpoint& checkpoint,
                                        const Replayed& replayed) try {
  Result<std::unique_ptr<Run>> run = begin(scene, files);
  if (!run) return tl::unexpected(run.error());
  // The lock comes first: the files of a run that still goes on stay untouched.
  if (Result<void> done = (*run)->lock_folder(); !done) return tl::unexpected(done.error());
  if (Result<void> done = (*run)->reopen_trace(); !done) return tl::unexpected(done.error());
  if (Result<void> done = (*run)->open_table(); !done) return tl::unexpected(done.error());
  if (Result<void> done = (*run)->replay(checkpoint, replayed); !done)
    return tl::unexpected(done.error());
  return RunRecorder(std::move(*run));
} catch (...) {
  return fail(base::caught_error());
}

Result<void> RunRecorder::record(const StepReport& report, const State& state) try {
  static const ShownForces none;
  const bool last = report.step == run_->planned_steps();
  const bool whole = run_->trace && (last || !report.accepted() || run_->trace->is_due(report));
  const ShownForces& forces = whole ? run_->forces_of(report, last) : none;
  run_->add(report, state, forces);
  if (!run_->trace) return {};
  const bool states = run_->scene.simulation.record.level == RecordLevel::states;
  if (Result<void> done = run_->trace->append(report, state, states ? forces : none, last); !done)
    return done;
  return run_->table->append(report);
} catch (...) {
  return fail(base::caught_error());
}

void RunRecorder::record_forces(const StepReport& report) {
  run_->totals.forces = force_table(*run_->scene.model, report);
}

Result<void> RunRecorder::save_checkpoint(std::int64_t interval) try {
  Run& run = *run_;
  CAIRN_CHECK(run.trace && !run.totals.stopped);
  if (Result<void> done = run.trace->sync(); !done) return done;
  return cairn::save_checkpoint(run.path(checkpoint_file), run.scene.resolved, run.state,
                                run.totals.steps,
                                {.interval = interval, .command = run.files.command});
} catch (...) {
  return fail(base::caught_error());
}

Result<RunOutcome> RunRecorder::finish(const std::string& ended_early) try {
  Run& run = *run_;
  if (!ended_early.empty() && !run.totals.stopped) {
    run.totals.stopped = true;
    run.totals.reason = StopReason::interrupted;
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
  if (run.trace && ended_early.empty())
    if (Result<void> done = run.remove_checkpoint(); !done) return tl::unexpected(done.error());
  return outcome;
} catch (...) {
  return fail(base::caught_error());
}

}  // namespace cairn::record
