// Single frames of level `full`: bytes by which two frames can be compared.
#pragma once

#include "record/trace/frame.hpp"

namespace cairn::record {

inline void encode_frame(const StepReport& report, const State& state, std::uint64_t state_hash,
                         bytes::ByteWriter& out, const ShownForces& forces = {}) {
  FrameWriter({.level = RecordLevel::full}).encode(report, state, state_hash, forces, out);
}

inline SectionFault decode_frame(std::span<const std::uint8_t> payload, TraceFrame& frame) {
  return FrameReader().decode(payload, frame);
}

}  // namespace cairn::record
