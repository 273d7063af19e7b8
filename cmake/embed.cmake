# Writes the files of the player as a C++ source: cmake -DSCRIPT=... -DSTYLE=... -DOUT=... -P embed.cmake
function(bytes_of name hex)
  string(REGEX REPLACE "(..)" "0x\\1," list "${hex}")
  set(text "${text}constexpr unsigned char ${name}[] = {${list}};\n" PARENT_SCOPE)
endfunction()

file(READ ${SCRIPT} script HEX)
file(READ ${STYLE} style HEX)
file(SHA256 ${SCRIPT} hash)
bytes_of(script "${script}")
bytes_of(style "${style}")
bytes_of(hash "${hash}")
file(WRITE ${OUT} "// Made by cmake/embed.cmake from viewer/dist.
#include \"play/player_files.hpp\"

namespace cairn::play {
namespace {
${text}
std::string_view view(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}
}  // namespace
std::string_view player_script() { return view(script, sizeof script); }
std::string_view player_script_sha256() { return view(hash, sizeof hash); }
std::string_view player_style() { return view(style, sizeof style); }
}  // namespace cairn::play
")
