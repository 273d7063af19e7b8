// What a page may ask for: one JSON object a message, checked before the simulation sees it.
#pragma once

#include <cstdint>
#include <string_view>

#include "cairn/error.hpp"
#include "cairn/math.hpp"

namespace cairn::serve {

struct Command {
  enum class Kind : std::uint8_t {
    start,
    pause,
    step,
    reset,
    friction,
    restitution,
    step_length,
    gravity,
    speed,
    grab,
    drag,
    drop,
    save,
    seen,  // a frame has been shown: the connection may send the next one
  };
  Kind kind = Kind::pause;
  std::uint64_t client = 0;
  int index = -1;              // of a body, or of a material: -1 for all of them
  double value = 0;            // friction, restitution [-], step [s], speed [-]
  Vec3 point = Vec3::Zero();   // grab: in the body frame [m]
  Vec3 target = Vec3::Zero();  // grab, drag: in the world [m]; gravity [m/s^2]
};

Result<Command> read_command(std::string_view text);

}  // namespace cairn::serve
