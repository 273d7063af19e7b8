// RunRecorder: takes a scene and each step of its run, keeps the totals, writes the files of --out
// DIR.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "cairn/trace.hpp"
#include "record/run/summary.hpp"
#include "record/run/totals.hpp"

namespace cairn::record {

// A page about a run, written as report.html. Pages are not part of this library: page::run_page
// makes one.
struct RunPage {
  std::function<void(const StepReport&, const State&, const ShownForces&)>
      add;                           // every step, in order
  std::function<bool()> shows_next;  // whether the forces of the next step will be shown
  std::function<std::string(const RunTotals&, const State& last,
                            std::span<const ExpectationResult>)>
      html;  // at the end
};

struct RunFiles {
  std::string folder;   // gets trace.cairn, steps.csv, summary.json, report.html; empty: no files
  std::string command;  // how to repeat the run, for the report; empty: cairn run FILE
  RunPage (*page)(const Scene&, const std::string& command) = nullptr;  // null: no report.html
};

struct RunOutcome {
  RunStatus status = RunStatus::ok;
  std::string summary;  // summary.json
  std::vector<ExpectationResult> expect;
  bool expectations_met() const;
};

class RunRecorder {
 public:
  // `scene` must outlive the recorder, which holds the folder alone as long as it lives. Fails if
  // another run holds it, which then loses nothing; if a file cannot be created; or if the scene
  // expects an unknown quantity: better now than after the run.
  static Result<RunRecorder> create(const Scene& scene, const RunFiles& files = {});

  // Goes on with the run in files.folder: cuts its trace back to the checkpoint, which must be one
  // of this scene, and adds up the steps before it again from their frames; each is shown to
  // `replayed`. All that is written later equals the files of a run that was never interrupted.
  using Replayed = std::function<Result<void>(const StepReport&)>;
  static Result<RunRecorder> resume(const Scene& scene, const RunFiles& files,
                                    const Checkpoint& checkpoint, const Replayed& replayed);
  ~RunRecorder();
  RunRecorder(RunRecorder&&) noexcept;
  RunRecorder& operator=(RunRecorder&&) noexcept;

  Result<void> record(const StepReport& report, const State& state);

  // Adds the range of the contact forces of a step, the last one, to the summary and the report.
  void record_forces(const StepReport& report);

  // Writes folder/checkpoint.cairn of the steps recorded so far, after their frames are on the
  // disk. Must be given a folder and have no stopped step.
  Result<void> save_checkpoint(std::int64_t interval);

  // Completes the files: trace, table and report first, summary.json last. A run that ended early,
  // by a signal or a limit, says why, counts as stopped and keeps its checkpoint; else that is
  // removed, so that a folder with a checkpoint is one of an unfinished run.
  Result<RunOutcome> finish(const std::string& ended_early = {});

  const RunTotals& totals() const;
  std::vector<std::string> warnings() const;  // about the folder

 private:
  struct Run;
  static Result<std::unique_ptr<Run>> begin(const Scene& scene, const RunFiles& files);
  explicit RunRecorder(std::unique_ptr<Run> run);
  std::unique_ptr<Run> run_;
};

}  // namespace cairn::record
