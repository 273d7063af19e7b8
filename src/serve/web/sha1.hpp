// SHA-1, which the opening handshake of WebSocket asks for (RFC 6455, 4.2.2). It protects nothing
// here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cairn::serve {

std::array<std::uint8_t, 20> sha1(std::string_view bytes);

}  // namespace cairn::serve
