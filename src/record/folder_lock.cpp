// flock() on the folder itself: no lock file that a kill could leave behind.
#include "record/folder_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include "record/files.hpp"

namespace cairn {

Result<FolderLock> FolderLock::take(const std::string& folder) {
  FolderLock lock;
  lock.descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock.descriptor_ < 0) return io_failure(folder, "open the folder");
  if (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return lock;
  return written_by_another_run(folder, "another run is writing into this folder");
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
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

}  // namespace cairn
