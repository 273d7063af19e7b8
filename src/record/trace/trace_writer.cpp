// Writes a trace: one buffer, one write per chunk, no allocation once the buffer has grown.
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes/crc32.hpp"
#include "cairn/trace.hpp"
#include "record/run/files.hpp"
#include "record/run/folder_lock.hpp"
#include "record/trace/chunk.hpp"
#include "record/trace/frame.hpp"

namespace cairn {

struct TraceWriter::File {
  std::string path;
  int descriptor = -1;
  bytes::ByteWriter buffer;
  std::uint64_t size = 0;  // of the head and all complete chunks [bytes]
  std::uint64_t frames = 0;
  std::uint64_t last_hash = 0;
  record::FrameWriter writer;

  explicit File(const RecordOptions& options) : writer(options) {}
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }

  // Opens the file for this process alone.
  Result<void> open(const std::string& name, int flags) {
    path = name;
    descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
    if (descriptor < 0) return record::io_failure(path, (flags & O_CREAT) != 0 ? "create" : "open");
    switch (record::lock_file(descriptor)) {
      case record::FileLock::held_by_another:
        return record::written_by_another_run(path, "another run is writing this trace");
      case record::FileLock::failed:
        return record::io_failure(path, "lock");
      case record::FileLock::taken:
      case record::FileLock::unsupported:  // the lock of the folder has told
        break;
    }
    return {};
  }

  Result<void> cut(std::uint64_t bytes) {
    if (::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0 ||
        ::lseek(descriptor, static_cast<off_t>(bytes), SEEK_SET) < 0)
      return record::io_failure(path, "cut");
    size = bytes;
    return {};
  }

  // Writes all bytes or, as far as the system allows, none: a full disk leaves complete chunks.
  Result<void> write() {
    const Result<void> done = record::write_all(descriptor, buffer.bytes(), path);
    if (done)
      size += buffer.size();
    else
      (void)cut(size);
    return done;
  }

  // Removes a trace without frames, which is of no use; never a device.
  void discard() {
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) ::unlink(path.c_str());
  }

  void begin(record::ChunkType type) {
    buffer.clear();
    buffer.u32(static_cast<std::uint32_t>(type));
    buffer.u64(0);  // patched by commit()
  }

  Result<void> commit() {
    buffer.patch_u64(4, buffer.size() - record::chunk_head);
    buffer.u32(bytes::crc32(buffer.bytes()));
    return write();
  }

  Result<void> append(const StepReport& report, const State& state, const ShownForces& forces,
                      bool last) {
    CAIRN_CHECK(descriptor >= 0);
    const std::uint64_t state_hash = hash(state);
    begin(record::ChunkType::frame);
    writer.encode(report, state, state_hash, forces, buffer, last);
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

Result<TraceWriter> TraceWriter::create(const std::string& path, const std::string& resolved_scene,
                                        const RecordOptions& options) {
  auto file = std::make_unique<File>(options);
  if (Result<void> done = file->open(path, O_CREAT); !done) return tl::unexpected(done.error());
  if (Result<void> done = file->cut(0); !done) return tl::unexpected(done.error());

  file->buffer.raw(record::trace_magic.data(), record::trace_magic.size());
  file->buffer.u32(trace_version);
  Result<void> done = file->write();
  if (done) {
    file->begin(record::ChunkType::scene);
    bytes::ByteWriter& out = file->buffer;
    record::write_section(record::tags::program, out,
                          [&] { out.raw(CAIRN_VERSION, sizeof(CAIRN_VERSION) - 1); });
    record::write_section(record::tags::scene, out,
                          [&] { out.raw(resolved_scene.data(), resolved_scene.size()); });
    record::write_section(record::tags::version, out, [&] { out.u32(trace_version); });
    done = file->commit();
  }
  if (done) return TraceWriter(std::move(file));
  file->discard();
  return tl::unexpected(done.error());
}

Result<TraceWriter> TraceWriter::resume(const std::string& path, const RecordOptions& options) {
  auto file = std::make_unique<File>(options);
  if (Result<void> done = file->open(path, 0); !done) return tl::unexpected(done.error());
  return TraceWriter(std::move(file));
}

Result<void> TraceWriter::keep(const TraceReader& reader, const State& state) {
  file_->frames = static_cast<std::uint64_t>(reader.frames());
  file_->last_hash = reader.last_hash();
  file_->writer.go_on(reader.memory(), state);
  return file_->cut(reader.next_offset());
}

Result<void> TraceWriter::append_initial(const State& state) {
  StepReport report;
  report.step = state.step;
  report.t = state.t;
  return file_->append(report, state, {}, true);
}

Result<void> TraceWriter::append(const StepReport& report, const State& state,
                                 const ShownForces& forces, bool last) {
  return file_->append(report, state, forces, last);
}

bool TraceWriter::is_due(const StepReport& report) const {
  return file_->writer.is_due(report);
}

Result<void> TraceWriter::sync() {
  if (::fsync(file_->descriptor) != 0) return record::io_failure(file_->path, "write");
  return {};
}

Result<void> TraceWriter::finish() {
  CAIRN_CHECK(file_->descriptor >= 0);
  file_->begin(record::ChunkType::end);
  record::write_section(record::tags::last, file_->buffer, [&] {
    file_->buffer.u64(file_->frames);
    file_->buffer.u64(file_->last_hash);
  });
  if (Result<void> done = file_->commit(); !done) return done;
  if (Result<void> done = sync(); !done) return done;
  const int closed = ::close(file_->descriptor);
  file_->descriptor = -1;
  if (closed != 0) return record::io_failure(file_->path, "close");
  return {};
}

}  // namespace cairn
