// One writer per folder of results: a second run started by mistake is refused before it touches a
// file.
#pragma once

#include <string>

#include "cairn/error.hpp"

namespace cairn {

// Held from its creation to its end; the system lets go of it when the process dies, so that a kill
// leaves nothing behind.
class FolderLock {
 public:
  // Fails if another run holds the folder. A file system that cannot lock folders is taken as it
  // is: the trace has a lock of its own.
  static Result<FolderLock> take(const std::string& folder);

  FolderLock() = default;
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;

 private:
  int descriptor_ = -1;
};

// The error of a file or folder that another run is writing.
tl::unexpected<Errors> written_by_another_run(const std::string& path, const std::string& what);

}  // namespace cairn
