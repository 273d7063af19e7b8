// Compression of bytes by zlib, fast rather than small.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cairn::bytes {

void compress(std::span<const std::uint8_t> bytes, std::vector<std::uint8_t>& out);

// False: `bytes` are not `size` compressed bytes.
bool decompress(std::span<const std::uint8_t> bytes, std::size_t size,
                std::vector<std::uint8_t>& out);

}  // namespace cairn::bytes
