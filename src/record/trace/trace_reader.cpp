// Reads a trace chunk by chunk; a file that is still being written, cut or damaged gives its
// complete frames and then says what is wrong.
#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.hpp"
#include "bytes/crc32.hpp"
#include "cairn/trace.hpp"
#include "record/run/files.hpp"
#include "record/trace/chunk.hpp"
#include "record/trace/frame.hpp"

namespace cairn {

struct TraceReader::File {
  enum class Read : std::uint8_t { chunk, nothing_left, cut, damaged };

  std::string path;
  int descriptor = -1;
  std::uint64_t size = 0;      // of the file, looked up before every chunk
  std::uint64_t position = 0;  // of the next chunk
  std::uint64_t chunk_at = 0;
  record::ChunkType type{};
  std::vector<std::uint8_t> bytes;  // head, payload and checksum of the chunk
  TraceHeader header;
  std::int64_t frames = 0;
  std::uint64_t last_hash = 0;
  std::uint64_t dropped = 0;
  std::string reason;
  record::FrameReader reader;

  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }

  std::span<const std::uint8_t> payload() const {
    return std::span(bytes).subspan(record::chunk_head,
                                    bytes.size() - record::chunk_head - record::chunk_tail);
  }

  bool read_at(std::uint64_t at, std::uint8_t* out, std::size_t count) const {
    while (count > 0) {
      const ssize_t got = ::pread(descriptor, out, count, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      out += got;
      at += static_cast<std::uint64_t>(got);
      count -= static_cast<std::size_t>(got);
    }
    return true;
  }

  bool look_up_size() {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return false;
    size = static_cast<std::uint64_t>(status.st_size);
    return true;
  }

  Read damaged(const std::string& why) {
    reason = why;
    return Read::damaged;
  }

  // The next chunk into `bytes`. A length larger than what is left looks like a cut: the two cannot
  // be told apart.
  Read read_chunk() {
    chunk_at = position;
    if (!look_up_size()) return damaged("cannot read: " + std::generic_category().message(errno));
    const std::uint64_t left = size > position ? size - position : 0;
    dropped = left;
    if (left == 0) return Read::nothing_left;
    if (left < record::chunk_head + record::chunk_tail) return Read::cut;
    bytes.resize(record::chunk_head);
    if (!read_at(position, bytes.data(), record::chunk_head)) return Read::cut;
    bytes::ByteReader head(bytes);
    const std::uint32_t number = head.u32();
    const std::uint64_t length = head.u64();
    if (number < 1 || number > 3) return damaged("unknown chunk type " + std::to_string(number));
    if (length > left - record::chunk_head - record::chunk_tail) return Read::cut;

    bytes.resize(record::chunk_head + static_cast<std::size_t>(length) + record::chunk_tail);
    if (!read_at(position, bytes.data(), bytes.size())) return Read::cut;
    const std::size_t body = bytes.size() - record::chunk_tail;
    if (bytes::ByteReader(std::span(bytes).subspan(body)).u32() !=
        bytes::crc32(std::span(bytes).first(body)))
      return damaged("checksum does not match");
    type = static_cast<record::ChunkType>(number);
    position += bytes.size();
    dropped = 0;
    return Read::chunk;
  }

  record::SectionFault read_header() {
    record::SectionReader sections(payload());
    sections.mandatory(record::tags::program,
                       [&](bytes::ByteReader& in) { in.rest(header.program); });
    sections.mandatory(record::tags::scene, [&](bytes::ByteReader& in) { in.rest(header.scene); });
    // The version at the head of the file has no checksum; this one has.
    sections.mandatory(record::tags::version, [&](bytes::ByteReader& in) {
      if (in.u32() != header.version) in.reject();
    });
    return sections.fault();
  }

  TraceEvent corrupt(const std::string& why) {
    reason = why;
    position = chunk_at;  // asking again gives the same answer
    return TraceEvent::corrupt;
  }

  TraceEvent read_end() {
    record::SectionReader sections(payload());
    std::uint64_t count = 0, final_hash = 0;
    sections.mandatory(record::tags::last, [&](bytes::ByteReader& in) {
      count = in.u64();
      final_hash = in.u64();
    });
    if (sections.fault()) return corrupt("end chunk: " + sections.fault().text());
    if (count != static_cast<std::uint64_t>(frames) || final_hash != last_hash)
      return corrupt("end chunk counts " + std::to_string(count) + " frames, found " +
                     std::to_string(frames) + ", or another final state");
    if (position != size) return corrupt("bytes after the end chunk");
    position = chunk_at;
    return TraceEvent::end;
  }
};

TraceReader::TraceReader(std::unique_ptr<File> file) : file_(std::move(file)) {}
TraceReader::~TraceReader() = default;
TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;
const TraceHeader& TraceReader::header() const {
  return file_->header;
}
std::int64_t TraceReader::frames() const {
  return file_->frames;
}
std::uint64_t TraceReader::dropped_bytes() const {
  return file_->dropped;
}
std::uint64_t TraceReader::offset() const {
  return file_->chunk_at;
}
const std::string& TraceReader::reason() const {
  return file_->reason;
}
std::uint64_t TraceReader::next_offset() const {
  return file_->position;
}
std::uint64_t TraceReader::last_hash() const {
  return file_->last_hash;
}
const record::FrameMemory& TraceReader::memory() const {
  return file_->reader.memory();
}

Result<TraceReader> TraceReader::open(const std::string& path) {
  auto file = std::make_unique<File>();
  file->path = path;
  const Result<int> opened = base::open_input(path);
  if (!opened) return tl::unexpected<Errors>(opened.error());
  file->descriptor = *opened;

  Error error;
  error.file = path;
  error.fix = "give a trace.cairn or trace.cairn.part written by cairn run --out";
  std::array<std::uint8_t, record::file_head> head{};
  if (!file->read_at(0, head.data(), head.size()) ||
      !std::equal(record::trace_magic.begin(), record::trace_magic.end(), head.begin(),
                  [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; })) {
    error.code = ErrorCode::wrong_format;
    error.what = "is not a trace: the first bytes differ";
    return fail(error);
  }
  file->header.version =
      bytes::ByteReader(std::span(head).subspan(record::trace_magic.size())).u32();
  if (file->header.version != trace_version) {
    error.code = ErrorCode::wrong_version;
    error.what = file->header.version > trace_version ? "the trace has a newer version"
                                                      : "the trace has an older version";
    error.got = std::to_string(file->header.version);
    error.allowed = std::to_string(trace_version);
    error.fix = "read it with the version of cairn that wrote it, or run the scene again";
    return fail(error);
  }
  file->position = record::file_head;
  const File::Read read = file->read_chunk();
  const bool found = read == File::Read::chunk && file->type == record::ChunkType::scene;
  const record::SectionFault fault = found ? file->read_header() : record::SectionFault{};
  if (!found || fault) {
    error.code = ErrorCode::damaged;
    error.what = "the scene of the trace is incomplete or damaged";
    if (read == File::Read::damaged) error.what += " (" + file->reason + ")";
    if (fault) error.what += " (" + fault.text() + ")";
    error.fix = "run the scene again";
    return fail(error);
  }
  return TraceReader(std::move(file));
}

TraceEvent TraceReader::next(TraceFrame& frame) {
  switch (file_->read_chunk()) {
    case File::Read::nothing_left:
    case File::Read::cut:
      return TraceEvent::truncated;
    case File::Read::damaged:
      return TraceEvent::corrupt;
    case File::Read::chunk:
      break;
  }
  if (file_->type == record::ChunkType::end) return file_->read_end();
  if (file_->type != record::ChunkType::frame) return file_->corrupt("a second scene chunk");
  if (const record::SectionFault fault = file_->reader.decode(file_->payload(), frame))
    return file_->corrupt("malformed frame: " + fault.text());
  ++file_->frames;
  file_->last_hash = frame.state_hash;
  return TraceEvent::frame;
}

}  // namespace cairn
