#include "problem/files/number_scanner.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace cairn::problem {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

// The whole word as a number; from_chars knows no leading plus.
template <class T>
bool convert(std::string_view word, T& out) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), out);
  return fault == std::errc() && end == word.data() + word.size();
}

// A word as it may be shown in a message.
std::string shown(std::string_view word) {
  if (word.empty()) return "the end of the file";
  std::string text = "'";
  for (const char c : word.substr(0, 40)) text += c >= 0x20 && c < 0x7f ? c : '?';
  return text + (word.size() > 40 ? "...'" : "'");
}

const char* const truncated = "the file may be cut off or of another format";

}  // namespace

void NumberScanner::skip_space() {
  while (place_ < text_.size() && is_space(text_[place_])) {
    if (text_[place_] == '\n') {
      ++line_;
      column_ = 0;
    }
    ++place_;
    ++column_;
  }
}

std::string_view NumberScanner::word() {
  skip_space();
  word_line_ = line_;
  word_column_ = column_;
  const std::size_t start = place_;
  while (place_ < text_.size() && !is_space(text_[place_])) ++place_;
  column_ += static_cast<int>(place_ - start);
  return text_.substr(start, place_ - start);
}

void NumberScanner::skip_line() {
  while (place_ < text_.size() && text_[place_] != '\n') ++place_;
}

bool NumberScanner::fault(ErrorCode code, const std::string& what, const std::string& got,
                          const std::string& allowed, const std::string& fix) {
  if (ok())
    error_ = {ErrorKind::input, code, file_, word_line_, word_column_, "", what, got, allowed, fix};
  return false;
}

bool NumberScanner::integer(const std::string& what, int lo, int hi, int& out) {
  if (!ok()) return false;
  const std::string_view found = word();
  const bool read = convert(found, out);
  if (read && out >= lo && out <= hi) return true;
  return fault(read ? ErrorCode::out_of_range : ErrorCode::syntax, "bad " + what, shown(found),
               fmt::format("an integer from {} to {}", lo, hi), truncated);
}

bool NumberScanner::number(const std::string& what, double& out) {
  if (!ok()) return false;
  const std::string_view found = word();
  if (convert(found, out) && std::isfinite(out)) return true;
  return fault(ErrorCode::syntax, "bad " + what, shown(found), "a finite number", truncated);
}

bool NumberScanner::numbers(const std::string& what, int count, VecX& out) {
  if (!room(what, count)) return false;
  out.resize(count);
  for (double& x : out)
    if (!number(what, x)) return false;
  return true;
}

bool NumberScanner::integers(const std::string& what, int lo, int hi, std::span<int> out) {
  for (int& x : out)
    if (!integer(what, lo, hi, x)) return false;
  return ok();
}

bool NumberScanner::room(const std::string& what, double count) {
  if (!ok()) return false;
  const double left = 0.5 * static_cast<double>(text_.size() - place_ + 1);
  if (count <= left) return true;
  return fault(ErrorCode::wrong_size, "not enough numbers for " + what,
               fmt::format("at most {:.0f} in the rest of the file", left),
               fmt::format("{:.0f} numbers", count), truncated);
}

bool NumberScanner::expect(std::string_view wanted) {
  if (!ok()) return false;
  const std::string_view found = word();
  if (found == wanted) return true;
  return fault(ErrorCode::syntax, "unexpected text", shown(found), fmt::format("'{}'", wanted),
               truncated);
}

}  // namespace cairn::problem
