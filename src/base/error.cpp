#include "cairn/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace cairn {

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
  return line_text;
}

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "internal error: %s:%d: %s does not hold; please report this\n", file, line,
               condition);
  std::abort();
}

}  // namespace cairn
