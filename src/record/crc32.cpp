// CRC-32 eight bytes at a time ("slicing by eight"): table s holds the effect of a byte followed by
// s zero bytes.
#include "record/crc32.hpp"

#include <array>

namespace cairn {
namespace {

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t x = i;
    for (int bit = 0; bit < 8; ++bit) x = (x >> 1) ^ ((x & 1) ? 0xEDB88320u : 0u);
    tables[0][i] = x;
  }
  for (std::size_t s = 1; s < 8; ++s)
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t x = tables[s - 1][i];
      tables[s][i] = (x >> 8) ^ tables[0][x & 0xFF];
    }
  return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  std::uint32_t x = ~before;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    for (std::size_t j = 0; j < 4; ++j) x ^= static_cast<std::uint32_t>(bytes[i + j]) << (8 * j);
    x = tables[7][x & 0xFF] ^ tables[6][(x >> 8) & 0xFF] ^ tables[5][(x >> 16) & 0xFF] ^
        tables[4][x >> 24] ^ tables[3][bytes[i + 4]] ^ tables[2][bytes[i + 5]] ^
        tables[1][bytes[i + 6]] ^ tables[0][bytes[i + 7]];
  }
  for (; i < bytes.size(); ++i) x = (x >> 8) ^ tables[0][(x ^ bytes[i]) & 0xFF];
  return ~x;
}

}  // namespace cairn
