#include "imports/messages.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace cairn::imports {
namespace {

constexpr std::size_t most_notes = 100'000;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

std::string in_quotes(std::string_view value) {
  return "\"" + std::string(value.substr(0, 60)) + (value.size() > 60 ? "..." : "") + "\"";
}

}  // namespace

std::string label(const Element& element) {
  for (const Attribute& a : element.attributes)
    if (a.name == "name" || a.name == "class")
      return element.name + "[" + a.value.substr(0, 60) + "]";
  return element.name;
}

std::string short_text(double x) {
  return fmt::format("{:.6g}", x);
}

int Messages::add_file(std::string file) {
  files_.push_back(std::move(file));
  return static_cast<int>(files_.size()) - 1;
}

void Messages::error(const Place& place, ErrorCode code, std::string path, std::string what,
                     std::string got, std::string allowed, std::string fix) {
  const bool limit =
      code == ErrorCode::too_many || code == ErrorCode::too_deep || code == ErrorCode::too_large;
  errors_.add({.kind = limit ? ErrorKind::limit : ErrorKind::input,
               .code = code,
               .file = file(place.file),
               .line = place.line,
               .column = place.column,
               .path = std::move(path),
               .what = std::move(what),
               .got = std::move(got),
               .allowed = std::move(allowed),
               .fix = std::move(fix)});
}

void Messages::append(const Errors& errors) {
  for (const Error& error : errors) errors_.add(error);
}

void Messages::note(const Place& place, std::string element, std::string attribute,
                    std::string text) {
  if (notes_.size() < most_notes)
    notes_.push_back({file(place.file), place.line, place.column, std::move(element),
                      std::move(attribute), std::move(text)});
}

void Messages::note_unused(const Element& root) {
  for (const Attribute& a : root.attributes)
    if (!a.used) note(a.place, root.name, a.name, "not taken over");
  for (const Element& child : root.children) {
    if (child.used)
      note_unused(child);
    else
      note(child.place, child.name, "", "not taken over");
  }
}

std::optional<std::vector<double>> Messages::numbers(const Element& element,
                                                     std::string_view attribute, std::size_t least,
                                                     std::size_t most) {
  const Attribute* a = element.find(attribute);
  if (!a) return {};
  const std::string path = label(element) + "." + a->name;
  std::vector<double> out;
  const char* at = a->value.data();
  const char* const end = at + a->value.size();
  while (true) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) break;
    const char* word = at;
    while (at != end && !is_blank(*at)) ++at;
    const char* start = word != at && *word == '+' ? word + 1 : word;
    double x = 0;
    const auto [stop, fault] = std::from_chars(start, at, x);
    if (stop != at || (fault != std::errc() && fault != std::errc::result_out_of_range)) {
      error(a->place, ErrorCode::wrong_type, path, "expected a number",
            in_quotes(std::string_view(word, static_cast<std::size_t>(at - word))), "",
            "write numbers separated by blanks");
      return {};
    }
    if (fault != std::errc() || !std::isfinite(x)) {
      error(a->place, ErrorCode::not_finite, path, "number is not finite",
            in_quotes(std::string_view(word, static_cast<std::size_t>(at - word))),
            "a finite number", "write a finite number");
      return {};
    }
    out.push_back(x);
    if (out.size() > most) break;
  }
  if (out.size() < least || out.size() > most) {
    const std::string allowed =
        least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
    error(a->place, ErrorCode::wrong_size, path, "wrong number of values", in_quotes(a->value),
          allowed + (most == 1 ? " number" : " numbers"), "write " + allowed);
    return {};
  }
  return out;
}

std::optional<double> Messages::number(const Element& element, std::string_view attribute) {
  const auto list = numbers(element, attribute, 1, 1);
  return list ? std::optional<double>(list->front()) : std::nullopt;
}

std::optional<Vec3> Messages::vector(const Element& element, std::string_view attribute) {
  const auto list = numbers(element, attribute, 3, 3);
  if (!list) return {};
  return Vec3((*list)[0], (*list)[1], (*list)[2]);
}

std::optional<bool> Messages::boolean(const Element& element, std::string_view attribute) {
  const Attribute* a = element.find(attribute);
  if (!a) return {};
  if (a->value == "true" || a->value == "1") return true;
  if (a->value == "false" || a->value == "0") return false;
  error(a->place, ErrorCode::unknown_choice, label(element) + "." + a->name,
        "expected a truth value", in_quotes(a->value), "true, false", "write one of them");
  return {};
}

}  // namespace cairn::imports
