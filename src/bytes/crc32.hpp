// CRC-32 as in zip and PNG, by zlib: finds every burst of up to 32 flipped bits.
#pragma once

#include <cstdint>
#include <span>

namespace cairn::bytes {

// The checksum of `bytes`, or of an earlier piece followed by `bytes` if its checksum is passed as
// `before`.
std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t before = 0);

}  // namespace cairn::bytes
