// Chooses the frames of a clip: every step, then every second one, every fourth ... as the run
// grows.
#include "play/clip.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "play/frame_of.hpp"

namespace cairn::play {
namespace {

constexpr std::size_t bytes_per_body = 26, bytes_per_contact = 25;  // as pack.cpp writes them
constexpr std::size_t most_rejected = 64;                           // sentences kept
constexpr std::size_t least_frames = 16, least_contacts = 100;

std::string sentence_of(const StepReport& report) {
  const Verdict& verdict = report.verdict;
  for (const VerdictPart* part : {&verdict.motion, &verdict.energy, &verdict.solve})
    if (!part->ok && !part->sentence.empty()) return part->sentence;
  if (!report.message.empty()) return report.message;
  return fmt::format("residual {:.2g} of a solve exceeds the tolerance", report.certificate);
}

}  // namespace

Clip::Clip(const Scene& scene, const ClipLimits& limits) : scene_(&scene) {
  const Model& model = *scene.model;
  moving_ = moving_bodies(model);
  const std::size_t frame_bytes = bytes_per_body * std::max<std::size_t>(1, moving_.size());
  capacity_ = std::clamp(limits.body_bytes / frame_bytes, std::min(least_frames, limits.frames),
                         limits.frames);
  capacity_ += capacity_ % 2;  // neighbours merge in pairs
  // Frames that the run will leave, as far as the scene can tell.
  const double steps = scene.simulation.duration / scene.simulation.step;
  const double expected = std::clamp(steps + 1, 1.0, static_cast<double>(capacity_));
  contact_limit_ = std::max(least_contacts, limits.contact_bytes / bytes_per_contact /
                                                static_cast<std::size_t>(expected));
}

void Clip::add_initial(const State& state) {
  fill_bodies(*scene_->model, state, 0, moving_, before_, last_);
  keep_last();
}

void Clip::add(const StepReport& report, const State& state, const ShownForces& forces) {
  ClipFigures now = figures_of(report);
  if (report.failed()) {
    // The state is the one before: nothing new to see, but the step is counted.
    now.kinetic = last_.figures.kinetic;
    now.potential = last_.figures.potential;
  }
  if (!report.accepted() && rejected_.size() < most_rejected)
    rejected_.push_back({report.step, report.t, sentence_of(report)});
  // The first report carries the energy of the initial state.
  if (steps_ == 0 && used_ > 0) {
    kept_[0].figures.kinetic = report.ledger.kinetic_start;
    kept_[0].figures.potential = report.ledger.potential_start;
  }
  ++steps_;
  last_.figures = pending_ ? join(last_.figures, now) : now;
  const double h = report.failed() ? 0 : report.h;
  fill_bodies(*scene_->model, state, h, moving_, before_, last_);
  left_out_ += take_contacts(report, forces, contact_limit_, order_, last_.contacts);
  pending_ = true;
  if (steps_ % stride_ == 0) keep_last();
}

void Clip::keep_last() {
  if (used_ == capacity_) {
    merge();
    if (steps_ % stride_ != 0) return;
  }
  if (used_ == kept_.size()) kept_.emplace_back();
  kept_[used_++] = last_;
  pending_ = false;
}

// Frames 0, 2, 4 ... stay and take over the figures of the one before them. The last one is odd:
// its figures go to the state that follows.
void Clip::merge() {
  last_.figures = join(kept_[used_ - 1].figures, last_.figures);
  for (std::size_t i = 2; i < used_; i += 2) {
    kept_[i].figures = join(kept_[i - 1].figures, kept_[i].figures);
    std::swap(kept_[i / 2], kept_[i]);  // the other one goes to the back as spare memory
  }
  used_ /= 2;
  stride_ *= 2;
}

std::vector<const ClipFrame*> Clip::frames() const {
  std::vector<const ClipFrame*> all;
  for (std::size_t i = 0; i < used_; ++i) all.push_back(&kept_[i]);
  if (pending_) all.push_back(&last_);
  return all;
}

}  // namespace cairn::play
