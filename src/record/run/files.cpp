// Files: POSIX calls with every result looked at.
#include "record/run/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace cairn::record {
namespace {

// The entry of a new name reaches the disk with its folder.
void sync_folder(const std::string& path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return;  // a file system without it loses no data of ours, only the order of events
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

tl::unexpected<Errors> io_failure(const std::string& path, const std::string& what) {
  const int number = errno;
  Error error;
  error.kind = ErrorKind::io;
  error.code = ErrorCode::cannot_write;
  error.file = path;
  error.what = "cannot " + what + ": " + std::generic_category().message(number);
  if (number == EFBIG) error.fix = "raise the limit on file sizes (ulimit -f)";
  if (number == ENOSPC || number == EDQUOT)
    error.fix = "free some space, or choose another folder with --out";
  if (number == EACCES || number == EROFS) error.fix = "choose a folder you may write to";
  return fail(error);
}

Result<void> write_all(int descriptor, std::span<const std::uint8_t> bytes,
                       const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_failure(path, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> write_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".part" + std::to_string(::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return io_failure(temporary, "create");
  const auto* data = reinterpret_cast<const std::uint8_t*>(text.data());
  Result<void> done = write_all(descriptor, {data, text.size()}, temporary);
  if (done && ::fsync(descriptor) != 0) done = io_failure(temporary, "write");
  if (::close(descriptor) != 0 && done) done = io_failure(temporary, "close");
  if (done) done = rename_file(temporary, path);
  if (!done) ::unlink(temporary.c_str());
  return done;
}

Result<void> check_input_is_kept(const std::string& input, const std::string& output,
                                 const std::string& what) {
  for (const std::string& written : {output, output + ".part"}) {
    // The same device and inode, behind all symbolic links.
    std::error_code ignored;
    if (!std::filesystem::equivalent(input, written, ignored)) continue;
    Error error;
    error.kind = ErrorKind::usage;
    error.code = ErrorCode::overwrites_input;
    error.file = output;
    error.what = "would be written over the " + what + " that is read";
    error.got = input;
    error.fix = "choose another name for the output";
    return fail(error);
  }
  return {};
}

Result<void> rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return io_failure(to, "rename into place");
  sync_folder(to);
  return {};
}

Result<void> make_folder(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (!code && std::filesystem::is_directory(path, code)) return {};
  errno = code ? code.value() : ENOTDIR;
  return io_failure(path, "create the folder");
}

}  // namespace cairn::record
