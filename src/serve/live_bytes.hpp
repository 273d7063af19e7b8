// What is sent to a page: JSON texts for what changes seldom, bytes for frames (docs/viewer.md,
// "What goes over the wire").
#pragma once

#include <string>

#include "serve/session.hpp"

namespace cairn::serve {

// Sent to every page that connects.
std::string hello_text(const Session& session);

struct Pace {
  double speed = 1;   // wanted: simulated seconds per second; 0: as fast as possible [-]
  double factor = 0;  // reached, over the last half second or longer [-]
};

std::string status_text(const Session& session, const Pace& pace);
std::string error_text(const Errors& errors);
std::string scene_text(const Session& session);

std::string frame_bytes(const play::ClipFrame& frame, const Session& session, const Pace& pace);

}  // namespace cairn::serve
