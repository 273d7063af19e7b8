// A scene that is played with: the simulation, its settings and hands, without threads and clocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "play/clip.hpp"
#include "serve/command.hpp"
#include "serve/hand.hpp"

namespace cairn::serve {

// Of all steps since the start or the last reset.
struct LiveTotals {
  std::int64_t steps = 0, rejected = 0;
  double worst = 0;  // residual [-]
};

class Session {
 public:
  explicit Session(Scene scene);

  // Carries a command out; what it refuses leaves everything as it was. `speed`, `save` and `seen`
  // are the caller's.
  Result<void> carry_out(const Command& command);

  // The next step, if it runs or single steps are due; a step that is stopped pauses the run.
  bool wants_step() const { return running_ || due_ > 0; }
  const StepReport& step();

  bool running() const { return running_; }
  const std::string& message() const { return message_; }  // why it was stopped; empty: it was not
  std::uint32_t run() const { return run_; }               // counts resets
  const LiveTotals& totals() const { return totals_; }
  const Scene& scene() const { return scene_; }  // with the settings of now
  const State& state() const { return simulator_.state(); }
  double h() const { return scene_.simulation.step; }

  // The newest frame; its figures cover the steps since the last call.
  const play::ClipFrame& frame();
  static constexpr std::size_t contact_limit = 4096;  // of a frame

  std::string settings_json() const;

  void set_clock(double (*clock)());
  // Asked inside steps; one that is interrupted is not taken and still due.
  void set_interrupt(const Interrupt& interrupt);

 private:
  Result<void> rebuild(const ModelDescription& description);
  Result<void> set_material(const Command& command);
  Result<void> set_step_length(double h);
  Result<void> set_gravity(const Vec3& gravity);
  Result<void> grab(const Command& command);
  void reset();
  Hand* hand_of(std::uint64_t client);
  Simulator make_simulator(State state) const;

  struct Held {
    std::uint64_t client = 0;
    Hand hand;
  };

  Scene scene_;
  double first_step_;            // of the scene as it was read [s]
  double (*clock_)() = nullptr;  // before the simulator, which is made with it
  Interrupt interrupt_;          // the same
  Simulator simulator_;
  std::vector<BodyId> moving_;
  std::vector<Held> hands_;  // one per client at the most, in the order of grabbing
  Controls controls_;
  bool running_ = false;
  std::int64_t due_ = 0;  // single steps
  std::string message_;
  std::uint32_t run_ = 0;
  LiveTotals totals_;
  play::ClipFrame frame_;
  std::vector<Pose> before_;  // of that frame
  bool fresh_ = true;         // no step since frame() was called
  std::vector<std::int32_t> order_;
  ForceDisplay display_{scene_.simulation.forces};
};

}  // namespace cairn::serve
