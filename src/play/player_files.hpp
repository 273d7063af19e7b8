// The built player of viewer/dist, which the build puts into the program (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace cairn::play {

std::string_view player_script();
std::string_view player_script_sha256();  // 32 bytes
std::string_view player_style();

}  // namespace cairn::play
