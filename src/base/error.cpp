#include "cairn/error.hpp"

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace cairn {
namespace {

struct CodeText {
  std::string_view name, meaning;
};

constexpr CodeText texts[] = {{"none", ""},
#define CAIRN_ERROR_CODE(name, meaning) {#name, meaning},
                              CAIRN_ERROR_CODES(CAIRN_ERROR_CODE)
#undef CAIRN_ERROR_CODE
};

}  // namespace

std::string_view code_name(ErrorCode code) {
  return texts[static_cast<std::size_t>(code)].name;
}

std::string_view meaning(ErrorCode code) {
  return texts[static_cast<std::size_t>(code)].meaning;
}

std::vector<ErrorCode> all_error_codes() {
  std::vector<ErrorCode> codes;
  for (std::size_t i = 1; i < std::size(texts); ++i) codes.push_back(static_cast<ErrorCode>(i));
  return codes;
}

tl::unexpected<Errors> fail(Error error) {
  return tl::unexpected<Errors>(Errors{std::move(error)});
}

std::string Error::text() const {
  std::string line_text = "error: ";
  if (!file.empty()) {
    line_text += file + ":";
    if (line > 0) line_text += std::to_string(line) + ":" + std::to_string(column) + ":";
    line_text += " ";
  }
  if (!path.empty()) line_text += path + ": ";
  line_text += what;
  if (!got.empty()) line_text += ", got " + got;
  if (!allowed.empty()) line_text += "; allowed " + allowed;
  if (!fix.empty()) line_text += "; fix: " + fix;
  if (code != ErrorCode::none) line_text += " [" + std::string(code_name(code)) + "]";
  return line_text;
}

}  // namespace cairn
