// FIPS 180-4, section 6.1, word by word.
#include "serve/web/sha1.hpp"

#include <bit>
#include <string>

namespace cairn::serve {
namespace {

using Sha1State = std::array<std::uint32_t, 5>;

std::uint32_t word_at(const char* bytes) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = (word << 8) | static_cast<std::uint8_t>(bytes[i]);
  return word;
}

void add_block(const char* block, Sha1State& state) {
  std::array<std::uint32_t, 80> w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = word_at(block + 4 * t);
  for (std::size_t t = 16; t < 80; ++t)
    w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  auto [a, b, c, d, e] = state;
  for (std::size_t t = 0; t < 80; ++t) {
    const std::uint32_t f = t < 20   ? (b & c) ^ (~b & d)
                            : t < 40 ? b ^ c ^ d
                            : t < 60 ? (b & c) ^ (b & d) ^ (c & d)
                                     : b ^ c ^ d;
    const std::uint32_t k = t < 20   ? 0x5a827999u
                            : t < 40 ? 0x6ed9eba1u
                            : t < 60 ? 0x8f1bbcdcu
                                     : 0xca62c1d6u;
    const std::uint32_t next = std::rotl(a, 5) + f + e + k + w[t];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

}  // namespace

std::array<std::uint8_t, 20> sha1(std::string_view bytes) {
  Sha1State state = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
  std::string padded(bytes);
  padded += '\x80';
  padded.resize((padded.size() + 8 + 63) / 64 * 64 - 8, '\0');
  const std::uint64_t bits = 8 * std::uint64_t{bytes.size()};
  for (int shift = 56; shift >= 0; shift -= 8)
    padded += static_cast<char>(static_cast<std::uint8_t>(bits >> shift));
  for (std::size_t at = 0; at < padded.size(); at += 64) add_block(padded.data() + at, state);
  std::array<std::uint8_t, 20> digest;
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

}  // namespace cairn::serve
