// Writes and reads checkpoints. Nothing is believed before its checksum fits, and no length before
// it fits into the bytes that are left.
#include "record/trace/checkpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/boundary.hpp"
#include "base/input_file.hpp"
#include "bytes/crc32.hpp"
#include "record/run/files.hpp"
#include "record/trace/frame.hpp"

namespace cairn::record {
namespace {

constexpr std::array<const char*, 3> names = {"run", "scene", "state"};

Error fault(const std::string& path, const std::string& section, ErrorCode code,
            const std::string& what) {
  Error error;
  error.code = code;
  error.file = path;
  error.path = section;
  error.what = what;
  error.fix = "resume from an intact checkpoint, or run the scene again";
  return error;
}

// ---- Writing
// ----------------------------------------------------------------------------------------------------

template <class Write>
void write_checked(CheckpointSection section, bytes::ByteWriter& out, Write write) {
  const std::size_t begin = out.size();
  write_section(checkpoint_tags[static_cast<std::size_t>(section)], out, write);
  out.u32(bytes::crc32(out.bytes().subspan(begin)));
}

// ---- Reading
// ----------------------------------------------------------------------------------------------------

// The number of sections that the head counts.
Result<std::uint32_t> check_head(std::span<const std::uint8_t> bytes, const std::string& path) {
  const auto magic_bytes = std::min(bytes.size(), checkpoint_magic.size());
  if (bytes.empty() ||
      !std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(magic_bytes),
                  checkpoint_magic.begin(),
                  [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); })) {
    Error error =
        fault(path, "head", ErrorCode::wrong_format, "is not a checkpoint: the first bytes differ");
    error.fix = fmt::format("give a {} written by cairn run --checkpoint", checkpoint_file);
    return fail(error);
  }
  if (bytes.size() < checkpoint_head) {
    Error error = fault(path, "head", ErrorCode::damaged, "the file is cut");
    error.got = fmt::format("{} bytes", bytes.size());
    error.allowed = fmt::format("{} or more", checkpoint_head);
    return fail(error);
  }
  bytes::ByteReader in(bytes.subspan(checkpoint_magic.size()));
  const std::uint32_t order = in.u32(), version = in.u32(), sections = in.u32();
  if (order == 0x04030201)
    return fail(fault(path, "head", ErrorCode::wrong_version,
                      "was written with the other byte order (big-endian)"));
  if (order != checkpoint_byte_order)
    return fail(fault(path, "head", ErrorCode::damaged, "the byte order mark is damaged"));
  if (in.u32() != bytes::crc32(bytes.first(checkpoint_head - 4)))
    return fail(fault(path, "head", ErrorCode::damaged, "checksum does not match"));
  if (version != checkpoint_version) {
    Error error = fault(path, "head", ErrorCode::wrong_version,
                        version > checkpoint_version ? "the checkpoint has a newer version"
                                                     : "the checkpoint has an unknown version");
    error.got = std::to_string(version);
    error.allowed = std::to_string(checkpoint_version);
    error.fix = "resume with the version of cairn that wrote it";
    return fail(error);
  }
  return sections;
}

// The section that `bytes` begins with; takes it off them. `expected` is its name for the errors as
// long as its own tag is not known to be right.
struct Section {
  SectionTag tag = {};
  std::span<const std::uint8_t> payload;
};
Result<Section> take_section(const std::string& expected, std::span<const std::uint8_t>& bytes,
                             const std::string& path) {
  const auto cut = [&](std::uint64_t needed) {
    Error error =
        fault(path, expected, ErrorCode::damaged, "the file is cut, or a length is damaged");
    error.got = fmt::format("{} bytes", bytes.size());
    error.allowed = fmt::format("{} or more", needed);
    return fail(error);
  };
  if (bytes.size() < section_head + chunk_tail) return cut(section_head + chunk_tail);
  Section section;
  std::copy_n(bytes.begin(), section.tag.size(), section.tag.begin());
  const std::uint64_t length = bytes::ByteReader(bytes.subspan(section.tag.size())).u64();
  if (length > bytes.size() - section_head - chunk_tail) return cut(length);
  const auto body = bytes.first(section_head + static_cast<std::size_t>(length));
  if (bytes::ByteReader(bytes.subspan(body.size())).u32() != bytes::crc32(body))
    return fail(fault(path, expected, ErrorCode::damaged, "checksum does not match"));
  bytes = bytes.subspan(body.size() + chunk_tail);
  section.payload = body.subspan(section_head);
  return section;
}

