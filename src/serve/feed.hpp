// What the server shows and whom it asks: a simulation of its own (LiveRun), or one that a script
// drives (Broadcast).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "serve/command.hpp"

namespace cairn::serve {

using Text = std::shared_ptr<const std::string>;

inline Text shared_text(std::string bytes) {
  return std::make_shared<const std::string>(std::move(bytes));
}

// Virtual because the server is compiled once for both, and asks a few times a second.
class Feed {
 public:
  struct Reply {
    std::uint64_t client = 0;
    Text text;
  };
  struct News {
    Text hello, status, frame;  // the newest; numbers say whether they are new to you
    std::uint64_t status_number = 0, frame_number = 0;
    std::vector<Reply> replies;  // since the last call, the newest of them
  };

  virtual ~Feed() = default;

  // False if too many wishes of this client wait already.
  virtual bool post(const Command& command) = 0;
  virtual News take_news() = 0;
  // Pages look on and cannot steer: others on this machine, such as notebooks, may have them in
  // frames.
  virtual bool is_passive() const { return false; }
  // Whether anyone looks on.
  virtual void set_watched(bool watched) = 0;
};

}  // namespace cairn::serve
