// flock() on the folder itself: no lock file that a kill could leave behind.
#include "record/run/folder_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include "record/run/files.hpp"

namespace cairn::record {

FileLock lock_file(int descriptor) {
  int result = 0;
  do result = ::flock(descriptor, LOCK_EX | LOCK_NB);
  while (result != 0 && errno == EINTR);
  if (result == 0) return FileLock::taken;
  if (errno == EWOULDBLOCK) return FileLock::held_by_another;
  const bool unsupported = errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS;
  return unsupported ? FileLock::unsupported : FileLock::failed;
}

Result<FolderLock> FolderLock::take(const std::string& folder) {
  FolderLock lock;
  lock.descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock.descriptor_ < 0) return io_failure(folder, "open the folder");
  switch (lock_file(lock.descriptor_)) {
    case FileLock::held_by_another:
      return written_by_another_run(folder, "another run is writing into this folder");
    case FileLock::failed:
      return io_failure(folder, "lock the folder");
    case FileLock::unsupported:
      lock.supported_ = false;
      break;
    case FileLock::taken:
      break;
  }
  return lock;
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), supported_(other.supported_) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(supported_, other.supported_);
  return *this;
}

tl::unexpected<Errors> written_by_another_run(const std::string& path, const std::string& what) {
  Error error;
  error.kind = ErrorKind::io;
  error.code = ErrorCode::in_use;
  error.file = path;
  error.what = what;
  error.fix = "wait for it to end, or choose another folder with --out";
  return fail(error);
}

}  // namespace cairn::record
