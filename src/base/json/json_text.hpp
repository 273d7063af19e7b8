// Strings and numbers as JSON text.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <string>

#include "cairn/contact.hpp"

namespace cairn::json {

// A JSON string.
inline std::string json_string(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      result += c;
  }
  return result + '"';
}

// Shortest digits that read back to x. JSON readers take "-0" for the integer 0, which has no sign.
inline std::string digits(double x) {
  return x == 0 && std::signbit(x) ? "-0.0" : fmt::format("{}", x);
}

// The members that say which section a friction cone with three rows has.
inline std::string section_text(int facets, const FrictionPolygon* section) {
  if (!section) return fmt::format(", \"facets\": {}", facets);
  std::string text = ", \"polygon\": [";
  for (const Corner& c : *section)
    text +=
        fmt::format("{}[{}, {}]", &c == &section->front() ? "" : ", ", digits(c[0]), digits(c[1]));
  return text + "]";
}

}  // namespace cairn::json
