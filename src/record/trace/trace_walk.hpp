// A trace from its first frame to its last, each held against the scene that it belongs to.
#pragma once

#include <string>
#include <vector>

#include "cairn/scene.hpp"
#include "cairn/trace.hpp"

namespace cairn::record {

class TraceWalk {
 public:
  // Fails if the file is no trace, or its scene cannot be read.
  static Result<TraceWalk> open(const std::string& path);

  const Scene& scene() const { return scene_; }
  const Model& model() const { return *scene_.model; }

  // Reads the next frame; false at the end, see ending(). Of a recording that leaves out contacts
  // and problems of some steps, frames that have them; their figures and energies are those of all
  // steps since the one before.
  bool next();
  const TraceFrame& frame() const { return frame_; }
  // Contact forces of frame() as they are shown (E620): those of the recording if it has them, else
  // computed at the first call for a frame.
  const ShownForces& forces() const;
  std::int64_t frames() const { return frames_; }  // read so far, the initial one included

  // Motion of the body frame in frame(), bodies with prescribed motion included: those have the
  // mean velocity of the step, in the initial frame zero.
  BodyMotion motion(BodyId body) const;

  // Joints of frame(); in the initial frame and at level states without reactions.
  std::vector<JointReport> joints() const;

  struct Ending {
    TraceEvent event = TraceEvent::frame;  // frame: not there yet
    std::uint64_t dropped_bytes = 0;       // truncated
    std::string reason;                    // corrupt: where and what
  };
  const Ending& ending() const { return ending_; }

 private:
  TraceWalk(Scene scene, TraceReader reader)
      : scene_(std::move(scene)), reader_(std::move(reader)), display_(scene_.simulation.forces) {}
  void find_velocities();
  bool read();
  Scene scene_;
  TraceReader reader_;
  TraceFrame frame_;
  mutable ForceDisplay display_;
  mutable const ShownForces* forces_ = nullptr;  // of frame_; null: not asked for yet
  std::vector<Pose> before_;                     // poses of the frame before
  std::int64_t frames_ = 0;
  Ending ending_;
};

// "the trace holds no frame", with the reason if the walk knows one.
tl::unexpected<Errors> no_frames(const std::string& path, const TraceWalk::Ending& ending);

}  // namespace cairn::record
