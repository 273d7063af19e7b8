// Strict on purpose: what a browser does not send is refused.
#include "serve/web/http.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace cairn::serve {
namespace {

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  });
}

bool is_printable(std::string_view text, char least) {
  return std::all_of(text.begin(), text.end(), [least](char c) {
    return (c >= least && static_cast<unsigned char>(c) < 0x7f) ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return result;
}

int read_request_line(std::string_view line, Request& request) {
  const std::size_t a = line.find(' '), b = line.rfind(' ');
  if (a == std::string_view::npos || a == b) return 400;
  const std::string_view target = line.substr(a + 1, b - a - 1), version = line.substr(b + 1);
  if (!is_token(line.substr(0, a)) || target.empty() || target[0] != '/' ||
      !is_printable(target, '!'))
    return 400;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return 505;
  request.method = line.substr(0, a);
  request.target = target;
  return 200;
}

int read_header(std::string_view line, Request& request) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return 400;
  std::string value(trimmed(line.substr(colon + 1)));
  std::replace(value.begin(), value.end(), '\t', ' ');
  if (!is_printable(value, ' ')) return 400;
  if (request.headers.size() == most_headers) return 431;
  request.headers.emplace_back(lower(line.substr(0, colon)), std::move(value));
  return 200;
}

const char* reason(int status) {
  switch (status) {
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 426:
      return "Upgrade Required";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

}  // namespace

std::optional<std::string_view> Request::header(std::string_view name) const {
  std::optional<std::string_view> found;
  for (const auto& [key, value] : headers) {
    if (key != name) continue;
    if (found) return std::nullopt;
    found = value;
  }
  return found;
}

bool Request::has(std::string_view name) const {
  return std::any_of(headers.begin(), headers.end(),
                     [name](const auto& entry) { return entry.first == name; });
}

RequestHead read_head(std::string_view bytes) {
  constexpr std::string_view end = "\r\n";
  const std::size_t size = bytes.find("\r\n\r\n");
  if (size == std::string_view::npos || size > most_head_bytes)
    return {.status = bytes.size() > most_head_bytes ? 431 : 0};
  RequestHead head{.status = 200};
  std::string_view rest = bytes.substr(0, size + end.size());
  for (bool first = true; !rest.empty() && head.status == 200; first = false) {
    const std::size_t at = rest.find(end);
    const std::string_view line = rest.substr(0, at);
    rest.remove_prefix(at + end.size());
    head.status = first ? read_request_line(line, head.request) : read_header(line, head.request);
  }
  return head;
}

bool lists(std::string_view header, std::string_view token) {
  while (!header.empty()) {
    const std::size_t comma = std::min(header.find(','), header.size());
    if (lower(trimmed(header.substr(0, comma))) == token) return true;
    header.remove_prefix(std::min(header.size(), comma + 1));
  }
  return false;
}

std::string to_bytes(const Answer& answer) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
  if (answer.status != 101)
    text += fmt::format(
        "Content-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\nX-Frame-Options: DENY\r\n",
        answer.type, answer.body.size());
  text += answer.extra + "\r\n";
  return answer.head_only ? text : text + answer.body;
}

Answer refusal(int status) {
  return {.status = status, .body = fmt::format("{} {}\n", status, reason(status))};
}

}  // namespace cairn::serve
