// Reads the head of a request, says where it leads; makes tokens.
#include "serve/gate.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <sys/random.h>
#include <system_error>

#include "serve/web/websocket.hpp"

namespace cairn::serve {
namespace {

bool is_our_host(std::string_view host, std::uint16_t port) {
  return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
}

bool is_our_origin(std::string_view origin, std::uint16_t port) {
  constexpr std::string_view scheme = "http://";
  return origin.starts_with(scheme) && is_our_host(origin.substr(scheme.size()), port);
}

// Takes as long for every wrong guess.
bool equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return difference == 0;
}

// 200 if the request asks for a WebSocket as it should.
int socket_status(const Request& request) {
  const auto upgrade = request.header("upgrade"), connection = request.header("connection");
  if (!upgrade || !lists(*upgrade, "websocket") || !connection || !lists(*connection, "upgrade"))
    return 426;
  if (request.header("sec-websocket-version") != "13") return 426;
  const auto key = request.header("sec-websocket-key");
  return key && is_key(*key) && request.method == "GET" ? 200 : 400;
}

}  // namespace

Gate::Pass Gate::judge(const Request& request) const {
  const auto host = request.header("host");
  if (!host) return {.status = 400};
  if (!is_our_host(*host, port)) return {.status = 403};
  const auto origin = request.header("origin");
  if (request.has("origin") && (!origin || !is_our_origin(*origin, port))) return {.status = 403};
  if (request.method != "GET" && request.method != "HEAD") return {.status = 405};
  if (request.has("transfer-encoding") ||
      (request.has("content-length") && request.header("content-length") != "0"))
    return {.status = 413};

  // /TOKEN/name
  const std::string_view target = request.target;
  const std::size_t slash = target.find('/', 1);
  if (slash == std::string_view::npos || !equal(target.substr(1, slash - 1), token))
    return {.status = 403};
  const std::string_view name = target.substr(slash + 1);
  if (name != "live") return {.way = Way::page, .status = 200, .name = std::string(name)};
  if (!origin) return {.status = 403};
  const int status = socket_status(request);
  if (status != 200) return {.status = status};
  return {.way = Way::socket, .status = 101, .name = "live"};
}

std::string Gate::address() const {
  return fmt::format("http://127.0.0.1:{}/{}/", port, token);
}

std::string random_token() {
  unsigned char bytes[16];
  std::size_t filled = 0;
  while (filled < sizeof bytes) {
    const ssize_t n = ::getrandom(bytes + filled, sizeof bytes - filled, 0);
    if (n < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "no random numbers");
    if (n > 0) filled += static_cast<std::size_t>(n);
  }
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace cairn::serve
