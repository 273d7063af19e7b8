// The options of a scheme or a solver as JSON, through their one description.
#pragma once

#include <variant>

#include "cairn/options.hpp"
#include "terminal/json.hpp"

namespace cairn::app {

struct OptionList {
  Json json;

  void number(const char* key, double& value, Range, const char*, const char*) {
    json[key] = value;
  }
  template <class Integer>
  void integer(const char* key, Integer& value, std::int64_t, std::int64_t, const char*) {
    json[key] = value;
  }
  void boolean(const char* key, bool& value, const char*) { json[key] = value; }
  template <class Enum>
  void choice(const char* key, Enum& value, Names names, const char*) {
    json[key] = names[static_cast<std::size_t>(value)];
  }
};

// {"type": "euler", "gamma": 1, ...}
template <class Variant>
Json option_list(Variant options) {
  OptionList list;
  list.json["type"] = name(options);
  std::visit([&list](auto& each) { describe(list, each); }, options);
  return list.json;
}

}  // namespace cairn::app
