// One writer per folder of results: a second run started by mistake is refused before it touches a
// file.
#pragma once

#include <cstdint>
#include <string>

#include "cairn/error.hpp"

namespace cairn::record {

// What became of an exclusive lock; after `failed` errno says why.
enum class FileLock : std::uint8_t { taken, held_by_another, unsupported, failed };

// Locks an open file or folder for this process, without waiting.
FileLock lock_file(int descriptor);

// Held from its creation to its end; the system lets go of it when the process dies, so that a kill
// leaves nothing behind.
class FolderLock {
 public:
  // Fails if another run holds the folder, or the lock fails. On a file system without locks the
  // folder is used all the same: see supported().
  static Result<FolderLock> take(const std::string& folder);
  bool supported() const { return supported_; }

  FolderLock() = default;
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;

 private:
  int descriptor_ = -1;
  bool supported_ = true;
};

// The error of a file or folder that another run is writing.
tl::unexpected<Errors> written_by_another_run(const std::string& path, const std::string& what);

}  // namespace cairn::record
