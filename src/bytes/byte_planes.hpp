// Numbers as bytes: little-endian values, and planes of equal bytes of many numbers, which compress
// well.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace cairn::bytes {

static_assert(std::endian::native == std::endian::little, "the clip is written as it lies");

template <class Number>
void put_number(std::string& out, Number x) {
  char bytes[sizeof x];
  std::memcpy(bytes, &x, sizeof x);
  out.append(bytes, sizeof x);
}

// A difference of 16-bit numbers, modulo 2^16, with small ones of either sign as small numbers: 0,
// -1, 1, -2 become 0, 1, 2, 3.
inline std::uint16_t zigzag(std::uint16_t now, std::uint16_t before) {
  const auto d = static_cast<std::int16_t>(static_cast<std::uint16_t>(now - before));
  return static_cast<std::uint16_t>((static_cast<std::uint16_t>(d) << 1) ^
                                    static_cast<std::uint16_t>(d >> 15));
}

// First the lowest byte of every number, then the next one, ...
template <class Number>
void put_planes(std::string& out, std::span<const Number> numbers) {
  for (std::size_t plane = 0; plane < sizeof(Number); ++plane)
    for (const Number x : numbers) out.push_back(static_cast<char>((x >> (8 * plane)) & 0xff));
}

}  // namespace cairn::bytes
