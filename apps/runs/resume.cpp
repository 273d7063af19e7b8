// Looks for a checkpoint, else for a reason why there is none. A folder with a checkpoint is one of
// an unfinished run: the recorder removes it at the end.
#include "runs/resume.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "cairn/trace.hpp"
#include "record/trace/checkpoint.hpp"
#include "runs/file_access.hpp"
#include "runs/step_plan.hpp"
#include "terminal/input_file.hpp"

namespace cairn::app {
namespace {

namespace fs = std::filesystem;

Error nothing_to_resume(const std::string& folder, ErrorCode code, const std::string& what) {
  Error error;
  error.code = code;
  error.file = folder;
  error.what = "nothing to resume: " + what;
  error.fix = "start with cairn run SCENE --out DIR --checkpoint N";
  return error;
}

// The scene of the command line, or the one that the file holds.
Result<Scene> scene_of(const RunOptions& options, const std::string& text,
                       const std::string& file) {
  if (options.scene.empty()) return parse_scene(text, file);
  if (const Result<void> input = check_input(options.scene, "scene file"); !input)
    return tl::unexpected(input.error());
  return load_scene(options.scene, options.assignments, options.import,
                    file_access(options.allowed));
}

Result<Unfinished> load(const RunOptions& options, const std::string& file) {
  Result<Checkpoint> checkpoint = load_checkpoint(file);
  if (!checkpoint) return tl::unexpected(checkpoint.error());
  if (checkpoint->program != CAIRN_VERSION) {
    Error error;
    error.code = ErrorCode::wrong_version;
    error.file = file;
    error.path = "run";
    error.what = "the checkpoint is of another version of cairn, which may step differently";
    error.got = checkpoint->program;
    error.allowed = CAIRN_VERSION;
    error.fix = "resume with that version, or run the scene again";
    return fail(error);
  }
  Result<Scene> scene = scene_of(options, checkpoint->scene, file);
  if (!scene) return tl::unexpected(scene.error());
  if (const Result<void> same = check_scene(*checkpoint, file, *scene); !same)
    return tl::unexpected(same.error());
  return Unfinished{std::move(*scene), std::move(*checkpoint)};
}

// No error if the trace is complete and has the last step of its scene, or one that stopped the
// run.
Result<void> check_finished(const RunOptions& options, const std::string& file) {
  Result<TraceReader> reader = TraceReader::open(file);
  if (!reader) return tl::unexpected(reader.error());
  const Result<Scene> scene = scene_of(options, reader->header().scene, file);
  if (!scene) return tl::unexpected(scene.error());
  Checkpoint last;
  last.scene = reader->header().scene;
  last.state = *scene->initial;
  if (const Result<void> same = check_scene(last, file, *scene); !same)
    return tl::unexpected(same.error());
  TraceFrame frame;
  TraceEvent event = reader->next(frame);
  while (event == TraceEvent::frame) event = reader->next(frame);
  const SimulationSettings& settings = scene->simulation;
  const std::int64_t steps = plan_steps(settings.step, settings.duration).steps;
  const bool stopped = frame.report.status == StepStatus::stopped;
  if (event == TraceEvent::end && (stopped || reader->frames() == steps + 1)) return {};
  return fail(
      nothing_to_resume(options.resume, ErrorCode::incomplete,
                        fmt::format("the run has {} of its {} steps, but was made without "
                                    "--checkpoint",
                                    std::max<std::int64_t>(0, reader->frames() - 1), steps)));
}

}  // namespace

Result<std::optional<Unfinished>> find_unfinished(const RunOptions& options) {
  const std::string& folder = options.resume;
  std::error_code fault;
  if (!fs::is_directory(folder, fault))
    return fail(nothing_to_resume(
        folder, fs::exists(folder, fault) ? ErrorCode::not_a_file : ErrorCode::not_found,
        fs::exists(folder, fault) ? "it is not a folder" : "the folder is not there"));
  const std::string checkpoint = folder + "/" + record::checkpoint_file;
  if (fs::exists(checkpoint, fault)) {
    Result<Unfinished> found = load(options, checkpoint);
    if (!found) return tl::unexpected(found.error());
    return std::optional<Unfinished>(std::move(*found));
  }
  if (fs::exists(folder + "/trace.cairn.part", fault))
    return fail(nothing_to_resume(
        folder, ErrorCode::incomplete,
        "the run ended before its first checkpoint, or was made without --checkpoint"));
  if (!fs::exists(folder + "/trace.cairn", fault))
    return fail(
        nothing_to_resume(folder, ErrorCode::not_found, "no run was recorded in the folder"));
  if (const Result<void> finished = check_finished(options, folder + "/trace.cairn"); !finished)
    return tl::unexpected(finished.error());
  return std::optional<Unfinished>();
}

}  // namespace cairn::app
