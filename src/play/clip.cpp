// Chooses the frames of a clip: every step, then every second one, every fourth ... as the run
// grows.
#include "play/clip.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulate/step_motion.hpp"

namespace cairn {
namespace {

constexpr std::size_t bytes_per_body = 26, bytes_per_contact = 25;  // as pack.cpp writes them
constexpr std::size_t least_frames = 16, least_contacts = 100;

// Figures of the steps of `older` and `newer` together, `newer` being the frame that stays.
ClipFigures join(const ClipFigures& older, const ClipFigures& newer) {
  ClipFigures all = newer;
  all.penetration = std::max(older.penetration, newer.penetration);
  all.joint_error = std::max(older.joint_error, newer.joint_error);
  all.joint_angle = std::max(older.joint_angle, newer.joint_angle);
  all.certificate = std::max(older.certificate, newer.certificate);
  all.coulomb = std::max(older.coulomb, newer.coulomb);
  all.collisions += older.collisions;
  all.guard += older.guard;
  all.uncertified += older.uncertified;
  all.stopped += older.stopped;
  all.cpu_ms += older.cpu_ms;
  return all;
}

ClipFigures figures(const StepReport& r) {
  const bool stopped = r.status == StepStatus::stopped;
  return {.kinetic = r.ledger.kinetic_end,
          .potential = r.ledger.potential_end,
          .penetration = r.penetration,
          .joint_error = r.joint_error,
          .joint_angle = r.joint_error_angle,
          .certificate = r.certificate,
          .coulomb = r.coulomb_residual,
          .candidates = static_cast<double>(r.contacts.size()),
          .active = static_cast<double>(r.active_contacts),
          .collisions = static_cast<double>(r.collisions),
          .guard = static_cast<double>(r.guard_corrections),
          .uncertified = r.status == StepStatus::uncertified ? 1.0 : 0.0,
          .stopped = stopped ? 1.0 : 0.0,
          .cpu_ms = 1000 * r.seconds.total};
}

std::array<double, 3> triple(const Vec3& v) {
  return {v[0], v[1], v[2]};
}

// Beyond the range of float there is nothing to see.
float narrow(double x) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(std::isnan(x) ? 0 : x, -most, most));
}
std::array<float, 3> narrow(const Vec3& v) {
  return {narrow(v[0]), narrow(v[1]), narrow(v[2])};
}

// It carries a force, and a forged trace has put no infinity into it.
bool can_be_shown(const ContactReport& r) {
  return r.impulse != Vec3::Zero() && r.impulse.allFinite() && r.contact.p_WC.allFinite() &&
         r.contact.n_W.allFinite() && r.contact.t1_W.allFinite() && r.contact.t2_W.allFinite();
}

ClipContact contact(const ContactReport& report, double h) {
  const Contact& c = report.contact;
  const Vec3& l = report.impulse;
  const Vec3 force = (c.n_W * l[0] + c.t1_W * l[1] + c.t2_W * l[2]) / h;
  return {.body_a = static_cast<std::int32_t>(c.key.body_a),
          .body_b = static_cast<std::int32_t>(c.key.body_b),
          .mode = report.mode,
          .colliding = report.colliding,
          .point = triple(c.p_WC),
          .normal = narrow(c.n_W),
          .force = narrow(force)};
}

}  // namespace

std::array<double, ClipFigures::count> ClipFigures::list() const {
  return {kinetic,    potential, penetration, joint_error, joint_angle, certificate, coulomb,
          candidates, active,    collisions,  guard,       uncertified, stopped,     cpu_ms};
}

const std::array<const char*, ClipFigures::count>& ClipFigures::names() {
  static constexpr std::array<const char*, count> all = {
      "kinetic",     "potential",   "penetration", "joint_error", "joint_angle",
      "certificate", "coulomb",     "candidates",  "active",      "collisions",
      "guard",       "uncertified", "stopped",     "cpu_ms"};
  return all;
}

Clip::Clip(const Scene& scene, const ClipLimits& limits) : scene_(&scene) {
  const Model& model = *scene.model;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].kind != BodyKind::fixed) moving_.push_back(static_cast<BodyId>(i));
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

void Clip::fill(const State& state, double h) {
  last_.t = state.t;
  last_.step = state.step;
  last_.bodies.resize(moving_.size());
  if (before_.empty()) before_ = state.poses;
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    const BodyMotion m =
        step_motion(*scene_->model, state, moving_[i], before_[index(moving_[i])], h);
    const Quat& R = m.orientation;
    last_.bodies[i] = {.position = triple(m.position),
                       .orientation = {narrow(R.w()), narrow(R.x()), narrow(R.y()), narrow(R.z())},
                       .velocity = narrow(m.velocity),
                       .angular_velocity = narrow(m.angular_velocity)};
  }
  before_ = state.poses;
}

void Clip::add_initial(const State& state) {
  fill(state, 0);
  keep_last();
}

void Clip::add(const StepReport& report, const State& state) {
  ClipFigures now = figures(report);
  if (report.status == StepStatus::stopped) {
    // The state is the one before: nothing new to see, but the step is counted.
    now.kinetic = last_.figures.kinetic;
    now.potential = last_.figures.potential;
  }
  // Before the first step nobody has told the energy of the initial state.
  if (steps_ == 0 && used_ > 0) {
    kept_[0].figures.kinetic = report.ledger.kinetic_start;
    kept_[0].figures.potential = report.ledger.potential_start;
  }
  ++steps_;
  last_.figures = pending_ ? join(last_.figures, now) : now;
  fill(state, report.status == StepStatus::stopped ? 0 : report.h);
  take_contacts(report, last_.contacts);
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

void Clip::take_contacts(const StepReport& report, std::vector<ClipContact>& contacts) {
  contacts.clear();
  if (report.status == StepStatus::stopped || !(report.h > 0)) return;
  order_.clear();
  for (std::size_t i = 0; i < report.contacts.size(); ++i)
    if (can_be_shown(report.contacts[i])) order_.push_back(static_cast<std::int32_t>(i));
  const auto at = [&](std::int32_t i) -> const ContactReport& {
    return report.contacts[static_cast<std::size_t>(i)];
  };
  if (order_.size() > contact_limit_) {
    const auto stronger = [&](std::int32_t i, std::int32_t k) {
      const double x = at(i).impulse.squaredNorm(), y = at(k).impulse.squaredNorm();
      return x > y || (x == y && i < k);
    };
    left_out_ += static_cast<std::int64_t>(order_.size() - contact_limit_);
    std::nth_element(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(contact_limit_),
                     order_.end(), stronger);
    order_.resize(contact_limit_);
    std::sort(order_.begin(), order_.end());
  }
  for (const std::int32_t i : order_) contacts.push_back(contact(at(i), report.h));
}

std::vector<const ClipFrame*> Clip::frames() const {
  std::vector<const ClipFrame*> all;
  for (std::size_t i = 0; i < used_; ++i) all.push_back(&kept_[i]);
  if (pending_) all.push_back(&last_);
  return all;
}

}  // namespace cairn
