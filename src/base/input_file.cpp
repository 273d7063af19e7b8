#include "base/input_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace cairn::base {
namespace {

Error input_error(ErrorKind kind, ErrorCode code, const std::string& file, std::string what,
                  std::string fix) {
  return {.kind = kind, .code = code, .file = file, .what = std::move(what), .fix = std::move(fix)};
}

const char* type_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

tl::unexpected<Errors> not_a_file(const std::string& file, mode_t mode) {
  Error error = input_error(
      ErrorKind::input, ErrorCode::not_a_file, file, "is not a regular file",
      S_ISDIR(mode) ? "name a file in it" : "write its contents into a file and name that one");
  error.got = type_of(mode);
  error.allowed = "a regular file";
  return fail(std::move(error));
}

tl::unexpected<Errors> cannot_open(const std::string& file, int reason) {
  const bool missing = reason == ENOENT || reason == ENOTDIR;
  return fail(input_error(ErrorKind::input, missing ? ErrorCode::not_found : ErrorCode::cannot_read,
                          file, "cannot open: " + std::generic_category().message(reason),
                          missing ? "check the path" : "check the path and its permissions"));
}

}  // namespace

Result<int> open_input(const std::string& file) {
  struct stat info {};
  // Sockets cannot be opened at all, and opening a device may act on it.
  if (::stat(file.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return not_a_file(file, info.st_mode);
  // O_NONBLOCK: opening a pipe must not wait for a writer, should the file have become one.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return cannot_open(file, errno);
  if (::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode)) return descriptor;
  ::close(descriptor);
  return not_a_file(file, info.st_mode);
}

Result<std::string> read_input(const std::string& file, std::size_t most) {
  const Result<int> opened = open_input(file);
  if (!opened) return tl::unexpected<Errors>(opened.error());
  struct stat info {};
  std::string text;
  std::size_t done = 0;
  int reason = ::fstat(*opened, &info) == 0 ? 0 : errno;
  const bool fits = info.st_size <= static_cast<off_t>(most);
  if (reason == 0 && fits) {
    text.resize(static_cast<std::size_t>(info.st_size));
    while (done < text.size()) {
      const ssize_t count = ::read(*opened, text.data() + done, text.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) reason = errno;
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
  }
  ::close(*opened);
  if (!fits) {
    Error error = input_error(ErrorKind::limit, ErrorCode::too_large, file, "file is too large",
                              "split it into smaller files");
    error.got = std::to_string(info.st_size) + " bytes";
    error.allowed = "at most " + std::to_string(most) + " bytes";
    return fail(std::move(error));
  }
  if (reason != 0)
    return fail(input_error(ErrorKind::io, ErrorCode::cannot_read, file,
                            "cannot read: " + std::generic_category().message(reason),
                            "check the disk"));
  text.resize(done);
  return text;
}

}  // namespace cairn::base
