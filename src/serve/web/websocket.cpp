// Frames of RFC 6455, section 5.2.
#include "serve/web/websocket.hpp"

#include "bytes/text_form.hpp"
#include "serve/web/sha1.hpp"

namespace cairn::serve {
namespace {

constexpr std::string_view guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::size_t most_control = 125;
enum Status : int { protocol_error = 1002, not_understood = 1003, too_large = 1009 };

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value = (value << 8) | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

bool is_control(Opcode opcode) {
  return static_cast<int>(opcode) >= 8;
}

}  // namespace

std::string accept_key(std::string_view key) {
  const auto digest = sha1(std::string(key) + std::string(guid));
  return bytes::base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

bool is_key(std::string_view key) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return key.size() == 24 && key.ends_with("==") &&
         key.substr(0, 22).find_first_not_of(digits) == std::string_view::npos;
}

std::string message_header(Opcode opcode, std::size_t size) {
  std::string header(1, static_cast<char>(0x80 | static_cast<int>(opcode)));
  const int extra = size < 126 ? 0 : size < 65536 ? 2 : 8;
  header += static_cast<char>(extra == 0 ? size : extra == 2 ? 126 : 127);
  for (int shift = 8 * (extra - 1); shift >= 0; shift -= 8)
    header += static_cast<char>(static_cast<std::uint8_t>(std::uint64_t{size} >> shift));
  return header;
}

// Whether a frame that begins like this may be: masked, no extension, an opcode that we know.
bool MessageReader::is_sound(std::uint8_t first, std::uint8_t second) {
  const auto opcode = static_cast<Opcode>(first & 0x0f);
  const bool last = (first & 0x80) != 0;
  switch (opcode) {
    case Opcode::more:
      if (!open_) fault_ = protocol_error;
      break;
    case Opcode::text:
      if (open_) fault_ = protocol_error;
      break;
    case Opcode::binary:
      fault_ = not_understood;
      break;
    case Opcode::close:
    case Opcode::ping:
    case Opcode::pong:
      if (!last || (second & 0x7f) > most_control) fault_ = protocol_error;
      break;
    default:
      fault_ = protocol_error;
  }
  if ((first & 0x70) != 0 || (second & 0x80) == 0) fault_ = protocol_error;
  return fault_ == 0;
}

std::optional<MessageReader::Frame> MessageReader::next_frame() {
  if (fault_ != 0 || buffer_.size() < 2) return std::nullopt;
  const auto first = static_cast<std::uint8_t>(buffer_[0]);
  const auto second = static_cast<std::uint8_t>(buffer_[1]);
  if (!is_sound(first, second)) return std::nullopt;
  const std::size_t length = second & 0x7f;
  const std::size_t extra = length == 126 ? 2 : length == 127 ? 8 : 0;
  if (buffer_.size() < 2 + extra) return std::nullopt;
  const std::uint64_t size = extra == 0 ? length : number_at(buffer_, 2, extra);
  Frame frame{.last = (first & 0x80) != 0, .opcode = static_cast<Opcode>(first & 0x0f), .data = {}};
  if (size > limit || (!is_control(frame.opcode) && parts_.size() + size > limit)) {
    fault_ = too_large;
    return std::nullopt;
  }
  const std::size_t head = 2 + extra + 4, whole = head + static_cast<std::size_t>(size);
  if (buffer_.size() < whole) return std::nullopt;
  frame.data = buffer_.substr(head, static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < frame.data.size(); ++i)
    frame.data[i] = static_cast<char>(frame.data[i] ^ buffer_[head - 4 + i % 4]);
  buffer_.erase(0, whole);
  return frame;
}

std::optional<MessageReader::Message> MessageReader::next() {
  while (std::optional<Frame> frame = next_frame()) {
    if (is_control(frame->opcode)) return Message{frame->opcode, std::move(frame->data)};
    parts_ += frame->data;
    open_ = !frame->last;
    if (open_) continue;
    Message message{Opcode::text, std::move(parts_)};
    parts_.clear();
    return message;
  }
  return std::nullopt;
}

}  // namespace cairn::serve
