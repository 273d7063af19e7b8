// A text file that grows through a buffer under the name path.part and gets its own when complete.
#pragma once

#include <fmt/format.h>
#include <iterator>
#include <string>

#include "cairn/error.hpp"

namespace cairn::record {

class PartFile {
 public:
  static Result<PartFile> create(const std::string& path);
  ~PartFile();  // an unfinished file is removed
  PartFile(PartFile&& other) noexcept;
  PartFile& operator=(PartFile&& other) noexcept;

  fmt::memory_buffer& buffer() { return buffer_; }
  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), text, std::forward<Args>(args)...);
  }
  Result<void> flush_if_full();
  Result<void> sync();    // waits for the disk
  Result<void> finish();  // the same, and renames

 private:
  PartFile() = default;
  Result<void> flush();
  void discard();
  std::string path_;
  int descriptor_ = -1;
  fmt::memory_buffer buffer_;
};

}  // namespace cairn::record
