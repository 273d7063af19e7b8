// A frame of a trace as bytes: what a step reported, and the state after it.
#pragma once

#include <span>

#include "cairn/trace.hpp"
#include "record/trace/sections.hpp"

namespace cairn::record {

// A state, as frames and checkpoints hold it. The reader of a damaged one is not ok() afterwards.
void encode_state(const State& state, bytes::ByteWriter& out);
void decode_state(bytes::ByteReader& in, State& state);

// Appends the payload of a frame chunk, its sections, to `out`.
void encode_frame(const StepReport& report, const State& state, std::uint64_t state_hash,
                  bytes::ByteWriter& out, const ShownForces& forces = {});

// Reads it back into a reused frame, or tells why the bytes are not one well-formed frame. Sections
// of unknown tags are skipped. Every index is in its range, so that whoever uses the frame need not
// look again.
SectionFault decode_frame(std::span<const std::uint8_t> payload, TraceFrame& frame);

}  // namespace cairn::record
