// Puts the embedded script, its style and a clip together.
#include "play/player.hpp"

#include <fmt/format.h>

#include "bytes/text_form.hpp"
#include "play/player_files.hpp"

namespace cairn::play {
namespace {

// The policy names the one script by its hash, so that nothing else runs whatever a scene holds.
// Styles in the page may be anything: they can load nothing.
std::string policy() {
  return fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'sha256-{}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">",
      bytes::base64(player_script_sha256()));
}

}  // namespace

PlayerParts player_parts(const Clip& clip) {
  const PackedClip packed = pack(clip);
  PlayerParts parts;
  parts.errors = packed.errors;
  parts.frames = packed.frames;
  parts.head = policy() + "<style>" + std::string(player_style()) + "</style>";
  parts.element =
      "<div id=\"cairn-player\"><noscript>The player needs JavaScript; the page loads "
      "nothing from anywhere.</noscript></div><script type=\"text/plain\" "
      "id=\"cairn-clip\">" +
      bytes::base64(bytes::deflated(packed.bytes)) + "</script>";
  parts.script = "<script>" + std::string(player_script()) + "</script>";
  return parts;
}

// The script sets the title from the clip: names of users never become markup.
std::string player_page(const PlayerParts& parts) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">" + parts.head +
         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
         "<title>Cairn</title></head><body class=\"cairn-page\">" +
         parts.element + parts.script + "</body></html>\n";
}

}  // namespace cairn::play
