// JSON output of the commands: keys keep the order in which they are set.
#pragma once

#include <nlohmann/json.hpp>

namespace cairn::app {

using Json = nlohmann::ordered_json;

// Text for a terminal or a file; bytes that are no UTF-8 become replacement characters.
inline std::string text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cairn::app
