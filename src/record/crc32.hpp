// CRC-32 as in zip and PNG, by zlib: finds every burst of up to 32 flipped bits.
#pragma once

#include <cstdint>
#include <span>
#include <zlib.h>

namespace cairn {

// The checksum of `bytes`, or of an earlier piece followed by `bytes` if its checksum is passed as
// `before`.
inline std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(::crc32_z(before, bytes.data(), bytes.size()));
}

}  // namespace cairn
