// Who may come in: the rules of the live view for a request, from its head alone.
#pragma once

#include <cstdint>
#include <string>

#include "serve/web/http.hpp"

namespace cairn::serve {

// Names of this server as a browser on this machine says them.
struct Gate {
  std::uint16_t port = 0;
  std::string token;    // part of every path
  bool framed = false;  // pages of this machine may have ours in a frame

  enum class Way : std::uint8_t { refuse, page, socket };
  struct Pass {
    Way way = Way::refuse;
    int status = 403;       // of a refusal
    std::string name = {};  // behind the token, such as player.js
  };

  // Host must be a loopback name with our port (a name that another site points here is refused),
  // Origin likewise where there is one, and always for a socket; then the token.
  Pass judge(const Request& request) const;

  std::string address() const;  // for the user's browser
};

// 32 hexadecimal digits from the system's random numbers.
std::string random_token();

}  // namespace cairn::serve
