// Sockets, and the loop over them.
#include "serve/server.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cairn::serve {
namespace {

constexpr int patience = 200;  // between two looks at the clock [ms]
constexpr int backlog = 64;

tl::unexpected<Errors> system_error(const std::string& what, std::string fix) {
  Error error;
  error.kind = ErrorKind::io;
  error.code = errno == EADDRINUSE ? ErrorCode::in_use : ErrorCode::cannot_write;
  error.what = what + ": " + std::strerror(errno);
  error.fix = std::move(fix);
  return fail(error);
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::uint16_t port_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

Result<int> listen_on(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return system_error("cannot make a socket", "close other programs");
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const sockaddr_in address = loopback(port);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(socket, backlog) == 0)
    return socket;
  const int fault = errno;
  ::close(socket);
  errno = fault;
  return system_error(fmt::format("cannot listen on port {} of 127.0.0.1", port),
                      "choose another with --port, or leave it out");
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(Scene scene, std::uint16_t port,
                                              const ServerLimits& limits) {
  return start(
      [&scene](std::function<void()> wake) {
        return std::make_shared<LiveRun>(std::move(scene), std::move(wake));
      },
      port, limits);
}

Result<std::unique_ptr<Server>> Server::start(const MakeFeed& make, std::uint16_t port,
                                              const ServerLimits& limits) {
  const Result<int> listener = listen_on(port);
  if (!listener) return tl::unexpected<Errors>(listener.error());
  const int bell = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (bell < 0) {
    const int fault = errno;
    ::close(*listener);
    errno = fault;
    return system_error("cannot make an event", "close other programs");
  }
  std::unique_ptr<Server> server(new Server(*listener, bell, port_of(*listener), limits));
  server->feed_ = make([bell] {
    const std::uint64_t one = 1;
    // Full is rung already.
    [[maybe_unused]] const ssize_t n = ::write(bell, &one, sizeof one);
  });
  server->gate_.framed = server->feed_->is_passive();
  return server;
}

Server::Server(int listener, int bell, std::uint16_t port, const ServerLimits& limits)
    : listener_(listener),
      bell_(bell),
      limits_(limits),
      gate_{.port = port, .token = random_token()} {}

Server::~Server() {
  feed_.reset();  // it may have a thread that rings the bell
  connections_.clear();
  ::close(listener_);
  ::close(bell_);
}

void Server::serve(const std::function<bool()>& ended) {
  while (!ended()) serve_once();
}

std::size_t Server::count(bool strangers) const {
  std::size_t n = 0;
  for (const Connection& each : connections_) n += each.is_stranger() == strangers ? 1 : 0;
  return n;
}

// Of the strangers the oldest goes: whoever holds connections open cannot keep others out.
void Server::make_room() {
  if (count(true) < limits_.strangers) return;
  for (Connection& each : connections_)
    if (each.is_stranger()) {
      each.end();
      break;
    }
  remove_ended();
}

// A client that is gone has let go of what it held.
void Server::remove_ended() {
  for (auto each = connections_.begin(); each != connections_.end();) {
    if (each->stage() != Connection::Stage::ended) {
      ++each;
      continue;
    }
    if (each->holds) feed_->post({.kind = Command::Kind::drop, .client = each->id()});
    each = connections_.erase(each);
    deaf_ = false;
  }
}

void Server::accept_all() {
  for (int i = 0; i < backlog; ++i) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      deaf_ = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
      return;
    }
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    make_room();
    connections_.emplace_back(socket, next_id_++, limits_);
  }
}

void Server::spread_news() {
  std::uint64_t rings = 0;
  if (::read(bell_, &rings, sizeof rings) > 0) news_ = feed_->take_news();
  for (const Feed::Reply& reply : news_.replies)
    for (Connection& each : connections_)
      if (each.id() == reply.client) each.send_text(reply.text);
  news_.replies.clear();
  for (Connection& each : connections_) {
    if (each.stage() != Connection::Stage::viewer) continue;
    if (!each.greeted) {
      each.send_text(news_.hello);
      each.greeted = true;
    }
    if (each.status_number != news_.status_number) {
      each.send_text(news_.status);
      each.status_number = news_.status_number;
    }
    each.offer_frame(news_.frame, news_.frame_number);
  }
}

void Server::serve_once() {
  std::vector<pollfd> sockets = {{.fd = deaf_ ? -1 : listener_, .events = POLLIN, .revents = 0},
                                 {.fd = bell_, .events = POLLIN, .revents = 0}};
  std::vector<Connection*> order;
  for (Connection& each : connections_) {
    const int write = each.wants_to_write() ? POLLOUT : 0;
    sockets.push_back(
        {.fd = each.socket(), .events = static_cast<short>(POLLIN | write), .revents = 0});
    order.push_back(&each);
  }
  ::poll(sockets.data(), sockets.size(), patience);
  for (std::size_t i = 0; i < order.size(); ++i)
    if ((sockets[i + 2].revents & (POLLIN | POLLHUP | POLLERR)) != 0)
      order[i]->read(gate_, *feed_, count(false) < limits_.viewers);
  spread_news();
  for (Connection* each : order) {
    if (each->wants_to_write()) each->write();
    each->watch_clock();
  }
  remove_ended();
  if ((sockets[0].revents & POLLIN) != 0) accept_all();
  feed_->set_watched(count(false) > 0);
}

}  // namespace cairn::serve
