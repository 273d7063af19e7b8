// Results, errors and the progress line. Numbers are printed by fmt, which knows no locale.
#include "terminal/terminal.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

#include "commands/commands.hpp"

namespace cairn::app {
namespace {

int output_fault = 0;  // errno of the first write to stdout that failed

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::input:
      return exit_input;
    case ErrorKind::usage:
      return exit_usage;
    case ErrorKind::io:
      return exit_io;
    case ErrorKind::limit:
      return exit_limit;
    case ErrorKind::stopped:
      return exit_failed;
    case ErrorKind::internal:
      return exit_bug;
  }
  return exit_bug;
}

std::string duration_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

// The code point if the text begins with a mark that turns the direction of writing, which would
// let a name rearrange the rest of its line; else 0.
int writing_direction(std::string_view text) {
  if (text.size() < 3 || text[0] != '\xE2') return 0;
  const int point = 0x2000 + ((text[1] & 0x3F) << 6) + (text[2] & 0x3F);
  const bool mark = point == 0x200E || point == 0x200F || (point >= 0x202A && point <= 0x202E) ||
                    (point >= 0x2066 && point <= 0x2069);
  return mark ? point : 0;
}

}  // namespace

void print(const std::string& text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && output_fault == 0)
    output_fault = errno;
}

void warn(const std::string& text) {
  const std::string line = text + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int report(const Errors& errors) {
  for (const Error& error : errors) warn(printable(error.text()));
  return errors.empty() ? exit_bug : exit_code(errors.front().kind);
}

int finish_output(int code) {
  errno = 0;
  if (std::fflush(stdout) != 0 && output_fault == 0) output_fault = errno;
  if (output_fault == 0 || output_fault == EPIPE) return code;
  Error error;
  error.kind = ErrorKind::io;
  error.code = ErrorCode::cannot_write;
  error.what = std::string("cannot write to standard output: ") + std::strerror(output_fault);
  return report({error});
}

std::string shell_word(const std::string& word) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=+:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string printable(const std::string& name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto byte = static_cast<unsigned char>(name[i]);
    if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else if (const int point = writing_direction(std::string_view(name).substr(i)); point != 0)
      result += fmt::format("\\u{:04x}", point), i += 2;
    else
      result += name[i];
  }
  return result;
}

Progress::Progress(std::int64_t steps, bool quiet)
    : steps_(steps),
      active_(!quiet && ::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::show(std::int64_t step, double t, int contacts, double worst) {
  if (!active_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left = elapsed * static_cast<double>(steps_ - step) / static_cast<double>(step);
  const std::string line =
      fmt::format("\r\x1b[Kstep {}/{}  t {:.4g} s  contacts {}  worst residual {:.1e}  {} left",
                  step, steps_, t, contacts, worst, duration_text(left));
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace cairn::app
