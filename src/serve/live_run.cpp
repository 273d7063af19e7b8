// The loop of the simulation's thread, and the mailboxes between it and the server's.
#include "serve/live_run.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>

namespace cairn::serve {
namespace {

using Clock = Pacer::Clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds most_late{0.1};    // what it tries to catch up
constexpr Seconds window_time{0.5};  // of the measured factor
constexpr double most_speed = 1000;  // simulated seconds per second

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Clock::time_point later(Clock::time_point from, double seconds) {
  // A year is never; a longer one would overflow the clock.
  constexpr double year = 3e7;
  return from + std::chrono::duration_cast<Clock::duration>(Seconds(std::min(seconds, year)));
}

}  // namespace

void Pacer::set_speed(double speed, double t) {
  pace_.speed = speed;
  restart(t);
}

void Pacer::restart(double t) {
  start_t_ = window_t_ = t;
  start_ = window_ = Clock::now();
}

Clock::time_point Pacer::due(double t) {
  if (pace_.speed == 0) return {};  // long ago
  Clock::time_point due = later(start_, (t - start_t_) / pace_.speed);
  const Clock::time_point now = Clock::now();
  if (now - due > most_late) {
    start_t_ = t;
    start_ = due = now;
  }
  return due;
}

void Pacer::took_step(double t) {
  const Clock::time_point now = Clock::now();
  const Seconds passed = now - window_;
  if (passed < window_time) return;
  pace_.factor = (t - window_t_) / passed.count();
  window_t_ = t;
  window_ = now;
}

LiveRun::LiveRun(Scene scene, std::function<void()> wake)
    : wake_(std::move(wake)), session_(std::move(scene)) {
  session_.set_clock(thread_seconds);
  session_.set_interrupt(
      {.asked = [](void* urgent) { return static_cast<std::atomic<bool>*>(urgent)->load(); },
       .context = &urgent_});
  publish_hello();
  publish_status();
  publish_frame();
  thread_ = std::thread([this] {
    try {
      loop();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      fault_ = std::current_exception();
    }
    wake_();
  });
}

LiveRun::~LiveRun() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    urgent_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool LiveRun::post(const Command& command) {
  {
    const std::lock_guard lock(mutex_);
    if (command.kind == Command::Kind::drag)
      for (auto last = commands_.rbegin(); last != commands_.rend(); ++last) {
        if (last->client != command.client) continue;
        if (last->kind == Command::Kind::drag) {
          last->target = command.target;
          return true;
        }
        break;  // something else of this client stands between: the order matters
      }
    const auto waiting = std::count_if(commands_.begin(), commands_.end(), [&](const Command& c) {
      return c.client == command.client;
    });
    // A hand that lets go is always heard.
    if (waiting >= queue_limit && command.kind != Command::Kind::drop) return false;
    commands_.push_back(command);
    // Who pauses or resets does not want to see the end of a long step.
    if (command.kind == Command::Kind::pause || command.kind == Command::Kind::reset)
      urgent_ = true;
  }
  changed_.notify_all();
  return true;
}

Feed::News LiveRun::take_news() {
  const std::lock_guard lock(mutex_);
  if (fault_) std::rethrow_exception(fault_);
  News news = news_;
  news_.replies.clear();
  return news;
}

void LiveRun::set_watched(bool watched) {
  const std::lock_guard lock(mutex_);
  watched_ = watched;
}

std::int64_t LiveRun::steps() const {
  const std::lock_guard lock(mutex_);
  return steps_;
}

void LiveRun::loop() {
  std::vector<Command> taken;
  for (;;) {
    bool watched = false;
    {
      std::unique_lock lock(mutex_);
      const auto called = [this] { return ending_ || !commands_.empty(); };
      if (!session_.wants_step())
        changed_.wait(lock, called);
      else if (session_.running())
        changed_.wait_until(lock, pacer_.due(session_.state().t + session_.h()), called);
      if (ending_) return;
      taken.clear();
      std::swap(taken, commands_);
      urgent_ = false;
      watched = watched_;
    }
    for (const Command& command : taken) carry_out(command);
    const bool running = session_.running();
    const double t = session_.state().t + session_.h();
    bool steps = session_.wants_step() && (!running || Clock::now() >= pacer_.due(t));
    if (steps) steps = session_.step().status != StepStatus::interrupted;
    if (steps) {
      pacer_.took_step(session_.state().t);
      const std::lock_guard lock(mutex_);
      ++steps_;
    }
    if (running != session_.running() || (steps && !session_.message().empty())) {
      pacer_.stopped();
      publish_status();
    }
    const bool still = !session_.wants_step();  // what stands still is shown as it is
    const bool due = watched && steps && Clock::now() - last_frame_ >= frame_time;
    if (due || (still && (steps || !taken.empty()))) publish_frame();
  }
}

void LiveRun::carry_out(const Command& command) {
  using Kind = Command::Kind;
  Reply reply{.client = command.client, .text = nullptr};
  const bool ran = session_.running();
  bool changes = true;
  if (command.kind == Kind::speed) {
    if (command.value >= 0 && command.value <= most_speed) {
      pacer_.set_speed(command.value, session_.state().t);
    } else {
      Error error;
      error.code = ErrorCode::out_of_range;
      error.path = "speed";
      error.what = "is out of range";
      error.allowed = fmt::format("0 to {}", most_speed);
      reply.text = shared_text(error_text({error}));
    }
  } else if (command.kind == Kind::save) {
    if (!scene_) scene_ = shared_text(scene_text(session_.scene()));
    reply.text = scene_;
    changes = false;
  } else {
    changes = command.kind != Kind::grab && command.kind != Kind::drag &&
              command.kind != Kind::drop && command.kind != Kind::step;
    const Result<void> done = session_.carry_out(command);
    const bool setting = command.kind == Kind::friction || command.kind == Kind::restitution ||
                         command.kind == Kind::step_length || command.kind == Kind::gravity;
    if (done && setting) publish_hello();
    if (!done) reply.text = shared_text(error_text(done.error()));
    if (command.kind == Kind::start || command.kind == Kind::reset)
      pacer_.restart(session_.state().t);
    if (!session_.running()) pacer_.stopped();
  }
  if (changes || ran != session_.running()) publish_status();
  if (!reply.text) return;
  {
    const std::lock_guard lock(mutex_);
    if (news_.replies.size() >= reply_limit) news_.replies.erase(news_.replies.begin());
    news_.replies.push_back(std::move(reply));
  }
  wake_();
}

// The scene in a greeting and in what is saved has the settings of now.
void LiveRun::publish_hello() {
  Text hello = shared_text(hello_text(session_.scene()));
  scene_ = nullptr;
  const std::lock_guard lock(mutex_);
  news_.hello = std::move(hello);
}

void LiveRun::publish_status() {
  Text status = shared_text(status_text(session_, pacer_.pace()));
  {
    const std::lock_guard lock(mutex_);
    news_.status = std::move(status);
    ++news_.status_number;
  }
  wake_();
}

void LiveRun::publish_frame() {
  Text frame = shared_text(frame_bytes(session_.frame(), session_, pacer_.pace()));
  last_frame_ = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    news_.frame = std::move(frame);
    ++news_.frame_number;
  }
  wake_();
}

}  // namespace cairn::serve
