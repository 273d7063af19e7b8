// Bytes as text that an HTML page can carry.
#pragma once

#include <string>
#include <string_view>

namespace cairn::bytes {

std::string base64(std::string_view bytes);
std::string from_base64(std::string_view text);  // up to the first character that is no digit

// As `DecompressionStream("deflate")` and zlib's uncompress() read it.
std::string deflated(const std::string& bytes);

}  // namespace cairn::bytes
