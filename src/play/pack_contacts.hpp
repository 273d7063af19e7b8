// Contacts of all frames as columns.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "play/clip.hpp"

namespace cairn::play {

// A contact is stored as differences: its bodies to those of the contact before it, the 16-bit
// columns to the same contact one frame earlier (same bodies, same place among the contacts of
// these bodies), or to zero.
struct ContactColumns {
  std::vector<std::uint32_t> counts;                  // of each frame
  std::vector<float> force_scale;                     // of each frame, a power of two [N]
  std::vector<std::uint32_t> body_a, body_b;          // differences, modulo 2^32
  std::vector<std::uint8_t> flags;                    // mode + 4 colliding + 8 kind
  std::array<std::vector<std::uint16_t>, 8> columns;  // point x y z, octahedral normal u v, force x
                                                      // y z / force_scale; zigzag differences
  std::array<double, 3> lo = {}, quantum = {};        // of points [m]
};

ContactColumns contact_columns(std::span<const ClipFrame* const> frames);

}  // namespace cairn::play