// Reads a payload into the checkpoint; empty, or what is wrong with it.
std::string read_payload(CheckpointSection section, std::span<const std::uint8_t> payload,
                         Checkpoint& checkpoint) {
  bytes::ByteReader in(payload);
  std::uint64_t state_hash = 0;
  switch (section) {
    case CheckpointSection::run:
      in.text(checkpoint.program);
      checkpoint.steps = in.i64();
      checkpoint.run.interval = in.i64();
      in.text(checkpoint.run.command);
      break;
    case CheckpointSection::scene:
      in.text(checkpoint.scene);
      break;
    case CheckpointSection::state:
      decode_state(in, checkpoint.state);
      state_hash = in.u64();
      break;
  }
  if (!in.ok() || in.left() != 0) return "malformed section";
  if (checkpoint.steps < 0 || checkpoint.run.interval < 0) return "negative number of steps";
  if (section == CheckpointSection::state && state_hash != hash(checkpoint.state))
    return "the hash of the state does not match";
  return "";
}

// The file, or no more than its head where that is not the head of a checkpoint.
Result<std::vector<std::uint8_t>> read_bytes(const std::string& path) {
  struct Descriptor {
    int number;
    ~Descriptor() {
      if (number >= 0) ::close(number);
    }
  };
  const Result<int> opened = base::open_input(path);
  if (!opened) return tl::unexpected<Errors>(opened.error());
  const Descriptor file{*opened};
  struct stat status {};
  if (::fstat(file.number, &status) != 0) return io_failure(path, "read");

  std::vector<std::uint8_t> bytes;
  for (std::size_t goal : {checkpoint_head, static_cast<std::size_t>(status.st_size)}) {
    std::size_t have = bytes.size();
    if (goal <= have) break;
    bytes.resize(goal);
    while (have < goal) {
      const ssize_t got = ::read(file.number, bytes.data() + have, goal - have);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return io_failure(path, "read");
      if (got == 0) break;
      have += static_cast<std::size_t>(got);
    }
    bytes.resize(have);
    if (!check_head(bytes, path)) break;
  }
  return bytes;
}

// The first line in which two texts differ.
std::string first_difference(const std::string& a, const std::string& b, int& line) {
  line = 1;
  std::size_t begin = 0;
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common && a[i] == b[i]; ++i)
    if (a[i] == '\n') {
      ++line;
      begin = i + 1;
    }
  begin = std::min(begin, b.size());
  std::string text = b.substr(begin, b.find('\n', begin) - begin);
  text.erase(0, text.find_first_not_of(' '));
  return text.substr(0, 80);
}

}  // namespace

}  // namespace cairn::record

namespace cairn {

Result<void> save_checkpoint(const std::string& path, const std::string& resolved_scene,
                             const State& state, std::int64_t steps, const CheckpointRun& run) try {
  bytes::ByteWriter out;
  out.raw(record::checkpoint_magic.data(), record::checkpoint_magic.size());
  out.u32(record::checkpoint_byte_order);
  out.u32(checkpoint_version);
  out.u32(static_cast<std::uint32_t>(record::checkpoint_tags.size()));
  out.u32(bytes::crc32(out.bytes()));
  record::write_checked(record::CheckpointSection::run, out, [&] {
    out.text(CAIRN_VERSION);
    out.i64(steps);
    out.i64(run.interval);
    out.text(run.command);
  });
  record::write_checked(record::CheckpointSection::scene, out, [&] { out.text(resolved_scene); });
  record::write_checked(record::CheckpointSection::state, out, [&] {
    record::encode_state(state, out);
    out.u64(hash(state));
  });
  return record::write_file(path, {reinterpret_cast<const char*>(out.bytes().data()), out.size()});
} catch (...) {
  return fail(base::caught_error());
}

}  // namespace cairn

