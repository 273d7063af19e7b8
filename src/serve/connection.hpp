// One client of the server: its socket, what it has sent, what waits to be sent to it. Nothing here
// blocks; what waits is bounded.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string>

#include "serve/feed.hpp"
#include "serve/gate.hpp"
#include "serve/web/websocket.hpp"

namespace cairn::serve {

struct ServerLimits {
  std::size_t viewers = 64;                   // pages with a socket
  std::size_t strangers = 32;                 // connections that have not shown the token yet
  std::chrono::milliseconds request{10'000};  // for a whole request and its answer
  std::chrono::milliseconds linger{2'000};    // for the client to close after an answer
  std::chrono::milliseconds ping{10'000};     // from one sign of life to the question for it
  std::chrono::milliseconds silence{30'000};  // after which a viewer is gone
  std::size_t waiting_texts = 64;             // for a viewer that does not read
  int frames_ahead = 2;                       // sent and not yet seen
};

class Connection {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Stage : std::uint8_t { request, answer, viewer, closing, ended };

  Connection(int socket, std::uint64_t id, const ServerLimits& limits);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Reads what is there. Commands of a viewer go to `feed`; `room`: another viewer may come in.
  void read(const Gate& gate, Feed& feed, bool room);
  void write();
  void watch_clock();

  // Texts are sent in order; of frames the newest one, once the client has room for it.
  void send_text(Text text);
  void offer_frame(const Text& frame, std::uint64_t number);

  int socket() const { return socket_; }
  std::uint64_t id() const { return id_; }
  Stage stage() const { return stage_; }
  bool is_stranger() const { return stage_ != Stage::viewer; }
  bool wants_to_write() const { return !waiting_.empty(); }
  Clock::time_point since() const { return since_; }
  void end() { stage_ = Stage::ended; }

  std::uint64_t status_number = 0;  // the newest that it was sent
  bool greeted = false;
  bool holds = false;  // its hand may be on a body

 private:
  struct Outgoing {
    std::string head;
    Text body;             // may be null
    std::size_t sent = 0;  // of head and body together
    bool is_frame = false;
  };

  void take_request(const Gate& gate, bool room);
  void take_messages(Feed& feed);
  void answer(const Answer& answer);
  void send_control(Opcode opcode, std::string data);
  void close_socket(int status);

  int socket_;
  std::uint64_t id_;
  const ServerLimits* limits_;
  Stage stage_ = Stage::request;
  Clock::time_point since_ = Clock::now(), heard_ = since_, moved_ = since_;
  bool asked_ = false;  // a ping is on its way
  std::string request_;
  MessageReader messages_;
  std::deque<Outgoing> waiting_;
  bool frame_waits_ = false;
  int ahead_ = 0;  // frames sent and not seen
  std::uint64_t frame_number_ = 0;
};

}  // namespace cairn::serve
