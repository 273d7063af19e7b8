// Reading our JSON problem files: checks of values with their place, and the keys of the laws that
// both forms of a problem share.
#pragma once

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <span>

#include "base/error_list.hpp"
#include "base/json/document.hpp"
#include "base/suggestion.hpp"
#include "cairn/reduced.hpp"
#include "problem/files/text_file.hpp"

namespace cairn::problem {

constexpr json::DocumentLimits problem_limits = {.bytes = largest_problem_file,
                                                 .nodes = 40'000'000};

// Most bodies or constraints of a problem.
constexpr int most_items = 1 << 24;

std::string joined(std::span<const std::string_view> names);

// Walks through the document; every fault becomes an Error with its place.
class JsonReader {
 public:
  explicit JsonReader(std::string file) : file_(std::move(file)) {}

  void error(const json::Node& at, const std::string& path, ErrorCode code, const std::string& what,
             const std::string& got = "", const std::string& allowed = "",
             const std::string& fix = "") {
    errors_.add({ErrorKind::input, code, file_, at.line, at.column, path, what, got, allowed, fix});
  }
  bool failed() const { return !errors_.empty(); }
  tl::unexpected<Errors> errors() { return tl::unexpected(errors_.take()); }

  // An object with no keys but these.
  bool object(const json::Node& value, const std::string& path,
              std::initializer_list<std::string_view> keys) {
    if (!value.is(json::Node::Kind::object)) {
      error(value, path, ErrorCode::wrong_type, "expected an object", json::summary(value));
      return false;
    }
    const std::span known(keys.begin(), keys.size());
    for (const json::Key& key : value.keys) {
      if (std::find(keys.begin(), keys.end(), key.text) != keys.end()) continue;
      errors_.add({ErrorKind::input, ErrorCode::unknown_key, file_, key.line, key.column, path,
                   "unknown key", json::to_json(json::Node(key.text)), joined(known),
                   base::did_you_mean(key.text, known)});
    }
    return true;
  }

  // The member, or null with an error where it is missing.
  const json::Node* member(const json::Node& object, const std::string& path, const char* key) {
    const json::Node* found = object.find(key);
    if (!found)
      error(object, path, ErrorCode::missing_key, std::string("missing key \"") + key + "\"");
    return found;
  }

  bool number(const json::Node& value, const std::string& path, double& out) {
    if (!value.is(json::Node::Kind::number)) {
      error(value, path, ErrorCode::wrong_type, "expected a number", json::summary(value));
      return false;
    }
    out = value.number;
    return true;
  }

  bool integer(const json::Node& value, const std::string& path, int lo, int hi, int& out) {
    const std::string allowed = fmt::format("an integer from {} to {}", lo, hi);
    if (!value.is(json::Node::Kind::number) || value.number != std::floor(value.number) ||
        value.number < lo || value.number > hi) {
      error(value, path, ErrorCode::out_of_range, "not an allowed index or count",
            json::summary(value), allowed);
      return false;
    }
    out = static_cast<int>(value.number);
    return true;
  }

  // An array with a number of entries in [lo, hi]; -1 where it is not.
  int array(const json::Node& value, const std::string& path, int lo, int hi) {
    const std::string size = lo == hi ? fmt::format("{}", lo) : fmt::format("{} to {}", lo, hi);
    if (!value.is(json::Node::Kind::array)) {
      error(value, path, ErrorCode::wrong_type, "expected an array", json::summary(value),
            size + " entries");
      return -1;
    }
    if (value.items.size() < static_cast<std::size_t>(lo) ||
        value.items.size() > static_cast<std::size_t>(hi)) {
      error(value, path, ErrorCode::wrong_size, "wrong number of entries",
            fmt::format("{}", value.items.size()), size);
      return -1;
    }
    return static_cast<int>(value.items.size());
  }

  bool numbers(const json::Node& value, const std::string& path, int size, double* out) {
    if (array(value, path, size, size) < 0) return false;
    bool good = true;
    for (int i = 0; i < size; ++i)
      good &=
          number(value.items[static_cast<std::size_t>(i)], fmt::format("{}[{}]", path, i), out[i]);
    return good;
  }

 private:
  std::string file_;
  base::ErrorList errors_;
};

// Rows that a law takes.
struct LawRule {
  Law law;
  int least_rows, most_rows;
};

// Null with an error where the law is unknown.
const LawRule* read_law(const json::Node& value, const std::string& path, JsonReader& reader);

// Keys that belong to one law only; `set` comes with law and rows.
void read_law_data(const json::Node& value, const std::string& path, JsonReader& reader,
                   ReducedConstraint& c);

// The key "name", if it is there.
void read_name(const json::Node& value, const std::string& path, JsonReader& reader,
               std::string& name);

}  // namespace cairn::problem
