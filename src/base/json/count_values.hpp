// How many values a JSON text holds, without building any of them.
#pragma once

#include <cstddef>
#include <string_view>

namespace cairn::json {

// Exact for a well-formed document, comments and all; some number for any other text.
std::size_t count_values(std::string_view text);

}  // namespace cairn::json