namespace cairn::record {

Result<Checkpoint> parse_checkpoint(std::span<const std::uint8_t> bytes, const std::string& path) {
  const Result<std::uint32_t> sections = check_head(bytes, path);
  if (!sections) return tl::unexpected(sections.error());
  bytes = bytes.subspan(checkpoint_head);
  Checkpoint checkpoint;
  std::array<bool, checkpoint_tags.size()> seen = {};
  const auto next_missing = [&] {
    return static_cast<std::size_t>(std::find(seen.begin(), seen.end(), false) - seen.begin());
  };
  for (std::uint32_t i = 0; i < *sections; ++i) {
    const std::size_t next = next_missing();
    const Result<Section> section = take_section(
        next < seen.size() ? names[next] : fmt::format("section {}", i + 1), bytes, path);
    if (!section) return tl::unexpected(section.error());
    const auto known = static_cast<std::size_t>(
        std::find(checkpoint_tags.begin(), checkpoint_tags.end(), section->tag) -
        checkpoint_tags.begin());
    if (known == checkpoint_tags.size()) continue;  // of a later program
    if (seen[known])
      return fail(fault(path, names[known], ErrorCode::damaged, "the section occurs twice"));
    seen[known] = true;
    const std::string wrong =
        read_payload(static_cast<CheckpointSection>(known), section->payload, checkpoint);
    if (!wrong.empty()) return fail(fault(path, names[known], ErrorCode::damaged, wrong));
  }
  if (!bytes.empty())
    return fail(fault(path, "head", ErrorCode::damaged,
                      fmt::format("{} bytes after the last section", bytes.size())));
  if (const std::size_t missing = next_missing(); missing < seen.size())
    return fail(fault(path, names[missing], ErrorCode::damaged, "the section is missing"));
  return checkpoint;
}

}  // namespace cairn::record

namespace cairn {

Result<Checkpoint> load_checkpoint(const std::string& path) try {
  const Result<std::vector<std::uint8_t>> bytes = record::read_bytes(path);
  if (!bytes) return tl::unexpected(bytes.error());
  return record::parse_checkpoint(*bytes, path);
} catch (...) {
  return fail(base::caught_error());
}

Result<void> check_scene(const Checkpoint& checkpoint, const std::string& path,
                         const Scene& scene) {
  if (checkpoint.scene != scene.resolved) {
    int line = 0;
    const std::string theirs = record::first_difference(scene.resolved, checkpoint.scene, line);
    const std::string ours = record::first_difference(checkpoint.scene, scene.resolved, line);
    Error error =
        record::fault(path, "scene", ErrorCode::mismatch,
                      fmt::format("is of another scene than {}; they differ first in this line "
                                  "of the resolved scene",
                                  scene.file));
    error.line = line;
    error.column = 1;
    error.got = theirs;
    error.allowed = ours;
    error.fix = "give the scene and the --set of the run that wrote it, or leave them out";
    return fail(error);
  }
  const State& state = checkpoint.state;
  const Eigen::Index velocities = scene.model->velocities;
  if (state.poses.size() != scene.model->bodies.size() || state.v.size() != velocities ||
      (state.v_before.size() != 0 && state.v_before.size() != velocities)) {
    Error error =
        record::fault(path, "state", ErrorCode::mismatch, "the state does not fit the scene");
    error.got = fmt::format("{} bodies with {} velocities", state.poses.size(), state.v.size());
    error.allowed = fmt::format("{} with {}", scene.model->bodies.size(), velocities);
    return fail(error);
  }
  return {};
}

}  // namespace cairn
