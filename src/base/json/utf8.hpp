// The few things about UTF-8 that the reader of scenes needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::json {

// Bytes of the valid character at the beginning of a nonempty text; 0 if it is not valid UTF-8
// (overlong forms, surrogates and cut characters included).
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(i < text.size() ? text[i] : '\0');
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool too_large = first == 0xF4 && byte(1) >= 0x90;
    return continues(1) && continues(2) && continues(3) && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

inline void append_utf8(std::uint32_t point, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto rest = [&](int shift) { put(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | (point >> 6));
    rest(0);
  } else if (point < 0x10000) {
    put(0xE0 | (point >> 12));
    rest(6);
    rest(0);
  } else {
    put(0xF0 | (point >> 18));
    rest(12);
    rest(6);
    rest(0);
  }
}

}  // namespace cairn::json
