// A client made of a bare socket: it can be as rude as it likes.
#pragma once

#include <arpa/inet.h>
#include <cstring>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "serve/server.hpp"

namespace cairn {

class Client {
 public:
  explicit Client(std::uint16_t port, const char* host = "127.0.0.1", int receive_buffer = 0) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer > 0)
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, host, &address.sin_addr);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() {
    if (socket_ >= 0) ::close(socket_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&& other) noexcept
      : socket_(other.socket_), connected_(other.connected_), buffer_(std::move(other.buffer_)) {
    other.socket_ = -1;
  }

  bool connected() const { return connected_; }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  // All until the server closes; it must.
  std::string rest() {
    while (more()) {
    }
    return std::move(buffer_);
  }

  // Gone without a word: the peer gets a reset.
  void vanish() {
    const linger none{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    ::close(socket_);
    socket_ = -1;
  }

  int status_of(const std::string& request) {
    send(request);
    const std::string answer = rest();
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
  }

  bool upgrade(const serve::Gate& gate) {
    send(
        fmt::format("GET /{1}/live HTTP/1.1\r\nHost: 127.0.0.1:{0}\r\nOrigin: "
                    "http://127.0.0.1:{0}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                    "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                    gate.port, gate.token));
    while (buffer_.find("\r\n\r\n") == std::string::npos)
      if (!more()) return false;
    const bool open = buffer_.starts_with("HTTP/1.1 101 ");
    buffer_.erase(0, buffer_.find("\r\n\r\n") + 4);
    return open;
  }

  bool say(const std::string& text) { return send(framed(0x81, text)); }

  static std::string framed(int first, const std::string& data) {
    std::string frame(1, static_cast<char>(first));
    const std::string size = serve::message_header(serve::Opcode::text, data.size()).substr(1);
    frame += static_cast<char>(size[0] | 0x80);
    frame += size.substr(1) + std::string(4, '\0') + data;  // the mask is zero
    return frame;
  }

  struct Message {
    int opcode = 0;
    std::string data;
  };
  std::optional<Message> hear() {
    if (!fill(2)) return std::nullopt;
    std::size_t size = static_cast<unsigned char>(buffer_[1]), head = 2;
    const std::size_t extra = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (!fill(head + extra)) return std::nullopt;
    if (extra > 0) size = 0;
    for (std::size_t i = 0; i < extra; ++i)
      size = (size << 8) | static_cast<unsigned char>(buffer_[head + i]);
    head += extra;
    if (!fill(head + size)) return std::nullopt;
    Message message{buffer_[0] & 0x0f, buffer_.substr(head, size)};
    buffer_.erase(0, head + size);
    return message;
  }

  // The next frame, seen; texts on the way are passed over.
  struct Frame {
    std::uint32_t run = 0, bodies = 0;
    double t = 0, steps = 0, rejected = 0;
    std::string bytes;
    float place(std::size_t body, std::size_t axis) const {
      float x = 0;
      std::memcpy(&x, bytes.data() + 16 + 8 * (7 + play::ClipFigures::count) + 52 * body + 4 * axis,
                  4);
      return x;
    }
  };
  std::optional<Frame> see() {
    while (std::optional<Message> message = hear()) {
      if (message->opcode != 2) continue;
      say(R"({"do":"seen"})");
      Frame frame{.bytes = std::move(message->data)};
      std::memcpy(&frame.run, frame.bytes.data() + 4, 4);
      std::memcpy(&frame.bodies, frame.bytes.data() + 8, 4);
      std::memcpy(&frame.t, frame.bytes.data() + 16, 8);
      std::memcpy(&frame.steps, frame.bytes.data() + 16 + 40, 8);
      std::memcpy(&frame.rejected, frame.bytes.data() + 16 + 48, 8);
      return frame;
    }
    return std::nullopt;
  }

  // The next text that holds a word.
  std::string hear_of(const std::string& word) {
    while (std::optional<Message> message = hear()) {
      if (message->opcode == 2) say(R"({"do":"seen"})");
      if (message->opcode == 1 && message->data.find(word) != std::string::npos)
        return message->data;
    }
    return "";
  }

 private:
  bool more() {
    char bytes[65536];
    const ssize_t n = ::recv(socket_, bytes, sizeof bytes, 0);
    if (n > 0) buffer_.append(bytes, static_cast<std::size_t>(n));
    return n > 0;
  }
  bool fill(std::size_t size) {
    while (buffer_.size() < size)
      if (!more()) return false;
    return true;
  }

  int socket_ = -1;
  bool connected_ = false;
  std::string buffer_;
};

}  // namespace cairn
