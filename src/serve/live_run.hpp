// The simulation on a thread of its own, in real time as far as it can. Nobody who looks on can
// hold it up: commands come through a short queue, of frames the newest replaces the last.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "serve/feed.hpp"
#include "serve/live_bytes.hpp"
#include "serve/session.hpp"

namespace cairn::serve {

constexpr std::chrono::duration<double> frame_time{1.0 / 60};  // between frames, at least

// Simulated time against the clock.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  void set_speed(double speed, double t);
  void restart(double t);  // after a pause

  // When the step that ends at t may be taken. One that is late by much shifts all that follow: a
  // simulation that is slower than real time does not run after it.
  Clock::time_point due(double t);

  // To be told of every step; measures the factor that is reached.
  void took_step(double t);
  void stopped() { pace_.factor = 0; }

  const Pace& pace() const { return pace_; }

 private:
  Pace pace_;
  double start_t_ = 0, window_t_ = 0;
  Clock::time_point start_ = Clock::now(), window_ = start_;
};

class LiveRun final : public Feed {
 public:
  // `wake` is called from the simulation's thread when there is news; it must not block. Paused at
  // first.
  LiveRun(Scene scene, std::function<void()> wake);
  ~LiveRun() override;
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  // False if too many wishes of this client wait already. A newer place of a hand replaces an older
  // one that still waits.
  bool post(const Command& command) override;
  static constexpr std::ptrdiff_t queue_limit = 64;  // of a client
  static constexpr std::size_t reply_limit = 1024;   // of all of them

  News take_news() override;  // throws what ended the thread, if something did

  // With nobody looking no frames are made.
  void set_watched(bool watched) override;

  std::int64_t steps() const;  // taken since the program began, resets or not

 private:
  void loop();
  void carry_out(const Command& command);
  void publish_hello();
  void publish_status();
  void publish_frame();

  std::function<void()> wake_;
  Session session_;  // of the thread alone, once it runs
  Pacer pacer_;
  Text scene_;  // what `save` gives, until a setting changes
  Pacer::Clock::time_point last_frame_{};

  mutable std::mutex mutex_;  // of all below; never held during a step
  std::condition_variable changed_;
  std::vector<Command> commands_;
  News news_;
  bool ending_ = false, watched_ = false;
  std::int64_t steps_ = 0;
  std::exception_ptr fault_;

  std::atomic<bool> urgent_ = false;  // the step at hand should not be waited for

  std::thread thread_;  // the last member: it begins when all others are there
};

}  // namespace cairn::serve
