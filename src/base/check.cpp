// The message of a check that failed.
#include "cairn/check.hpp"

#include <fmt/format.h>
#include <vector>

namespace cairn {
namespace {

// From the folder of the project on: the machine that built the program is of no interest.
std::string_view project_path(std::string_view file) {
  constexpr std::string_view here = __FILE__, place = "src/base/check.cpp";
  static_assert(here.ends_with(place), "this file has moved: write down its new place");
  constexpr std::string_view root = here.substr(0, here.size() - place.size());
  if (file.starts_with(root)) file.remove_prefix(root.size());
  return file;
}

// Splits "a, f(b, c)" at the commas outside of brackets and quotes.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '(' || c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ')' || c == ']' || c == '}')) --depth;
    if (c == ',' && depth == 0 && !quoted) {
      parts.emplace_back();
      continue;
    }
    if (c == ' ' && parts.back().empty()) continue;
    parts.back() += c;
  }
  return parts;
}

std::string list_values(const char* arguments, std::initializer_list<CheckValue> values) {
  const std::vector<std::string> names = split(arguments);
  std::string text;
  std::size_t i = 0;
  for (const CheckValue& value : values) {
    if (i > 0) text += ", ";
    if (i < names.size()) text += names[i] + "=";
    text += value.text();
    ++i;
  }
  return text;
}

// Puts the values in place of the {} of the first.
std::string fill_in(std::initializer_list<CheckValue> values) {
  const std::string pattern = values.begin()->text();
  std::string text;
  const CheckValue* next = values.begin() + 1;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.compare(i, 2, "{}") == 0 && next != values.end()) {
      text += (next++)->text();
      ++i;
    } else {
      text += pattern[i];
    }
  }
  return text;
}

}  // namespace

InternalError::InternalError(std::string place, std::string condition, std::string values)
    : std::logic_error(place + ": " + condition + " does not hold" +
                       (values.empty() ? "" : " (" + values + ")")),
      place_(std::move(place)),
      condition_(std::move(condition)),
      values_(std::move(values)) {}

std::string CheckValue::text() const {
  switch (kind_) {
    case Kind::whole:
      return std::to_string(whole_);
    case Kind::real:
      return fmt::format("{}", real_);
    case Kind::text:
      break;
  }
  return std::string(text_);
}

void check_failed(const char* condition, const char* file, int line, const char* arguments,
                  std::initializer_list<CheckValue> values) {
  std::string text;
  if (values.size() > 0)
    text = *arguments == '"' ? fill_in(values) : list_values(arguments, values);
  throw InternalError(fmt::format("{}:{}", project_path(file), line), condition, std::move(text));
}

}  // namespace cairn
