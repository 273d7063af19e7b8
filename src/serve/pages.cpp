// The built player of viewer/dist, a page around it, an icon.
#include "serve/pages.hpp"

#include <fmt/format.h>

#include "play/player_files.hpp"

namespace cairn::serve {
namespace {

constexpr std::string_view index_page =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Cairn</title>"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
    "<link rel=\"icon\" href=\"icon.svg\"><link rel=\"stylesheet\" href=\"player.css\"></head>"
    "<body class=\"cairn-page\"><div id=\"cairn-player\" data-live=\"live\"><noscript>The live "
    "view needs JavaScript.</noscript></div><script src=\"player.js\"></script></body></html>\n";

constexpr std::string_view icon =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\"><g fill=\"#7a7f86\">"
    "<ellipse cx=\"16\" cy=\"25\" rx=\"13\" ry=\"5\"/><ellipse cx=\"16\" cy=\"16\" rx=\"9\" "
    "ry=\"4.5\"/><ellipse cx=\"16\" cy=\"8\" rx=\"6\" ry=\"4\"/></g></svg>\n";

// Scripts and styles from here alone; 'self' does not cover ws: in every browser.
std::string policy(std::uint16_t port, bool framed) {
  return fmt::format(
      "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src "
      "'self'; connect-src 'self' ws://127.0.0.1:{0} ws://localhost:{0}; base-uri 'none'; "
      "form-action 'none'; frame-ancestors {1}\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n",
      port, framed ? "http://127.0.0.1:* http://localhost:*" : "'none'");
}

}  // namespace

Answer page_named(std::string_view name, std::uint16_t port, bool framed) {
  const auto answer = [port, framed](std::string_view type, std::string_view body) {
    return Answer{.type = type, .body = std::string(body), .extra = policy(port, framed)};
  };
  if (name.empty()) return answer("text/html; charset=utf-8", index_page);
  if (name == "player.js") return answer("text/javascript; charset=utf-8", play::player_script());
  if (name == "player.css") return answer("text/css; charset=utf-8", play::player_style());
  if (name == "icon.svg") return answer("image/svg+xml", icon);
  return refusal(404);
}

}  // namespace cairn::serve
