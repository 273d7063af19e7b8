// Frames of a simulation that goes on elsewhere.
#include "serve/broadcast.hpp"

#include <algorithm>

#include "play/frame_of.hpp"
#include "serve/live_bytes.hpp"

namespace cairn::serve {
namespace {

constexpr std::chrono::duration<double> unwatched_time{1.0 / 4};  // while nobody looks on

}  // namespace

Broadcast::Broadcast(const Scene& scene, const Simulator& simulator, std::function<void()> wake)
    : scene_(scene),
      wake_(std::move(wake)),
      moving_(play::moving_bodies(*scene.model)),
      display_(scene.simulation.forces) {
  pacer_.set_speed(0, simulator.state().t);
  news_.hello = shared_text(hello_text(scene_, true));
  news_.status = shared_text(followed_status_text(pacer_.pace()));
  news_.status_number = 1;
  show(simulator, false);
}

void Broadcast::ring() {
  if (wake_) wake_();
}

void Broadcast::end() {
  ending_ = true;
  const std::lock_guard lock(mutex_);
  ring();
  wake_ = nullptr;
}

void Broadcast::set_speed(double speed, double t) {
  pacer_.set_speed(speed, t);
  {
    const std::lock_guard lock(mutex_);
    news_.status = shared_text(followed_status_text(pacer_.pace()));
    ++news_.status_number;
    ring();
  }
}

void Broadcast::took_step(const StepReport& report, const State& state) {
  ++totals_.steps;
  totals_.worst = std::max(totals_.worst, report.certificate);
  if (!report.accepted()) ++totals_.rejected;
  const play::ClipFigures now = play::figures_of(report);
  frame_.figures = fresh_ ? now : play::join(frame_.figures, now);
  fresh_ = false;
  stale_ = true;
  pacer_.took_step(state.t);
  if (Pacer::Clock::now() - last_frame_ >= (watched_ ? frame_time : unwatched_time))
    publish(&report, state);
}

void Broadcast::show(const Simulator& simulator, bool with_report) {
  if (fresh_ && !with_report)
    frame_.figures = {.kinetic = simulator.kinetic_energy(),
                      .potential = simulator.potential_energy()};
  publish(with_report ? &simulator.report() : nullptr, simulator.state());
}

void Broadcast::publish(const StepReport* report, const State& state) {
  // Pages forget what they have of a run that begins again.
  if (state.t < frame_.t) {
    ++run_;
    before_.clear();
    frame_.t = state.t;
    pacer_.restart(state.t);
  }
  frame_.contacts.clear();
  if (report)
    play::take_contacts(*report, display_.of(*report), Session::contact_limit, order_,
                        frame_.contacts);
  play::fill_bodies(*scene_.model, state, std::max(0.0, state.t - frame_.t), moving_, before_,
                    frame_);
  const FrameHead head{.run = run_, .h = scene_.simulation.step, .totals = totals_};
  Text frame = shared_text(frame_bytes(frame_, head, pacer_.pace()));
  last_frame_ = Pacer::Clock::now();
  fresh_ = true;
  stale_ = false;
  {
    const std::lock_guard lock(mutex_);
    news_.frame = std::move(frame);
    ++news_.frame_number;
    ring();
  }
}

bool Broadcast::post(const Command& command) {
  Text reply;
  if (command.kind == Command::Kind::save) {
    reply = shared_text(scene_text(scene_));
  } else {
    Error error;
    error.kind = ErrorKind::usage;
    error.code = ErrorCode::conflict;
    error.what = "a script drives this simulation; pages look on";
    reply = shared_text(error_text({error}));
  }
  {
    const std::lock_guard lock(mutex_);
    if (news_.replies.size() >= LiveRun::reply_limit) news_.replies.erase(news_.replies.begin());
    news_.replies.push_back({command.client, std::move(reply)});
    ring();
  }
  return true;
}

Feed::News Broadcast::take_news() {
  const std::lock_guard lock(mutex_);
  News news = news_;
  news_.replies.clear();
  return news;
}

}  // namespace cairn::serve
