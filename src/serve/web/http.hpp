// The little of HTTP/1.1 that the live view needs: heads of requests, answers that close the
// connection. Knows bytes only, no sockets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn::serve {

constexpr std::size_t most_head_bytes = std::size_t{16} << 10;
constexpr std::size_t most_headers = 100;

struct Request {
  std::string method, target;
  std::vector<std::pair<std::string, std::string>> headers;  // names in small letters

  // The value of a header; nothing if it is missing or there more than once.
  std::optional<std::string_view> header(std::string_view name) const;
  bool has(std::string_view name) const;
};

// A head is complete with its empty line. `status`: 0 while it is not, 200 if `request` is good,
// else what to answer.
struct RequestHead {
  int status = 0;
  Request request = {};
};
RequestHead read_head(std::string_view bytes);

// Whether a comma-separated list of tokens holds one, in any case of letters.
bool lists(std::string_view header, std::string_view token);

struct Answer {
  int status = 200;
  std::string_view type = "text/plain; charset=utf-8";
  std::string body = {};
  std::string extra = {};  // more headers, each line with its end
  bool head_only = false;
};
std::string to_bytes(const Answer& answer);
Answer refusal(int status);

}  // namespace cairn::serve
