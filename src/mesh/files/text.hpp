// Words, numbers and errors of mesh files.
#pragma once

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "cairn/error.hpp"

namespace cairn::mesh {

// At a line, or with line 0 at no place.
inline Error mesh_error(const std::string& file, int line, ErrorCode code, std::string what,
                        std::string got, std::string allowed, std::string fix) {
  return {.code = code,
          .file = file,
          .line = line,
          .what = std::move(what),
          .got = std::move(got),
          .allowed = std::move(allowed),
          .fix = std::move(fix)};
}

// A word of the file for a message: short, printable.
inline std::string shown(std::string_view word) {
  std::string text = "\"";
  for (const char c : word.substr(0, 40)) text += c >= ' ' && c < 127 ? c : '?';
  return text + "\"";
}

inline bool read_finite(std::string_view word, double& out) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto [stop, status] = std::from_chars(word.data(), end, out);
  return status == std::errc() && stop == end && std::isfinite(out);
}

inline bool read_index(std::string_view word, long& out) {
  const char* end = word.data() + word.size();
  const auto [stop, status] = std::from_chars(word.data(), end, out);
  return status == std::errc() && stop == end && !word.empty();
}

// Coordinates beyond this overflow when volumes are computed [m].
inline constexpr double largest_coordinate = 1e30;

// Words of a text parted by blanks.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  // Empty at the end.
  std::string_view next() {
    std::size_t i = 0;
    while (i < rest_.size() && is_blank(rest_[i])) ++i;
    std::size_t k = i;
    while (k < rest_.size() && !is_blank(rest_[k])) ++k;
    const std::string_view word = rest_.substr(i, k - i);
    rest_.remove_prefix(k);
    return word;
  }
  std::string_view rest() const { return rest_; }

 private:
  static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f' || c == '\\';
  }
  std::string_view rest_;
};

}  // namespace cairn::mesh
