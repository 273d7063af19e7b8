// A simulation that a script drives, for pages that look on: takes a step's report and state from
// the thread that simulates, makes frames of them, and refuses to steer.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>

#include "serve/feed.hpp"
#include "serve/live_run.hpp"

namespace cairn::serve {

class Broadcast final : public Feed {
 public:
  // `wake` is called when there is news; it must not block.
  Broadcast(const Scene& scene, const Simulator& simulator, std::function<void()> wake);

  // Of the thread that simulates, one call at a time. A step makes a frame where the last one is
  // old enough, 1/60 s while someone looks on; figures are those of all steps since that frame.
  void took_step(const StepReport& report, const State& state);
  // Makes a frame of the state as it is. `with_report`: it is that of the last step; else it was
  // set.
  void show(const Simulator& simulator, bool with_report);
  // Steps were taken since the last frame.
  bool is_stale() const { return stale_; }
  // The state was set from outside.
  void touch() { stale_ = true; }
  // No more news: the server is about to go.
  void end();
  bool is_ending() const { return ending_; }
  bool is_watched() const { return watched_; }

  // Simulated seconds a second that steps keep to; 0: as fast as they come.
  void set_speed(double speed, double t);
  // When the step that led to t may be followed by the next one.
  Pacer::Clock::time_point due(double t) { return pacer_.due(t); }

  bool post(const Command& command) override;
  News take_news() override;
  bool is_passive() const override { return true; }
  void set_watched(bool watched) override { watched_ = watched; }

 private:
  void publish(const StepReport* report, const State& state);
  void ring();  // with the mutex

  const Scene scene_;
  std::function<void()> wake_;
  std::vector<BodyId> moving_;
  Pacer pacer_;
  LiveTotals totals_;
  std::uint32_t run_ = 0;
  play::ClipFrame frame_;
  std::vector<Pose> before_;  // of that frame
  bool fresh_ = true;         // no step since the last frame
  std::vector<std::int32_t> order_;
  ForceDisplay display_;
  Pacer::Clock::time_point last_frame_{};
  std::atomic<bool> stale_ = false, watched_ = false, ending_ = false;

  std::mutex mutex_;  // of the news and of wake_
  News news_;
};

}  // namespace cairn::serve
