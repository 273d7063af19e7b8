// What the server has to give: a table in the program, nothing from the file system.
#pragma once

#include <cstdint>
#include <string_view>

#include "serve/web/http.hpp"

namespace cairn::serve {

// The page "", its script, its style and its icon; 404 for every other name.
// `framed`: pages of this machine may have it in a frame, as notebooks do.
Answer page_named(std::string_view name, std::uint16_t port, bool framed = false);

}  // namespace cairn::serve
