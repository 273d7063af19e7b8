// From the first byte of a request to the farewell, driven by the server's loop.
#include "serve/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/live_bytes.hpp"
#include "serve/pages.hpp"

namespace cairn::serve {
namespace {

constexpr std::size_t chunk = std::size_t{64} << 10;  // read or written at a time: nobody starves
constexpr std::size_t most_controls = 16;             // pongs that wait

// How many bytes went out; -1: the connection is gone.
ssize_t send_some(int socket, const char* bytes, std::size_t size) {
  const ssize_t n = ::send(socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n >= 0) return n;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
}

}  // namespace

Connection::Connection(int socket, std::uint64_t id, const ServerLimits& limits)
    : socket_(socket), id_(id), limits_(&limits) {}

Connection::~Connection() {
  ::close(socket_);
}

void Connection::read(const Gate& gate, Feed& feed, bool room) {
  char bytes[chunk];
  const ssize_t n = ::recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
  if (n <= 0) {
    stage_ = Stage::ended;
    return;
  }
  const std::string_view got(bytes, static_cast<std::size_t>(n));
  heard_ = Clock::now();
  asked_ = false;
  if (stage_ == Stage::request) {
    request_.append(got);
    take_request(gate, room);
  } else if (stage_ == Stage::viewer) {
    messages_.add(got);
  }
  if (stage_ == Stage::viewer) take_messages(feed);
  // After an answer whatever else comes is not read.
}

void Connection::take_request(const Gate& gate, bool room) {
  const RequestHead head = read_head(request_);
  if (head.status == 0) return;
  if (head.status != 200) return answer(refusal(head.status));
  const Gate::Pass pass = gate.judge(head.request);
  if (pass.way == Gate::Way::refuse) return answer(refusal(pass.status));
  if (pass.way == Gate::Way::page) {
    Answer page = page_named(pass.name, gate.port, gate.framed);
    page.head_only = head.request.method == "HEAD";
    return answer(page);
  }
  if (!room) return answer(refusal(503));
  const std::string key(*head.request.header("sec-websocket-key"));
  waiting_.push_back({.head = to_bytes({.status = 101,
                                        .extra = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                                 "Sec-WebSocket-Accept: " +
                                                 accept_key(key) + "\r\n"}),
                      .body = nullptr});
  stage_ = Stage::viewer;
  messages_.add(std::string_view(request_).substr(request_.find("\r\n\r\n") + 4));
  request_.clear();
}

void Connection::take_messages(Feed& feed) {
  while (stage_ == Stage::viewer) {
    const std::optional<MessageReader::Message> message = messages_.next();
    if (!message) break;
    if (message->opcode == Opcode::close) return close_socket(1000);
    if (message->opcode == Opcode::ping) send_control(Opcode::pong, message->text);
    if (message->opcode != Opcode::text) continue;
    Result<Command> command = read_command(message->text);
    if (!command) {
      send_text(std::make_shared<const std::string>(error_text(command.error())));
      continue;
    }
    command->client = id_;
    holds = holds || command->kind == Command::Kind::grab;
    if (command->kind == Command::Kind::seen)
      ahead_ = std::max(0, ahead_ - 1);
    else if (!feed.post(*command))
      return close_socket(1008);  // it floods us
  }
  if (messages_.fault() != 0) close_socket(messages_.fault());
}

void Connection::answer(const Answer& answer) {
  waiting_.push_back({.head = to_bytes(answer), .body = nullptr});
  stage_ = Stage::answer;
  request_.clear();
}

void Connection::send_control(Opcode opcode, std::string data) {
  if (waiting_.size() >= limits_->waiting_texts + most_controls) return end();
  waiting_.push_back({.head = message_header(opcode, data.size()) + data, .body = nullptr});
}

// What waits behind what is half sent would come too late: the farewell takes its place.
void Connection::close_socket(int status) {
  if (stage_ != Stage::viewer) return;
  while (!waiting_.empty() && (waiting_.size() > 1 || waiting_.back().sent == 0))
    waiting_.pop_back();
  std::string code = {static_cast<char>(status >> 8), static_cast<char>(status & 0xff)};
  waiting_.push_back({.head = message_header(Opcode::close, code.size()) + code, .body = nullptr});
  stage_ = Stage::answer;
  since_ = Clock::now();
}

void Connection::send_text(Text text) {
  if (stage_ != Stage::viewer) return;
  if (waiting_.size() >= limits_->waiting_texts) return close_socket(1008);
  std::string head = message_header(Opcode::text, text->size());
  waiting_.push_back({.head = std::move(head), .body = std::move(text)});
}

void Connection::offer_frame(const Text& frame, std::uint64_t number) {
  if (stage_ != Stage::viewer || !greeted || !frame || number == frame_number_) return;
  if (frame_waits_ || ahead_ >= limits_->frames_ahead) return;
  frame_number_ = number;
  frame_waits_ = true;
  ++ahead_;
  std::string head = message_header(Opcode::binary, frame->size());
  waiting_.push_back({.head = std::move(head), .body = frame, .is_frame = true});
}

void Connection::write() {
  std::size_t budget = 4 * chunk;
  while (!waiting_.empty() && budget > 0) {
    Outgoing& out = waiting_.front();
    const std::size_t head = out.head.size(), whole = head + (out.body ? out.body->size() : 0);
    const bool in_head = out.sent < head;
    const char* from = in_head ? out.head.data() + out.sent : out.body->data() + (out.sent - head);
    const std::size_t size = std::min((in_head ? head : whole) - out.sent, budget);
    const ssize_t n = send_some(socket_, from, size);
    if (n < 0) return end();
    if (n == 0) return;
    moved_ = Clock::now();
    out.sent += static_cast<std::size_t>(n);
    budget -= static_cast<std::size_t>(n);
    if (out.sent < whole) continue;
    if (out.is_frame) frame_waits_ = false;
    waiting_.pop_front();
  }
  if (waiting_.empty() && stage_ == Stage::answer) {
    // The client has its answer when it closes; closing at once could take it away again.
    ::shutdown(socket_, SHUT_WR);
    stage_ = Stage::closing;
    since_ = Clock::now();
  }
}

void Connection::watch_clock() {
  const Clock::time_point now = Clock::now();
  switch (stage_) {
    case Stage::request:
    case Stage::answer:
      if (now - since_ > limits_->request) end();
      break;
    case Stage::closing:
      if (now - since_ > limits_->linger) end();
      break;
    case Stage::viewer:
      if (now - heard_ > limits_->silence || (!waiting_.empty() && now - moved_ > limits_->silence))
        return end();
      if (waiting_.empty()) moved_ = now;
      if (!asked_ && now - heard_ > limits_->ping) {
        send_control(Opcode::ping, "");
        asked_ = true;
      }
      break;
    case Stage::ended:
      break;
  }
}

}  // namespace cairn::serve
