#include "problem/files/text_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace cairn::problem {
namespace {

Error io_error(const std::string& file, const std::string& what) {
  Error error;
  error.kind = ErrorKind::io;
  error.code = ErrorCode::cannot_write;
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

}  // namespace cairn::problem
