// A frame of a trace as bytes: what a step reported, and the state after it.
#pragma once

#include <span>

#include "cairn/trace.hpp"
#include "record/trace/packed/packed_frame.hpp"
#include "record/trace/packed/slim_frame.hpp"
#include "record/trace/sections.hpp"

namespace cairn::record {

// A state, as frames and checkpoints hold it. The reader of a damaged one is not ok() afterwards.
void encode_state(const State& state, bytes::ByteWriter& out);
void decode_state(bytes::ByteReader& in, State& state);

struct FrameMemory {
  PackMemory packed;
  SlimMemory slim;
  bool last_whole = true;  // the last frame was
};

// Frames one after the other: a packed one is understood after the one before it.
class FrameWriter {
 public:
  explicit FrameWriter(const RecordOptions& options) : options_(options) {}

  // Appends the payload of a frame chunk, its sections, to `out`.
  void encode(const StepReport& report, const State& state, std::uint64_t state_hash,
              const ShownForces& forces, bytes::ByteWriter& out, bool last = false);
  // Whether the step is one of those that options `every` and `interval` name.
  bool is_due(const StepReport& report) const;
  // Goes on after the last frame of a reader, which led to `state`.
  void go_on(const FrameMemory& memory, const State& state);

 private:
  void write_before(bytes::ByteWriter& out);

  RecordOptions options_;
  PackWriter pack_;
  FrameMemory memory_;
  State before_;  // of the frame before, where frames are left out
  bytes::ByteWriter plain_;
  std::vector<std::uint8_t> compressed_;
};

class FrameReader {
 public:
  // Reads a frame into a reused one, or tells why the bytes are not one well-formed frame. Sections
  // of unknown tags are skipped. Every index is in its range, so that whoever uses the frame need
  // not look again.
  SectionFault decode(std::span<const std::uint8_t> payload, TraceFrame& frame);
  const FrameMemory& memory() const { return memory_; }

 private:
  PackReader pack_;
  FrameMemory memory_;
};

}  // namespace cairn::record
