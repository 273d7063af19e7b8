// What the player keeps of a run of any length: bounded numbers of frames and contacts, and figures
// of every step.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "cairn/solution_set.hpp"

namespace cairn::play {

// Figures of a frame for plots and for marks on the timeline. A frame stands for the steps since
// the frame before it: errors are the largest of them, counts of events their sum, the rest is of
// the frame itself.
struct ClipFigures {
  double kinetic = 0, potential = 0;        // [J]
  double penetration = 0, joint_error = 0;  // largest [m]
  double joint_angle = 0;                   // largest [rad]
  double certificate = 0;                   // largest [-]
  double coulomb = 0;                       // scheme relaxed: largest [-]
  double candidates = 0, active = 0;        // contacts
  double collisions = 0, guard = 0;         // sums
  double events = 0;                        // sum: contacts that stuck, slipped, took off
  double rejected = 0;      // sum: steps that are not accepted, stopped ones included
  double failed_solve = 0;  // sums: steps that fail in this part of the verdict
  double failed_motion = 0;
  double failed_energy = 0;
  double divided = 0;                       // sum: steps that were divided
  double stopped = 0;                       // sum: steps that were stopped
  double overlap = 0;                       // largest, of the smaller inner radius (E301) [-]
  double cpu_ms = 0;                        // sum [ms]
  double impacts = 0;                       // sum: contacts that collided
  double impact_loss = 0, impact_gain = 0;  // sums: energy that they took and put in [J]
  static constexpr std::size_t count = 23;
  std::array<double, count> list() const;  // in the order above
  static const std::array<const char*, count>& names();
};

// Pose and motion of a body frame, as in the scene format.
struct ClipBody {
  std::array<double, 3> position = {};    // of its origin [m]
  std::array<float, 4> orientation = {};  // w, x, y, z [-]
  std::array<float, 3> velocity = {};  // of its origin; of prescribed bodies the step's mean [m/s]
  std::array<float, 3> angular_velocity = {};  // in the world [rad/s]
};

struct ClipContact {
  std::int32_t body_a = 0, body_b = 0;
  ContactMode mode = ContactMode::open;
  bool colliding = false;
  ForceKind kind = ForceKind::unique;
  std::array<double, 3> point = {};  // [m]
  std::array<float, 3> normal = {};  // from a to b [-]
  std::array<float, 3> force = {};   // on b, impulse / h [N]
};

struct ClipFrame {
  double t = 0;  // [s]
  std::int64_t step = 0;
  ClipFigures figures;
  std::vector<ClipBody> bodies;       // of Clip::moving()
  std::vector<ClipContact> contacts;  // that carry a force, by key; the strongest where there are
                                      // more than Clip::contact_limit()
};

// A step that is not accepted, with the sentence of the first part of its verdict that failed.
struct RejectedStep {
  std::int64_t step = 0;
  double t = 0;  // at its end [s]
  std::string sentence;
};

struct ClipLimits {
  std::size_t frames = 1200;              // at most; half of them are left when neighbours merge
  std::size_t body_bytes = 32u << 20;     // of all frames, before compression: 26 per moving body
  std::size_t contact_bytes = 24u << 20;  // likewise: 25 per contact
};

class Clip {
 public:
  // `scene` must outlive the clip; its step and duration say how many frames to expect.
  explicit Clip(const Scene& scene, const ClipLimits& limits = {});

  void add_initial(const State& state);
  void add(const StepReport& report, const State& state, const ShownForces& forces = {});
  // Whether the next step that is added will be among the frames, as far as memory allows.
  bool keeps_next() const { return (steps_ + 1) % stride_ == 0; }

  // The frames kept, the first and the last state of the run included.
  std::vector<const ClipFrame*> frames() const;

  const Scene& scene() const { return *scene_; }
  const std::vector<BodyId>& moving() const { return moving_; }  // bodies that are not fixed
  std::int64_t steps() const { return steps_; }                  // seen
  std::int64_t stride() const { return stride_; }                // steps from frame to frame
  std::size_t contact_limit() const { return contact_limit_; }   // of a frame
  std::int64_t contacts_left_out() const { return left_out_; }   // of all steps seen, by that limit
  const std::vector<RejectedStep>& rejected() const { return rejected_; }  // the first ones

 private:
  void keep_last();
  void merge();

  const Scene* scene_;
  std::vector<BodyId> moving_;
  std::size_t capacity_ = 0, contact_limit_ = 0;
  std::vector<ClipFrame> kept_;  // the first used_; at multiples of stride_ steps from the start
  std::size_t used_ = 0;
  ClipFrame last_;        // the newest state; its figures cover the steps after kept_[used_ - 1]
  bool pending_ = false;  // last_ is not among the kept ones
  std::int64_t steps_ = 0, stride_ = 1, left_out_ = 0;
  std::vector<std::int32_t> order_;  // of contacts by force; memory
  std::vector<Pose> before_;         // of the last state added
  std::vector<RejectedStep> rejected_;
};

}  // namespace cairn::play
