// RunRecorder: takes a scene and each step of its run, keeps the totals, writes the files of --out
// DIR.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "record/summary.hpp"
#include "record/totals.hpp"

namespace cairn {

struct RunFiles {
  std::string folder;   // gets trace.cairn, steps.csv, summary.json, report.html; empty: no files
  std::string command;  // how to repeat the run, for the report; empty: cairn run FILE
};

struct RunOutcome {
  RunStatus status = RunStatus::ok;
  std::string summary;  // summary.json
  std::vector<ExpectationResult> expect;
  bool expectations_met() const;
};

class RunRecorder {
 public:
  // `scene` must outlive the recorder. Fails if a file cannot be created, or if the scene expects
  // an unknown quantity: better now than after the run.
  static Result<RunRecorder> create(const Scene& scene, const RunFiles& files = {});
  ~RunRecorder();
  RunRecorder(RunRecorder&&) noexcept;
  RunRecorder& operator=(RunRecorder&&) noexcept;

  Result<void> record(const StepReport& report, const State& state);

  // Completes the files: trace, table and report first, summary.json last. A run that ended early,
  // by a signal or a limit, says why and counts as stopped.
  Result<RunOutcome> finish(const std::string& ended_early = {});

  const RunTotals& totals() const;

 private:
  struct Run;
  explicit RunRecorder(std::unique_ptr<Run> run);
  std::unique_ptr<Run> run_;
};

}  // namespace cairn
