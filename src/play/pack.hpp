// The clip as the player in the browser reads it (docs/viewer.md, "What is in the page"): one
// header in JSON and arrays of 16-bit curves.
#pragma once

#include <string>

#include "play/clip.hpp"

namespace cairn::play {

// What rounding to 16 bits has cost, at most.
struct PackErrors {
  double position = 0;  // [m]
  double angle = 0;     // [rad]
  double contact = 0;   // of contact points [m]
};

struct PackedClip {
  std::string bytes;  // not compressed
  PackErrors errors;
  std::size_t frames = 0;
};

PackedClip pack(const Clip& clip);

// [{"name", "kind", "mass", "center"}, ...] of all bodies.
std::string bodies_json(const Model& model);

}  // namespace cairn::play
