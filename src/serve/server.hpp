// The server of the live view: listens on the loopback interface, one loop over all sockets, none
// of them ever waited for.
#pragma once

#include <list>

#include "serve/connection.hpp"
#include "serve/live_run.hpp"

namespace cairn::serve {

class Server {
 public:
  // Port 0: the system chooses one. The scene is paused at first.
  static Result<std::unique_ptr<Server>> start(Scene scene, std::uint16_t port,
                                               const ServerLimits& limits = {});
  // Shows what `make` gives; its argument is to be called when there is news.
  using MakeFeed = std::function<std::shared_ptr<Feed>(std::function<void()> wake)>;
  static Result<std::unique_ptr<Server>> start(const MakeFeed& make, std::uint16_t port,
                                               const ServerLimits& limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Serves until `ended` says so; asks it several times a second, and after signals.
  void serve(const std::function<bool()>& ended);

  const Gate& gate() const { return gate_; }
  Feed& feed() { return *feed_; }
  LiveRun& run() { return static_cast<LiveRun&>(*feed_); }  // of a server that has a scene

 private:
  Server(int listener, int bell, std::uint16_t port, const ServerLimits& limits);
  void accept_all();
  void make_room();
  void remove_ended();
  void serve_once();
  void spread_news();
  std::size_t count(bool strangers) const;

  int listener_, bell_;  // the bell is rung by the simulation's thread when there is news
  ServerLimits limits_;
  Gate gate_;
  std::shared_ptr<Feed> feed_;
  Feed::News news_;
  std::list<Connection> connections_;
  std::uint64_t next_id_ = 1;
  bool deaf_ = false;  // out of descriptors: listen again when one is free
};

}  // namespace cairn::serve
