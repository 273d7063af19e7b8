#include "cairn/error.hpp"

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

}  // namespace cairn
