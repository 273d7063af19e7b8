#include "problem/text_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cairn {
namespace {

Error io_error(const std::string& file, const std::string& what) {
  Error error;
  error.kind = ErrorKind::io;
  error.file = file;
  error.what = what + ": " + std::strerror(errno);
  return error;
}

// All bytes to the disk; short writes and interruptions are carried on.
bool write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return ::fsync(descriptor) == 0;
}

}  // namespace

Result<std::string> read_text(const std::string& file, std::size_t most) {
  const auto failure = [&](ErrorKind kind, const std::string& what) {
    Error error;
    error.kind = kind;
    error.file = file;
    error.what = what;
    return fail(error);
  };
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return failure(ErrorKind::input, std::string("cannot open: ") + std::strerror(errno));
  struct stat info {};
  const bool regular = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
  std::string text;
  std::size_t done = 0;
  int reason = 0;
  if (regular && info.st_size <= static_cast<off_t>(most)) {
    text.resize(static_cast<std::size_t>(info.st_size));
    while (done < text.size()) {
      const ssize_t count = ::read(descriptor, text.data() + done, text.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) reason = errno;
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
  }
  ::close(descriptor);
  if (!regular) return failure(ErrorKind::input, "is not a regular file");
  if (info.st_size > static_cast<off_t>(most))
    return failure(ErrorKind::limit, fmt::format("is larger than {} bytes", most));
  if (reason != 0)
    return failure(ErrorKind::io, std::string("cannot read: ") + std::strerror(reason));
  text.resize(done);
  return text;
}

Result<void> write_text(const std::string& text, const std::string& file) {
  const std::string part = file + ".part";
  const int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return fail(io_error(part, "cannot create"));
  const bool written = write_all(descriptor, text);
  const int reason = errno;
  const bool closed = ::close(descriptor) == 0;
  if (!written) errno = reason;
  if (written && closed && std::rename(part.c_str(), file.c_str()) == 0) return {};
  const Error error = io_error(file, "cannot write");
  ::unlink(part.c_str());
  return fail(error);
}

}  // namespace cairn
