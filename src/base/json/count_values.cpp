// One value at the root, one after each comma, one in each bracket that is not empty.
#include "base/json/count_values.hpp"

namespace cairn::json {
namespace {

// The place behind the string that opens at `at`.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at + 1;
}

// The place behind the comment that opens at `at`.
std::size_t behind_comment(std::string_view text, std::size_t at) {
  const bool block = text.substr(at, 2) == "/*";
  const std::size_t end = text.find(block ? "*/" : "\n", at + 2);
  return end == std::string_view::npos ? text.size() : end + (block ? 2 : 1);
}

}  // namespace

std::size_t count_values(std::string_view text) {
  std::size_t count = 1;
  char last = '\0';  // last character that is neither blank nor comment
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '/') {
      i = behind_comment(text, i);
      continue;
    }
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++i;
      continue;
    }
    if (c == ',') ++count;
    if ((last == '[' && c != ']') || (last == '{' && c != '}')) ++count;
    last = c;
    i = c == '"' ? behind_string(text, i) : i + 1;
  }
  return count;
}

}  // namespace cairn::json
