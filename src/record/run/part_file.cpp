#include "record/run/part_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "record/run/files.hpp"

namespace cairn::record {
namespace {

constexpr std::size_t flush_at = 1 << 16;  // [bytes]

}  // namespace

PartFile::~PartFile() {
  if (descriptor_ >= 0) discard();
}

void PartFile::discard() {
  ::close(std::exchange(descriptor_, -1));
  ::unlink((path_ + ".part").c_str());
}

PartFile::PartFile(PartFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)) {}

PartFile& PartFile::operator=(PartFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

Result<PartFile> PartFile::create(const std::string& path) {
  PartFile file;
  file.path_ = path;
  const std::string part = path + ".part";
  file.descriptor_ = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file.descriptor_ < 0) return io_failure(part, "create");
  return file;
}

Result<void> PartFile::flush_if_full() {
  return buffer_.size() >= flush_at ? flush() : Result<void>{};
}

Result<void> PartFile::flush() {
  const auto* data = reinterpret_cast<const std::uint8_t*>(buffer_.data());
  Result<void> done = write_all(descriptor_, {data, buffer_.size()}, path_ + ".part");
  buffer_.clear();
  return done;
}

Result<void> PartFile::sync() {
  if (Result<void> done = flush(); !done) return done;
  if (::fsync(descriptor_) != 0) return io_failure(path_ + ".part", "write");
  return {};
}

Result<void> PartFile::finish() {
  if (Result<void> done = sync(); !done) return done;
  const int closed = ::close(std::exchange(descriptor_, -1));
  Result<void> done;
  if (closed != 0) done = io_failure(path_ + ".part", "close");
  if (done) done = rename_file(path_ + ".part", path_);
  if (!done) ::unlink((path_ + ".part").c_str());
  return done;
}

}  // namespace cairn::record
