#include "record/trace/trace_walk.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "dynamics/kinematics.hpp"
#include "record/trace/fits.hpp"
#include "scheme/common/report.hpp"
#include "simulate/joint_report.hpp"
#include "simulate/step_motion.hpp"

namespace cairn::record {

Result<TraceWalk> TraceWalk::open(const std::string& path) {
  Result<TraceReader> reader = TraceReader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  Result<Scene> scene = parse_scene(reader->header().scene, path);
  if (!scene) return tl::unexpected(scene.error());
  return TraceWalk(std::move(*scene), std::move(*reader));
}

namespace {

// Figures and energies of a step and those of the one after it.
void join(const StepReport& older, StepReport& newer) {
  describe(
      [](const FigureText& text, const auto& a, auto& b) {
        switch (text.over) {
          case Aggregate::last:
            break;
          case Aggregate::largest:
            b = std::max(a, b);
            break;
          case Aggregate::least:
            b = std::min(a, b);
            break;
          case Aggregate::sum:
            b += a;
            break;
        }
      },
      older, newer);
  scheme::add_flows(older.ledger, newer.ledger);
  newer.ledger.kinetic_start = older.ledger.kinetic_start;
  newer.ledger.potential_start = older.ledger.potential_start;
  newer.seconds.total += older.seconds.total;
  newer.seconds.detect += older.seconds.detect;
  newer.seconds.solve += older.seconds.solve;
}

}  // namespace

bool TraceWalk::next() {
  const RecordOptions& record = scene_.simulation.record;
  const bool sparse =
      record.level != RecordLevel::states && (record.every > 1 || record.interval > 0);
  if (!sparse) return read();
  StepReport left_out;
  bool any = false;
  while (read()) {
    StepReport& report = frame_.report;
    if (any) join(left_out, report);
    if (frame_.whole) {
      if (frame_.has_before) before_ = frame_.before.poses;
      return true;
    }
    any = true;
    left_out = report;
    --frames_;
  }
  return false;
}

bool TraceWalk::read() {
  if (ending_.event != TraceEvent::frame) return false;
  before_ = frame_.state.poses;
  forces_ = nullptr;
  ending_.event = reader_.next(frame_);
  if (ending_.event == TraceEvent::frame) {
    if (state_fits(model(), frame_.state) && ids_exist(model(), frame_.report)) {
      if (!frame_.exact) find_velocities();
      ++frames_;
      return true;
    }
    ending_.event = TraceEvent::corrupt;
    ending_.reason = fmt::format("frame {} does not fit the scene", reader_.frames() - 1);
  } else if (ending_.event == TraceEvent::truncated) {
    ending_.dropped_bytes = reader_.dropped_bytes();
  } else if (ending_.event == TraceEvent::corrupt) {
    ending_.reason = fmt::format("at byte {}: {}", reader_.offset(), reader_.reason());
  }
  return false;
}

// Of rounded poses: the mean ones of the step.
void TraceWalk::find_velocities() {
  const double h = frame_.report.h;
  if (!(h > 0) || before_.size() != frame_.state.poses.size()) return;
  for (std::size_t i = 0; i < before_.size(); ++i)
    if (const Body& body = model().bodies[i]; body.velocities > 0)
      dynamics::mean_velocity(body, before_[i], frame_.state.poses[i], h,
                              frame_.state.v.data() + body.first_velocity);
}

BodyMotion TraceWalk::motion(BodyId body) const {
  if (frames_ < 2) return body_motion(model(), frame_.state, body);
  return simulate::step_motion(model(), frame_.state, body, before_[index(body)], frame_.report.h);
}

const ShownForces& TraceWalk::forces() const {
  if (!forces_) {
    const bool computed = frame_.whole && frame_.forces.empty();
    forces_ = computed ? &display_.of(frame_.report) : &frame_.forces;
  }
  return *forces_;
}

std::vector<JointReport> TraceWalk::joints() const {
  std::vector<JointReport> out;
  const bool first = frames_ < 2 || before_.size() != frame_.state.poses.size();
  simulate::report_joints(model(), first ? frame_.state.poses : before_, frame_.state,
                          frame_.report, out);
  return out;
}

tl::unexpected<Errors> no_frames(const std::string& path, const TraceWalk::Ending& ending) {
  Error error;
  error.file = path;
  error.code = ErrorCode::empty;
  error.what = "the trace holds no frame" + (ending.reason.empty() ? "" : ": " + ending.reason);
  error.fix = "run the scene again";
  return fail(error);
}

}  // namespace cairn::record
