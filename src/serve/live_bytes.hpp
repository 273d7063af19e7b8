// What is sent to a page: JSON texts for what changes seldom, bytes for frames (docs/viewer.md,
// "What goes over the wire").
#pragma once

#include <string>

#include "serve/session.hpp"

namespace cairn::serve {

// Sent to every page that connects. `passive`: it looks on and cannot steer.
std::string hello_text(const Scene& scene, bool passive = false);

struct Pace {
  double speed = 1;   // wanted: simulated seconds per second; 0: as fast as possible [-]
  double factor = 0;  // reached, over the last half second or longer [-]
};

std::string status_text(const Session& session, const Pace& pace);
// Of a simulation that a script drives.
std::string followed_status_text(const Pace& pace);
std::string error_text(const Errors& errors);
std::string scene_text(const Scene& scene);

// What a frame says beside bodies and contacts.
struct FrameHead {
  std::uint32_t run = 0;  // counts resets
  double h = 0;           // [s]
  LiveTotals totals = {};
};
std::string frame_bytes(const play::ClipFrame& frame, const FrameHead& head, const Pace& pace);
std::string frame_bytes(const play::ClipFrame& frame, const Session& session, const Pace& pace);

}  // namespace cairn::serve
