// Writes a trace: one buffer, one write per chunk, no allocation once the buffer has grown.
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "cairn/trace.hpp"
#include "record/chunk.hpp"
#include "record/crc32.hpp"
#include "record/files.hpp"
#include "record/folder_lock.hpp"
#include "record/frame.hpp"

namespace cairn {

struct TraceWriter::File {
  std::string path;
  int descriptor = -1;
  ByteWriter buffer;
  std::uint64_t frames = 0;
  std::uint64_t last_hash = 0;

  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }

  // Opens the file for this process alone. A file system without locks is taken as it is.
  Result<void> open(const std::string& name, int flags) {
    path = name;
    descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
    if (descriptor < 0) return io_failure(path, (flags & O_CREAT) != 0 ? "create" : "open");
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return {};
    return written_by_another_run(path, "another run is writing this trace");
  }

  Result<void> cut(std::uint64_t size) {
    if (::ftruncate(descriptor, static_cast<off_t>(size)) != 0 ||
        ::lseek(descriptor, static_cast<off_t>(size), SEEK_SET) < 0)
      return io_failure(path, "cut");
    return {};
  }

  void begin(ChunkType type) {
    buffer.clear();
    buffer.u32(static_cast<std::uint32_t>(type));
    buffer.u64(0);  // patched by commit()
  }

  Result<void> commit() {
    buffer.patch_u64(4, buffer.size() - chunk_head);
    buffer.u32(crc32(buffer.bytes()));
    return write_all(descriptor, buffer.bytes(), path);
  }

  Result<void> append(const StepReport& report, const State& state) {
    CAIRN_CHECK(descriptor >= 0);
    const std::uint64_t state_hash = hash(state);
    begin(ChunkType::frame);
    encode_frame(report, state, state_hash, buffer);
    Result<void> done = commit();
    if (!done) return done;
    ++frames;
    last_hash = state_hash;
    return {};
  }
};

TraceWriter::TraceWriter(std::unique_ptr<File> file) : file_(std::move(file)) {}
TraceWriter::~TraceWriter() = default;
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;

Result<TraceWriter> TraceWriter::create(const std::string& path,
                                        const std::string& resolved_scene) {
  auto file = std::make_unique<File>();
  if (Result<void> done = file->open(path, O_CREAT); !done) return tl::unexpected(done.error());
  if (Result<void> done = file->cut(0); !done) return tl::unexpected(done.error());

  file->buffer.raw(trace_magic.data(), trace_magic.size());
  file->buffer.u32(trace_version);
  if (Result<void> done = write_all(file->descriptor, file->buffer.bytes(), path); !done)
    return tl::unexpected(done.error());

  file->begin(ChunkType::scene);
  file->buffer.text(CAIRN_VERSION);
  file->buffer.text(resolved_scene);
  if (Result<void> done = file->commit(); !done) return tl::unexpected(done.error());
  return TraceWriter(std::move(file));
}

Result<TraceWriter> TraceWriter::resume(const std::string& path) {
  auto file = std::make_unique<File>();
  if (Result<void> done = file->open(path, 0); !done) return tl::unexpected(done.error());
  return TraceWriter(std::move(file));
}

Result<void> TraceWriter::keep(const TraceReader& reader) {
  file_->frames = static_cast<std::uint64_t>(reader.frames());
  file_->last_hash = reader.last_hash();
  return file_->cut(reader.next_offset());
}

Result<void> TraceWriter::append_initial(const State& state) {
  StepReport report;
  report.step = state.step;
  report.t = state.t;
  return file_->append(report, state);
}

Result<void> TraceWriter::append(const StepReport& report, const State& state) {
  return file_->append(report, state);
}

Result<void> TraceWriter::sync() {
  if (::fsync(file_->descriptor) != 0) return io_failure(file_->path, "write");
  return {};
}

Result<void> TraceWriter::finish() {
  CAIRN_CHECK(file_->descriptor >= 0);
  file_->begin(ChunkType::end);
  file_->buffer.u64(file_->frames);
  file_->buffer.u64(file_->last_hash);
  if (Result<void> done = file_->commit(); !done) return done;
  if (Result<void> done = sync(); !done) return done;
  const int closed = ::close(file_->descriptor);
  file_->descriptor = -1;
  if (closed != 0) return io_failure(file_->path, "close");
  return {};
}

}  // namespace cairn
