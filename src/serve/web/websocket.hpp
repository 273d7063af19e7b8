// The part of WebSocket (RFC 6455) that the live view speaks: text from the browser, text and bytes
// to it. Knows bytes only, no sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::serve {

enum class Opcode : std::uint8_t { more = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

// What the server answers to Sec-WebSocket-Key.
std::string accept_key(std::string_view key);

// A key is 16 bytes in base64.
bool is_key(std::string_view key);

// Header of a whole, unmasked message of `size` bytes.
std::string message_header(Opcode opcode, std::size_t size);

// Takes bytes as they come, gives messages.
class MessageReader {
 public:
  static constexpr std::size_t limit = std::size_t{64} << 10;  // of a message [bytes]

  struct Message {
    Opcode opcode = Opcode::text;  // text, close, ping or pong
    std::string text;
  };

  void add(std::string_view bytes) { buffer_.append(bytes); }

  // The next whole message. Nothing: not there yet, or fault() says why the connection must end.
  std::optional<Message> next();

  int fault() const { return fault_; }  // status of RFC 6455, 7.4.1; 0: none

 private:
  struct Frame {
    bool last = false;
    Opcode opcode = Opcode::more;
    std::string data;
  };
  std::optional<Frame> next_frame();
  bool is_sound(std::uint8_t first, std::uint8_t second);

  std::string buffer_;
  std::string parts_;  // of a message in several frames
  bool open_ = false;  // such a message has begun
  int fault_ = 0;
};

}  // namespace cairn::serve
